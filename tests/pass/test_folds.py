"""Folds of the pass: repeats by size, groups together, time forward, one part of large tables."""

import numpy as np
import pytest

from icost._pass.folds import make_folds
from icost._table._rows import read_rows


def rows_of(codes, **options):
    return read_rows(np.arange(len(codes), dtype=float)[:, None], codes, **options)


def test_few_rows_are_split_more_often():
    repeats = {}
    for n_minority, n_rows in ((12, 200), (30, 200), (300, 2_000)):
        y = (np.arange(n_rows) < n_minority).astype(int)
        repeats[n_minority] = make_folds(rows_of(y)).n_repeats
    assert repeats == {12: 5, 30: 1, 300: 1}


def test_every_row_is_held_out_once_per_repeat_and_never_trained_on():
    y = (np.arange(150) % 5 == 0).astype(int)
    folds = make_folds(rows_of(y), 3, 2)
    for repeat in range(2):
        held_out = [folds.held_out_rows(repeat, part) for part in range(3)]
        assert sorted(np.concatenate(held_out)) == list(range(150))
        for part, rows in enumerate(held_out):
            assert not set(rows) & set(folds.training_rows(repeat, part))
            assert y[rows].sum() == 10


def test_a_large_table_has_one_held_out_fifth():
    y = (np.arange(30_000) % 5 == 0).astype(int)
    folds = make_folds(rows_of(y))
    assert folds.tasks == [(0, 0)] and folds.is_held_out.sum() == 6_000
    assert y[folds.is_held_out].sum() == 1_200
    # A rare class keeps its folds, however many rows there are.
    rare = (np.arange(30_000) % 100 == 0).astype(int)
    assert len(make_folds(rows_of(rare)).tasks) == 5


def test_groups_stay_together():
    y = (np.arange(200) % 4 == 0).astype(int)
    folds = make_folds(rows_of(y, groups=np.arange(200) // 10), n_repeats=1)
    parts = folds.parts[0].reshape(20, 10)
    assert (parts == parts[:, :1]).all() and "each of 20 groups" in folds.how


def test_folds_by_time_learn_from_what_came_before():
    y = (np.arange(120) % 4 == 0).astype(int)
    time = np.random.default_rng(0).permutation(120)
    folds = make_folds(rows_of(y, time=time))
    assert folds.is_by_time and folds.n_repeats == 1
    for _, part in folds.tasks:
        train, held_out = folds.training_rows(0, part), folds.held_out_rows(0, part)
        assert time[train].max() < time[held_out].min()
    assert 0 < (folds.parts[0] < 0).sum() < 30


def test_an_early_stretch_without_a_class_is_learned_from_only():
    y = np.r_[np.zeros(60, int), np.arange(60) % 2]
    folds = make_folds(rows_of(y, time=np.arange(120)))
    assert (folds.parts[0][:60] < 0).all() and "lack a class" in folds.notes[0]
    with pytest.raises(ValueError, match="both early and late"):
        make_folds(rows_of(np.repeat([0, 1], [100, 20]), time=np.arange(120)))


def test_bad_folds_are_refused():
    y = (np.arange(40) % 4 == 0).astype(int)
    with pytest.raises(ValueError, match="groups and time cannot both"):
        make_folds(rows_of(y, groups=np.arange(40), time=np.arange(40)))
    with pytest.raises(ValueError, match="at least two groups"):
        make_folds(rows_of(y, groups=np.zeros(40)))
    with pytest.raises(ValueError, match="at least two rows"):
        make_folds(rows_of((np.arange(40) == 0).astype(int)))
    with pytest.raises(ValueError, match="rows of every class"):
        make_folds(rows_of(y, groups=y))
