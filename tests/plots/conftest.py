from importlib.util import find_spec

import pytest

if find_spec("matplotlib") is None:
    collect_ignore_glob = ["*.py"]
else:
    import matplotlib

    matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    from matplotlib import pyplot

    pyplot.close("all")
