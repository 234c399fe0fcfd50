"""Weights of tables that are read batch by batch: one algorithm for streams, Dask and Spark.

- `icost._batches.weigher`: from passes over the batches to a function that weighs any batch, and
  a sample of rows that depends on no partitioning;
- `icost._batches.stream`: `icost.weights_of_batches`, and files.
"""
