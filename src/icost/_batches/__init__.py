"""Weights of tables that are read batch by batch: one algorithm for streams, Dask and Spark."""
