"""Learning from imbalanced data by weighting each sample by how hard it is."""

__version__ = "1.0.0.dev0"
