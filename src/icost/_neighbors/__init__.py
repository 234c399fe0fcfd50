"""Nearest neighbours, exactly: which classes are around a row?

The search knows rows, distances and classes, but no minority and no cost. From the question to the
answer:

- `points`: points, their distances, and which of them are the same;
- `ties`: who is a neighbour when distances are tied;
- `search`, `kernel`, `trees`: searches that propose candidates, by matrix products, compiled ones
  or trees, for blocks of queries in threads;
- `choice`: the search that fits metric, data and algorithm, by forecasts of the time;
- `counts`: the classes among the neighbours of a table's own rows, and these neighbours;
- `parts`: classes, or distances, of rows of one table among those of others.
"""
