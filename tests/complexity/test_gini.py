import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array
from sklearn.tree import DecisionTreeClassifier

from icost import iCost, instance_weights
from icost.complexity import GiniComplexity
from icost.complexity import _gini as gini
from icost.complexity._gini import ambiguity


def line(n_minority_left, n_left, n_minority_right, n_right):
    """Two clumps on a line, each with its own share of the minority."""
    X = np.concatenate([np.zeros(n_left), np.ones(n_right)]).reshape(-1, 1)
    is_minority = np.concatenate(
        [np.arange(n_left) < n_minority_left, np.arange(n_right) < n_minority_right]
    )
    return X, is_minority


def test_leaf_shares_decide_the_category_and_the_score():
    # Left leaf: 1 of 10 are minority; right leaf: 6 of 10.
    X, is_minority = line(1, 10, 6, 10)
    record = GiniComplexity(max_depth=1).estimate(X, is_minority, random_state=0)
    assert record.indices.tolist() == [0, 10, 11, 12, 13, 14, 15]
    assert record.category.tolist() == ["outlier"] + ["mixed"] * 6
    # s = 2 (1 - p^2 - (1 - p)^2): 0.36 for p = 0.1 and 0.96 for p = 0.6.
    np.testing.assert_allclose(record.score, [0.36] + [0.96] * 6)


@pytest.mark.parametrize(
    ("share", "category"),
    [(0.80, "pure"), (0.79, "mixed"), (0.21, "mixed"), (0.20, "outlier"), (1.0, "pure")],
)
def test_thresholds_belong_to_the_dominated_leaves(share, category):
    assert GiniComplexity().categorize(np.array([share])).tolist() == [category]


def test_ambiguity_is_normalised_gini():
    np.testing.assert_allclose(ambiguity(np.array([0, 0.25, 0.5, 1])), [0, 0.75, 1, 0])


def test_a_tree_of_one_leaf_works():
    X, is_minority = line(3, 10, 0, 2)
    record = GiniComplexity(min_samples_leaf=50).estimate(X, is_minority)
    assert record.counts() == {"mixed": 3}
    np.testing.assert_allclose(record.score, ambiguity(np.full(3, 0.25)))


def test_leaf_proportions_count_weights():
    X, is_minority = line(2, 10, 0, 10)
    weight = np.where(is_minority, 4.0, 1.0)
    record = GiniComplexity(max_depth=1).estimate(X, is_minority, sample_weight=weight)
    np.testing.assert_allclose(record.score, ambiguity(np.full(2, 8 / 16)))


def test_rows_of_weight_zero_are_absent():
    rng = np.random.default_rng(0)
    X, is_minority = rng.normal(size=(80, 3)), np.arange(80) < 20
    weight = (rng.uniform(size=80) > 0.3).astype(float)
    kept = weight > 0
    whole = GiniComplexity().estimate(X, is_minority, sample_weight=weight, random_state=0)
    part = GiniComplexity().estimate(X[kept], is_minority[kept], random_state=0)
    assert whole.indices.tolist() == np.flatnonzero(is_minority & kept).tolist()
    np.testing.assert_allclose(whole.score, part.score)


def test_cross_fit_judges_by_trees_that_have_not_seen_the_sample():
    # Labels are noise, so a tree that may grow leaves of one row knows each sample by heart.
    rng = np.random.default_rng(0)
    X, is_minority = rng.normal(size=(200, 2)), rng.uniform(size=200) < 0.3
    deep = {"max_depth": None, "min_samples_leaf": 1}
    seen = GiniComplexity(**deep).estimate(X, is_minority, random_state=0)
    unseen = GiniComplexity(**deep, cross_fit=5).estimate(X, is_minority, random_state=0)
    assert seen.counts() == {"pure": is_minority.sum()}
    assert unseen.counts()["outlier"] > is_minority.sum() / 2


def test_cross_fit_needs_two_of_each_class():
    X, is_minority = line(1, 10, 0, 10)
    with pytest.raises(ValueError, match="two rows of each class, got 1 minority and 19 maj"):
        GiniComplexity(cross_fit=3).estimate(X, is_minority)


def test_cross_fit_lowers_the_folds_to_the_minority():
    X, is_minority = line(1, 10, 1, 10)
    assert len(GiniComplexity(cross_fit=5).estimate(X, is_minority, random_state=0).score) == 2


def test_sparse_input_gives_the_same_answer():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.5, size=(60, 4)).astype(float)
    is_minority = np.arange(60) < 15
    dense = GiniComplexity().estimate(X, is_minority, random_state=0)
    sparse = GiniComplexity().estimate(csr_array(X), is_minority, random_state=0)
    np.testing.assert_allclose(sparse.score, dense.score)


def test_single_precision_is_taken_as_it_is(monkeypatch):
    seen = []
    fit_probe = GiniComplexity._fit_probe

    def watched(self, X, *args):
        seen.append(X)
        return fit_probe(self, X, *args)

    monkeypatch.setattr(GiniComplexity, "_fit_probe", watched)
    X = np.arange(40, dtype=np.float32).reshape(-1, 2)
    codes, minorities = np.arange(20) // 15, [np.array([False, True])]
    for table in (X, np.asfortranarray(X)):
        GiniComplexity().estimate_groups(table, codes, minorities, random_state=0)
        GiniComplexity().estimate_new(table, codes, table, codes, minorities, random_state=0)
        assert all(np.shares_memory(one, table) for one in seen)
        seen.clear()


def test_fast_probe_is_exact_on_small_data_and_close_on_large(monkeypatch):
    rng = np.random.default_rng(0)
    is_minority = rng.uniform(size=20_000) < 0.1
    X = rng.normal(size=(20_000, 4)) + np.arange(4) * is_minority[:, None]
    exact = GiniComplexity().estimate(X, is_minority, random_state=0)
    fast = GiniComplexity(probe="fast")
    same = fast.estimate(X, is_minority, random_state=0)
    np.testing.assert_array_equal(same.score, exact.score)
    monkeypatch.setattr("icost.complexity._gini.FAST_PROBE_ROWS", 6000)
    monkeypatch.setattr("icost.complexity._probe.SAMPLE_ROWS", 2000)
    close = fast.estimate(X, is_minority, random_state=0)
    assert np.mean(close.category != exact.category) < 0.03


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"tau_out": 0.8}, "tau_out must be below tau_pure, got tau_out=0.8 and tau_pure=0.8"),
        ({"tau_pure": 1.2}, "tau_pure must be a finite number >= 0 and <= 1, got 1.2"),
        ({"tau_out": -0.1}, "tau_out must be a finite number >= 0 and <= 1, got -0.1"),
        ({"max_depth": 0}, "max_depth must be a whole number >= 1, got 0"),
        ({"min_samples_leaf": 2.5}, "min_samples_leaf must be a whole number >= 1, got 2.5"),
        ({"cross_fit": 1}, "cross_fit must be a whole number >= 2, got 1"),
        ({"probe": "quick"}, "probe must be one of 'exact', 'fast', got 'quick'"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(ValueError, match=message):
        GiniComplexity(**parameters).estimate(*line(1, 10, 1, 10))


def transcription(X, is_minority, weight, tau_pure, tau_out):
    """Equations 7 to 10, sample by sample."""
    tree = DecisionTreeClassifier(max_depth=3, min_samples_leaf=5, random_state=0)
    leaves = tree.fit(X, is_minority, sample_weight=weight).apply(X)
    rows = []
    for i in np.flatnonzero(is_minority):
        n_min = sum(weight[j] for j in range(len(X)) if leaves[j] == leaves[i] and is_minority[j])
        n_maj = sum(
            weight[j] for j in range(len(X)) if leaves[j] == leaves[i] and not is_minority[j]
        )
        p_min = n_min / (n_min + n_maj)
        gini = 1 - p_min**2 - (1 - p_min) ** 2
        name = "pure" if p_min >= tau_pure else "outlier" if p_min <= tau_out else "mixed"
        rows.append((name, 2 * gini))
    return rows


@settings(max_examples=60)
@given(
    X=arrays(float, (40, 2), elements=st.integers(0, 6).map(float)),
    is_minority=arrays(bool, 40).filter(lambda m: 0 < m.sum() < 40),
    weight=arrays(float, 40, elements=st.integers(1, 4).map(float)),
    tau_pure=st.sampled_from([0.7, 0.8, 0.9]),
    tau_out=st.sampled_from([0.1, 0.2, 0.3]),
)
def test_equals_the_formulas_read_literally(X, is_minority, weight, tau_pure, tau_out):
    measure = GiniComplexity(tau_pure=tau_pure, tau_out=tau_out)
    record = measure.estimate(X, is_minority, sample_weight=weight, random_state=0)
    expected = transcription(X, is_minority, weight, tau_pure, tau_out)
    assert record.category.tolist() == [name for name, _ in expected]
    np.testing.assert_allclose(record.score, [score for _, score in expected], atol=1e-12)


@pytest.mark.parametrize("probe", ["exact", "fast"])
def test_types_and_frames_of_the_same_numbers_get_the_same_answer(probe, monkeypatch):
    pd = pytest.importorskip("pandas")
    monkeypatch.setattr("icost.complexity._gini.FAST_PROBE_ROWS", 1000)
    monkeypatch.setattr("icost.complexity._probe.SAMPLE_ROWS", 400)
    rng = np.random.default_rng(5)
    y = (rng.uniform(size=3000) < 0.1).astype(int)
    X = (rng.normal(size=(3000, 4)) + 0.8 * y[:, None]).astype(np.float32)
    columns = {f"x{i}": X[:, i] for i in range(4)}
    options = {"method": "tree", "tree_probe": probe, "random_state": 0}
    expected = instance_weights(X.astype(np.float64), y, **options)
    assert len(np.unique(expected)) > 3
    for table in (X, np.asfortranarray(X), pd.DataFrame(X), pd.DataFrame(columns, copy=False)):
        np.testing.assert_array_equal(instance_weights(table, y, **options), expected)


def test_the_fast_probe_copies_no_table(monkeypatch):
    monkeypatch.setattr("icost.complexity._gini.FAST_PROBE_ROWS", 1000)
    seen = []
    grow = gini.grow_fast_probe
    monkeypatch.setattr(gini, "grow_fast_probe", lambda X, *own: seen.append(X) or grow(X, *own))
    rng = np.random.default_rng(0)
    y = rng.uniform(size=3000) < 0.1
    for dtype in (np.float32, np.float64):
        X = rng.normal(size=(3000, 4)).astype(dtype)
        instance_weights(X, y, method="tree", tree_probe="fast", random_state=0)
        assert np.shares_memory(seen.pop(), X)


def test_the_one_tree_of_three_classes_is_exact_as_the_docstrings_say(monkeypatch):
    monkeypatch.setattr("icost.complexity._gini.FAST_PROBE_ROWS", 1000)
    monkeypatch.setattr("icost.complexity._probe.SAMPLE_ROWS", 400)
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=3000)
    X = rng.normal(size=(3000, 4)) + 0.5 * y[:, None]
    options = {"method": "tree", "multiclass": "direct", "random_state": 0}
    fast = instance_weights(X, y, tree_probe="fast", **options)
    np.testing.assert_array_equal(fast, instance_weights(X, y, **options))
    for owner in (iCost, GiniComplexity):
        assert '``multiclass="direct"``, is always exact' in " ".join(owner.__doc__.split())
