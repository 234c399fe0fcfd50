"""Weights and boosters for tables on a Dask cluster, of any size.

- `icost.dask.instance_weights`: the weights of a dask array or dataframe, chunk by chunk;
- `icost.dask.DaskICost`: XGBoost or LightGBM on the cluster, trained with these weights.

This package is never imported by ``import icost``; it needs ``pip install "icost-learn[dask]"``.
"""

from icost.dask._classifier import DaskICost
from icost.dask._partitions import instance_weights

__all__ = ["DaskICost", "instance_weights"]
