"""Tables: what type each column is, which numbers it becomes, and which rows are learned from.

`_dates` reads dates in text, `_columns` decides the type of each column once per fit, `_encoder`
turns typed columns into numbers for classifiers, `_space` into the numbers in which complexity is
estimated, and `_rows` keeps the table beside labels, weights, groups and costs.
"""
