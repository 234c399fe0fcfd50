import io
import zipfile
from pathlib import Path

import pytest

from icost.datasets import DatasetUnavailable
from icost.datasets._sources import cache_folder, download, unzip


def test_cache_folder_by_precedence(monkeypatch):
    assert cache_folder("~/here") == Path.home() / "here"
    monkeypatch.setenv("ICOST_CACHE", "/given")
    assert cache_folder() == Path("/given")
    monkeypatch.delenv("ICOST_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert cache_folder() == Path("/xdg/icost")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "icost"


def test_download_from_a_mirror(server):
    server.answers["/static/public/602/dry+bean+dataset.zip"] = b"content"
    url = "https://archive.ics.uci.edu/static/public/602/dry+bean+dataset.zip"
    assert download(url) == b"content"
    assert download(url, base_url=server.url + "/") == b"content"


def test_missing_file(server):
    with pytest.raises(DatasetUnavailable, match="the server answered 404 Not Found"):
        download(server.url + "/none.zip")


def test_connection_that_closes_half_way(server):
    def half(handler):
        handler.start(1000)
        handler.wfile.write(b"x" * 10)

    server.answers["/a.zip"] = half
    with pytest.raises(DatasetUnavailable, match="the connection closed half way"):
        download(server.url + "/a.zip")


def test_server_that_stalls(server):
    def stall(handler):
        handler.start(1000)
        handler.wfile.flush()
        server.release.wait(10)

    server.answers["/a.zip"] = stall
    with pytest.raises(DatasetUnavailable, match="no answer in time"):
        download(server.url + "/a.zip", timeout=0.1)


def test_server_that_never_ends(server, monkeypatch):
    def endless(handler):
        handler.send_response(200)
        handler.end_headers()
        while not server.release.is_set():
            handler.wfile.write(b"x" * 1000)

    monkeypatch.setattr("icost.datasets._sources.MAX_BYTES", 5000)
    server.answers["/a.zip"] = endless
    with pytest.raises(DatasetUnavailable, match="the answer is longer than 5,000 bytes"):
        download(server.url + "/a.zip")


def test_archive_that_is_a_bomb_or_damaged(monkeypatch):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/a.dat", b"x" * 6000)
    content = stream.getvalue()
    assert unzip(content, "a.dat") == [b"x" * 6000]
    start = content.index(b"a.dat") + len("a.dat")
    with pytest.raises(DatasetUnavailable, match="not a readable zip archive"):
        unzip(content[:start] + b"\xff" * 9 + content[start + 9 :], "a.dat")
    monkeypatch.setattr("icost.datasets._sources.MAX_BYTES", 5000)
    with pytest.raises(DatasetUnavailable, match="packs is longer than 5,000 bytes"):
        unzip(content, "a.dat")


def test_no_connection():
    with pytest.raises(DatasetUnavailable, match=r"downloading http://127\.0\.0\.1:9/x failed"):
        download("https://example.org/x")


def test_address_that_is_none():
    with pytest.raises(DatasetUnavailable, match="unknown url type"):
        download("https://example.org/x", base_url="mirror")


def test_archive_without_the_file():
    with pytest.raises(DatasetUnavailable, match="not a readable zip archive"):
        unzip(b"<html>", "a.dat")
