from importlib.util import find_spec

if find_spec("matplotlib") is None:
    collect_ignore_glob = ["*.py"]
else:
    import matplotlib

    matplotlib.use("Agg")
