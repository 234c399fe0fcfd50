"""Experiments: from a plan to rows to tables, four separable parts.

- `icost.experiments.plan`: what to run, a small TOML file per study;
- `icost.experiments.strategies`, `icost.experiments.classifiers`: the names a plan may use;
- `icost.experiments.runner`: runs the trials of a plan, in parallel, and can be interrupted;
- `icost.experiments.rows`: one row per trial, in Parquet files;
- `icost.experiments.tables`, `icost.experiments.claims`: what the rows say, beside the paper.

Everything here needs ``pip install "icost-learn[experiments]"``.
"""

from icost.validation import import_extra

# Asked for here, so that whoever lacks them reads one sentence on what to install.
for _module in ("pandas", "pyarrow", "joblib"):
    import_extra(_module, "experiments", "icost.experiments")

from icost.experiments.plan import Plan, list_plans, load_plan  # noqa: E402
from icost.experiments.reproduction import reproduce  # noqa: E402
from icost.experiments.runner import run_plan  # noqa: E402
from icost.experiments.strategies import STRATEGIES, Strategy, get_strategy  # noqa: E402

__all__ = [
    "STRATEGIES",
    "Plan",
    "Strategy",
    "get_strategy",
    "list_plans",
    "load_plan",
    "reproduce",
    "run_plan",
]
