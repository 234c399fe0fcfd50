"""The pass: every candidate cross-fitted once on shared folds, for all that is read from it.

- `icost._pass.folds`: which rows are held out together;
- `icost._pass.candidates`: a classifier and how it learns;
- `icost._pass.library`: the candidates of the library, by the size of a table;
- `icost._pass.cross_fit`: `OutOfFold`, the scores of rows that a fit has not seen;
- `icost._pass.blend`: from these scores to one probability;
- `icost._pass.expected`: what to expect of it on new rows.
"""
