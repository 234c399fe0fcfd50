import matplotlib
from hypothesis import settings

matplotlib.use("Agg")

# How long an example takes depends on what else the machine does; time is for benchmarks.
settings.register_profile("icost", deadline=None)
settings.load_profile("icost")
