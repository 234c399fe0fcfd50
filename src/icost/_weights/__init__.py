"""From the complexity of rows to their weights, and from weights to a fitted base classifier."""
