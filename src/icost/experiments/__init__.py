"""Experiments: from a plan to rows to tables, four separable parts.

- `icost.experiments.plan`: what to run, a small TOML file per study;
- `icost.experiments.runner`: runs the trials of a plan, in parallel, and can be interrupted;
- `icost.experiments.rows`: one row per trial, in Parquet files;
- `icost.experiments.tables`, `icost.experiments.claims`, `icost.experiments.page`: what the rows
  say, beside the paper.

The strategies and classifiers that a plan may name are those of `icost.strategies`. Nothing in the
package imports this one but the command line. Everything here needs
``pip install "icost-learn[experiments]"``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from icost.validation import import_extra

if TYPE_CHECKING:
    from icost.experiments.plan import Plan, list_plans, load_plan
    from icost.experiments.reproduction import reproduce
    from icost.experiments.runner import run_plan
    from icost.strategies.registry import STRATEGIES, Strategy, get_strategy

_HOME = {
    "STRATEGIES": "icost.strategies.registry",
    "Plan": "icost.experiments.plan",
    "Strategy": "icost.strategies.registry",
    "get_strategy": "icost.strategies.registry",
    "list_plans": "icost.experiments.plan",
    "load_plan": "icost.experiments.plan",
    "reproduce": "icost.experiments.reproduction",
    "run_plan": "icost.experiments.runner",
}

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

# Asked for here, so that whoever lacks them reads one sentence on what to install.
for _module in ("pandas", "pyarrow", "joblib"):
    import_extra(_module, "experiments", "icost.experiments")


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'icost.experiments' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
