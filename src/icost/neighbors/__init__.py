"""Nearest neighbours, exactly: which classes are around a row?

The search knows rows, distances and classes, but no minority and no cost. From the question to the
answer:

- `icost.neighbors.points`: points, their distances, and which of them are the same;
- `icost.neighbors.ties`: who is a neighbour when distances are tied;
- `icost.neighbors.search`, `icost.neighbors.kernel`, `icost.neighbors.trees`: searches that propose
  candidates, by matrix products, compiled ones or trees;
- `icost.neighbors.approximate`: searches that may miss some;
- `icost.neighbors.pilot`: what a tree and brute force will take;
- `icost.neighbors.choice`: the search that fits metric, data and algorithm;
- `icost.neighbors.blocks`: queries block by block, in threads;
- `icost.neighbors.counts`: the classes among the neighbours of a table's own rows;
- `icost.neighbors.lists`: the neighbours themselves, as a sparse matrix;
- `icost.neighbors.parts`: classes, or distances, of rows of one table among those of others.
"""
