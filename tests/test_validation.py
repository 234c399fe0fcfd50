import pytest

from icost.validation import import_extra


def test_a_package_that_is_not_installed_comes_with_its_extra():
    with pytest.raises(ImportError, match=r"Flying needs antigravitation, .*icost-learn\[sky\]"):
        import_extra("antigravitation.wings", "sky", "Flying")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("import antigravitation", "No module named 'antigravitation'"),
        ("raise ImportError('libwings.so: cannot open')", "libwings.so: cannot open"),
    ],
)
def test_a_package_that_breaks_speaks_for_itself(content, message, tmp_path, monkeypatch):
    (tmp_path / "broken_wings.py").write_text(content)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError, match=f"^{message}"):
        import_extra("broken_wings", "sky", "Flying")
