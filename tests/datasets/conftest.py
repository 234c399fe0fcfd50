"""What the dataset tests share: a clean environment, the data folder, a web server."""

import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

# Read before any test clears the environment.
_GIVEN = os.environ.get("ICOST_DATA")
_BESIDE = Path(__file__).parents[3] / "shared" / "data" / "multiclass"


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch, tmp_path):
    """No test reads the user's folders, and none reaches the internet."""
    for name in ("ICOST_DATA", "XDG_CACHE_HOME", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ICOST_CACHE", str(tmp_path / "cache"))
    # Port 9 (discard) refuses at once.
    monkeypatch.setenv("ICOST_DOWNLOAD_URL", "http://127.0.0.1:9")


@pytest.fixture
def data_folder():
    folder = Path(_GIVEN) if _GIVEN else _BESIDE
    if not folder.is_dir():
        pytest.skip("needs the five multiclass tables: set ICOST_DATA to their folder")
    return folder


class Server(ThreadingHTTPServer):
    """Answers each path with its bytes, or lets a function answer."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = {}
        self.asked = []
        self.release = threading.Event()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        answer = self.server.answers.get(self.path)
        if answer is None:
            self.send_error(404)
        elif callable(answer):
            answer(self)
        else:
            self.start(len(answer))
            self.wfile.write(answer)

    def start(self, length):
        self.send_response(200)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setenv("ICOST_DOWNLOAD_URL", server.url)
        yield server
        server.release.set()
        server.shutdown()
        thread.join()
