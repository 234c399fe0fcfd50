"""Experiments: from a plan to rows to tables, four separable parts.

- `icost.experiments.plan`: what to run, a small TOML file per study;
- `icost.experiments.strategies`, `icost.experiments.classifiers`: the names a plan may use;
- `icost.experiments.runner`: runs the trials of a plan, in parallel, and can be interrupted;
- `icost.experiments.rows`: one row per trial, in Parquet files;
- `icost.experiments.tables`, `icost.experiments.claims`: what the rows say, beside the paper.

Everything here needs ``pip install "icost-learn[experiments]"``.
"""
