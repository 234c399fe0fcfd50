import os

import numpy as np
import pytest

from icost._core.files import plain_value, write_whole


def test_an_interrupted_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def half(stream):
        stream.write(b"new")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(path, half)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_new_file_has_the_permissions_of_any_other(tmp_path):
    write_whole(tmp_path / "a.txt", "x")
    (tmp_path / "b.txt").write_text("x")
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "b.txt").stat().st_mode


def test_folders_are_refused(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder"):
        write_whole(tmp_path, "x")
    with pytest.raises(FileNotFoundError, match="does not exist"):
        write_whole(tmp_path / "no" / "a.txt", "x")


def test_what_is_not_a_file_is_written_to():
    write_whole(os.devnull, b"x")


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_whole(tmp_path / "link", "whole")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_text() == "whole"


def test_a_long_name_is_no_problem(tmp_path):
    path = tmp_path / ("n" * 250)
    write_whole(path, "whole")
    assert path.read_text() == "whole"


def test_values_of_numpy_become_plain_ones():
    value = {"a": np.float64("nan"), 2: [np.int64(3), np.bool_(True), "x"], "b": np.inf}
    assert plain_value(value) == {"a": None, "2": [3, True, "x"], "b": None}
