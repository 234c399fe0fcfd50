"""The reproduction of the iCost paper: from a plan to rows to tables, four separable steps.

- `icost_reproduction.plan`: what to run, a small TOML file per study;
- `icost_reproduction.runner`: runs the trials of a plan, in parallel, and can be interrupted;
- `icost_reproduction.rows`: one row per trial, in Parquet files;
- `icost_reproduction.tables`, `icost_reproduction.claims`, `icost_reproduction.page`: what the rows
  say, beside the paper.

The data sets as the authors had them are in `icost_reproduction.published_sets`, the strategies
that a plan may name in `icost_reproduction.strategies`. The command ``icost reproduce`` comes with
this package. It is installed from a clone of the repository: ``pip install -e ./reproduction``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from icost_reproduction.critical_difference import CriticalDifferenceDisplay
    from icost_reproduction.delta import DeltaDisplay
    from icost_reproduction.plan import Plan, list_plans, load_plan
    from icost_reproduction.plane import GiniPartitionDisplay, WeightBoundaryDisplay
    from icost_reproduction.published_sets import load_published
    from icost_reproduction.reproduction import reproduce
    from icost_reproduction.runner import run_plan
    from icost_reproduction.strategies import STRATEGIES, get_strategy

__version__ = "1.0.0rc1"

_HOME = {
    "STRATEGIES": "strategies",
    "CriticalDifferenceDisplay": "critical_difference",
    "DeltaDisplay": "delta",
    "GiniPartitionDisplay": "plane",
    "Plan": "plan",
    "WeightBoundaryDisplay": "plane",
    "get_strategy": "strategies",
    "list_plans": "plan",
    "load_plan": "plan",
    "load_published": "published_sets",
    "reproduce": "reproduction",
    "run_plan": "runner",
}

__all__ = [
    "STRATEGIES",
    "CriticalDifferenceDisplay",
    "DeltaDisplay",
    "GiniPartitionDisplay",
    "Plan",
    "WeightBoundaryDisplay",
    "get_strategy",
    "list_plans",
    "load_plan",
    "load_published",
    "reproduce",
    "run_plan",
]


def __getattr__(name: str) -> Any:
    # Loaded when used, so that the help of the command does not wait for pandas.
    if name in _HOME:
        return getattr(import_module(f"icost_reproduction.{_HOME[name]}"), name)
    raise AttributeError(f"module 'icost_reproduction' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
