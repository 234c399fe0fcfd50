import ctypes
import importlib.util
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from icost._neighbors import kernel
from icost._neighbors.kernel import KernelSearch
from icost._neighbors.points import BLOCK_NUMBERS, MinkowskiSpace
from icost._neighbors.search import TIE_MARGIN
from icost._neighbors.ties import count_dense

ROOT = Path(__file__).parents[2]


def _tested_variants():
    """Those of this processor, or the one that ICOST_KERNEL names."""
    forced, present = os.environ.get("ICOST_KERNEL"), kernel.present_variants()
    return [name for name in present if forced in (None, "", name)]


each_variant = pytest.mark.parametrize("variant", _tested_variants())
needs_kernel = pytest.mark.skipif(not _tested_variants(), reason="no kernel here")


def make_search(X, variant):
    return KernelSearch(MinkowskiSpace(X, 2.0), variant)


def all_squares(queries, X):
    """Squared distances by direct difference, one pair after the other."""
    widened = X.astype(np.float64)
    differences = (query - widened for query in queries.astype(np.float64))
    return np.array([np.einsum("ij,ij->i", d, d) for d in differences])


def found_squares(pairs, shape):
    """The same table, as far as a search knows it."""
    query, point, distance = pairs
    table = np.full(shape, np.inf)
    table[query, point] = distance
    assert np.isfinite(table).sum() == len(query), "a pair was found twice"
    return table


def check_pairs(pairs, queries, X, n_nearest):
    """Nothing within reach is missing, little else is there, and no distance has another bit."""
    wanted = all_squares(queries, X)
    found = found_squares(pairs, wanted.shape)
    nth = np.sort(wanted, axis=1)[:, min(n_nearest, len(X)) - 1, None]
    near = wanted <= nth * TIE_MARGIN
    assert_array_equal(found[near], wanted[near])
    beyond = np.isfinite(found) & ~near
    assert_array_equal(found[beyond], wanted[beyond])
    # Where squares vanish altogether, all points are proposed.
    assert (found[beyond] <= (nth * (1 + 1e-8) + 1e-299).repeat(len(X), axis=1)[beyond]).all()


def check_counts(search, X, n_neighbors, n_queries=60):
    """The classes around rows of X are those of brute force."""
    y = np.random.default_rng(1).integers(3, size=len(X))
    rows = np.linspace(0, len(X) - 1, min(n_queries, len(X))).astype(np.intp)
    queries = X[rows].astype(np.float64)
    pairs = search.pairs(queries, n_neighbors + 1)
    check_pairs(pairs, queries, X, n_neighbors + 1)
    found, wanted = found_squares(pairs, (len(rows), len(X))), all_squares(queries, X)
    for table in (found, wanted):
        table[np.arange(len(rows)), rows] = np.inf
    one_hot = np.eye(3)[y]
    assert_array_equal(
        count_dense(found, one_hot, n_neighbors, power=2.0),
        count_dense(wanted, one_hot, n_neighbors, power=2.0),
    )


def grid(rng):
    return rng.integers(0, 4, size=(500, 3)).astype(np.float64)


def duplicates(rng):
    return np.repeat(rng.standard_normal((40, 5)), 15, axis=0)


def near_ties(rng):
    # Around each of ten centres: distances that are equal, tied, just not tied, and within reach.
    ratios = 1 + np.array([0, 3e-10, -3e-10, 2e-9, -2e-9, 1e-8, 1e-3, 0, 3e-10, 2e-9])
    steps = rng.standard_normal((10, 10, 6))
    steps *= (ratios / np.linalg.norm(steps, axis=2))[:, :, None]
    centres = 20 * rng.standard_normal((10, 1, 6))
    return np.concatenate([centres, centres + steps], axis=1).reshape(-1, 6)


def offset(rng):
    return 1e8 + rng.standard_normal((500, 7))


def outlier(rng):
    X = rng.standard_normal((700, 6))
    X[350] = 1e6
    return X


def cauchy(rng):
    return rng.standard_cauchy((700, 9))


def tight_clusters(rng):
    centres = 1000 * rng.standard_normal((10, 4))
    return (centres[:, None] + 1e-3 * rng.standard_normal((10, 60, 4))).reshape(-1, 4)


def wide_clusters(rng):
    # Large enough for eight bits to be given up, and with many terms to be rounded.
    centres = 1000 * rng.standard_normal((4, 40))
    return (centres[:, None] + 1e-3 * rng.standard_normal((4, 900, 40))).reshape(-1, 40)


def tiny(rng):
    return 1e-30 * rng.standard_normal((500, 5))


def vanishing(rng):
    return 1e-170 * rng.standard_normal((300, 4))


def subnormal(rng):
    return 1e-310 * rng.standard_normal((300, 4))


def huge(rng):
    return 1e59 * rng.standard_normal((300, 4))


def constant(rng):
    return np.full((130, 3), 7.25)


def nearly_constant(rng):
    return 1 + 1e-15 * rng.integers(0, 3, size=(300, 5))


def mixed_scales(rng):
    return rng.standard_normal((500, 8)) * 10.0 ** np.arange(-4, 4)


def shell(rng):
    # All points tied around one that is nearly their centre: single precision takes more from the
    # norms of the points, and from the many terms of their products, than what parts them.
    X = rng.standard_normal((601, 100))
    X /= np.linalg.norm(X, axis=1)[:, None]
    X[0] = 0
    return X


def buried(rng):
    # Between two far points, the products of the others underflow in single precision.
    X = 1e-22 * rng.standard_normal((600, 40))
    X[300:302] = [[1], [-1]]
    return X


def cloud(rng):
    return rng.standard_normal((2000, 12))


HOSTILE = [
    *(grid, duplicates, near_ties, offset, outlier, cauchy, tight_clusters, wide_clusters),
    *(tiny, vanishing, subnormal, huge, constant, nearly_constant, mixed_scales, shell, buried),
    cloud,
]


@each_variant
@pytest.mark.parametrize("make", HOSTILE)
@pytest.mark.parametrize("n_neighbors", [1, 5])
def test_counts_are_those_of_brute_force(variant, make, n_neighbors):
    X = make(np.random.default_rng(0))
    check_counts(make_search(X, variant), X, n_neighbors)


@each_variant
@pytest.mark.parametrize("make", [grid, offset, cauchy, tight_clusters, cloud])
def test_single_precision_is_widened_before_it_is_subtracted(variant, make):
    X = make(np.random.default_rng(0)).astype(np.float32)
    check_counts(make_search(X, variant), X, 5)


@each_variant
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_number_of_features(variant, dtype):
    rng = np.random.default_rng(0)
    for n_features in range(1, 131):
        X = rng.integers(-3, 4, size=(120, n_features)) + 0.1 * rng.random((120, n_features))
        X = X.astype(dtype)
        check_counts(make_search(X, variant), X, 5, n_queries=11)


@each_variant
def test_any_number_of_neighbours(variant):
    X = np.random.default_rng(0).integers(0, 9, size=(300, 4)).astype(np.float64)
    search = make_search(X, variant)
    for n_neighbors in range(1, 40):
        check_counts(search, X, n_neighbors, n_queries=9)


@each_variant
@pytest.mark.parametrize("n_points", [1, 2, 7, 15, 16, 17, 47, 48, 49, 96])
def test_panels_need_not_be_full(variant, n_points):
    X = np.random.default_rng(0).standard_normal((n_points, 3))
    search = make_search(X, variant)
    for n_nearest in (1, 2, n_points, n_points + 10):
        for n_queries in (1, 8, 9):
            queries = np.resize(X, (n_queries, 3))
            check_pairs(search.pairs(queries, n_nearest), queries, X, n_nearest)


@needs_kernel
@pytest.mark.parametrize("n_points", [0, 1, 2, 3, 1000])
def test_points_are_shuffled_alike_each_time(n_points):
    order = kernel._shuffled(n_points)
    assert_array_equal(np.sort(order), np.arange(n_points))
    assert_array_equal(kernel._shuffled(n_points), order)


@needs_kernel
def test_the_first_points_are_a_fair_sample_of_all():
    share = kernel._shuffled(100_000) / 100_000
    # Standard errors of a uniform sample's mean are 0.29 / sqrt(n).
    assert abs(share[:1000].mean() - 0.5) < 4 * 0.29 / 1000**0.5
    assert abs(share[-1000:].mean() - 0.5) < 4 * 0.29 / 1000**0.5
    assert abs(np.corrcoef(share[:-1], share[1:])[0, 1]) < 4 / 100_000**0.5


@each_variant
@pytest.mark.parametrize("far", [0.5, 1e3, 1e8, 1e12, 1e16, 1e30, 1e60])
def test_queries_need_not_be_points(variant, far):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 5))
    queries = far * rng.standard_normal((30, 5))
    check_pairs(make_search(X, variant).pairs(queries, 6), queries, X, 6)


@each_variant
def test_no_query_has_no_pairs(variant):
    pairs = make_search(np.eye(3), variant).pairs(np.zeros((0, 3)), 2)
    assert [len(part) for part in pairs] == [0, 0, 0]


@each_variant
@settings(max_examples=40, deadline=None)
@given(
    X=hnp.arrays(
        np.float64,
        st.tuples(st.integers(2, 60), st.integers(1, 6)),
        elements=st.integers(-2, 2) | st.sampled_from([1e-9, 1e4, 1e8, 1e8 + 1]),
    ),
    n_nearest=st.integers(1, 8),
)
def test_pairs_of_coarse_points(variant, X, n_nearest):
    check_pairs(make_search(X, variant).pairs(X, n_nearest), X, X, n_nearest)


@each_variant
def test_a_query_with_very_many_ties(variant):
    # Twelve points of a circle, 20,001 times each, and its centre: 240,012 ties at distance 5.
    quarter = np.array([[5, 0], [4, 3], [3, 4]])
    circle = np.concatenate([quarter, -quarter, quarter @ [[0, 1], [-1, 0]]])
    circle = np.concatenate([circle, quarter @ [[0, -1], [1, 0]]])
    X = np.concatenate([[[0.0, 0.0]], np.repeat(circle, 20_001, axis=0)])
    search = make_search(X, variant)
    query, point, distance = search.pairs(X[:1], 6)
    assert_array_equal(query, 0)
    assert_array_equal(np.sort(point), np.arange(len(X)))
    assert_array_equal(distance, np.r_[0.0, np.full(len(X) - 1, 25.0)])
    # Several such queries are too many for the memory, and are to be asked one by one.
    several = np.zeros((BLOCK_NUMBERS // len(X) + 1, 2))
    assert search.pairs(several, 6) is None
    assert search.pairs(several[:2], 6) is not None
    assert search.pairs(several, len(X)) is None


@each_variant
def test_threads_may_share_an_index(variant):
    # Clusters, so that all threads find bytes too coarse, and change to floats at the same time.
    X = wide_clusters(np.random.default_rng(0))
    alone, shared = make_search(X, variant), make_search(X, variant)
    blocks = [X[start : start + 100] for start in range(0, len(X), 100)]
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda block: shared.pairs(block, 6), blocks))
    for block, answer in zip(blocks, answers, strict=True):
        for one, other in zip(answer, alone.pairs(block, 6), strict=True):
            assert_array_equal(one, other)


# If the bounds on rounding were idle, the tests above would prove nothing of them.


@each_variant
@pytest.mark.parametrize("slack", [0.0, -1e-6])
def test_without_the_slack_neighbours_are_missed(variant, slack, monkeypatch):
    X = wide_clusters(np.random.default_rng(0))
    # Numbers of eight bits give up on such data, and hand over to floats.
    check_counts(make_search(X, variant), X, 5)
    monkeypatch.setattr(kernel, "rounding_slack", lambda *_: slack)
    with pytest.raises(AssertionError):
        check_counts(make_search(X, variant), X, 5)


@pytest.mark.skipif("vnni" not in _tested_variants(), reason="no VNNI here")
def test_without_the_errors_of_bytes_neighbours_are_missed():
    X = np.random.default_rng(0).standard_normal((3000, 3))
    search = make_search(X, "vnni")
    check_counts(search, X, 5)
    index = search._panels.index
    assert index.is_bytes
    # Less than none, since the error of the query is allowed for, too.
    index.error = -index.error
    with pytest.raises(AssertionError):
        check_counts(search, X, 5)


@pytest.mark.skipif("vnni" not in _tested_variants(), reason="no VNNI here")
@pytest.mark.parametrize(("make", "stays"), [(cloud, True), (outlier, False), (cauchy, False)])
def test_bytes_are_given_up_where_they_are_too_coarse(make, stays):
    X = make(np.random.default_rng(0))
    search = make_search(X, "vnni")
    search.pairs(X[:64], 6)
    assert bool(search._panels.index.is_bytes) == stays


@pytest.mark.skipif("vnni" not in _tested_variants(), reason="no VNNI here")
def test_bytes_are_not_tried_where_their_sums_might_overflow(monkeypatch):
    monkeypatch.setattr(kernel, "_MOST_FEATURES", 11)
    X = cloud(np.random.default_rng(0))
    search = make_search(X, "vnni")
    assert not search._panels.index.is_bytes
    check_counts(search, X, 5)


@pytest.mark.skipif("vnni" not in _tested_variants(), reason="no VNNI here")
def test_sums_of_bytes_do_not_overflow():
    # As many features as are allowed, all at the ends of the range.
    signs = np.array([[1.0], [-1.0], [1.0]]) * np.ones(kernel._MOST_FEATURES)
    signs[2, ::2] *= -1
    search = make_search(signs, "vnni")
    check_pairs(search.pairs(signs, 1), signs, signs, 1)
    check_pairs(search.pairs(signs, 2), signs, signs, 2)
    assert search._panels.index.is_bytes


@each_variant
@pytest.mark.parametrize(("make", "is_sharp"), [(cloud, True), (wide_clusters, False)])
def test_a_screen_knows_whether_it_is_sharp(variant, make, is_sharp):
    X = make(np.random.default_rng(0))
    assert make_search(X, variant).is_sharp(X[:32], 6) == is_sharp


@each_variant
def test_sharpness_is_judged_by_fewer_queries_where_ties_are_many(variant, monkeypatch):
    monkeypatch.setattr(kernel, "BLOCK_NUMBERS", 1000)
    X = np.random.default_rng(0).integers(0, 2, size=(400, 1)).astype(np.float64)
    assert make_search(X, variant).is_sharp(X[:32], 300) in (True, False)


@each_variant
def test_queries_of_another_width_are_refused(variant):
    with pytest.raises(ValueError, match=r"queries must have 3 features, got \(2, 4\)"):
        make_search(np.eye(3), variant).pairs(np.zeros((2, 4)), 1)


@needs_kernel
def test_the_fastest_variant_is_used(monkeypatch):
    monkeypatch.delenv("ICOST_KERNEL", raising=False)
    assert kernel.variant() == (kernel.present_variants()[-1], None)
    assert "portable" in kernel.present_variants()


@each_variant
def test_the_environment_chooses_a_variant(variant, monkeypatch):
    monkeypatch.setenv("ICOST_KERNEL", variant)
    assert kernel.variant() == (variant, None)
    search = KernelSearch(MinkowskiSpace(np.eye(5), 2.0))
    assert search._panels._variant == kernel.VARIANTS.index(variant)


def test_the_environment_switches_the_kernel_off(monkeypatch):
    monkeypatch.setenv("ICOST_KERNEL", "off")
    assert kernel.variant() == ("off", "ICOST_KERNEL=off")
    with pytest.raises(ValueError, match="cannot be used: ICOST_KERNEL=off"):
        KernelSearch(MinkowskiSpace(np.eye(5), 2.0))


def test_a_mistyped_variant_is_refused(monkeypatch):
    monkeypatch.setenv("ICOST_KERNEL", "avx3")
    with pytest.raises(ValueError, match=r"one of 'off', .* got 'avx3': did you mean 'avx2'"):
        kernel.variant()


@needs_kernel
def test_a_variant_that_the_processor_lacks_is_refused(monkeypatch):
    monkeypatch.setattr(kernel, "_present", lambda path: (("portable",), None))
    monkeypatch.setenv("ICOST_KERNEL", "avx2")
    wanted = r"^ICOST_KERNEL='avx2' cannot be used: this processor has portable\.$"
    with pytest.raises(ValueError, match=wanted):
        kernel.variant()
    with pytest.raises(ValueError, match="variant='vnni' cannot be used"):
        make_search(np.eye(3), "vnni")


def test_without_a_library_the_kernel_is_off(monkeypatch, tmp_path):
    monkeypatch.delenv("ICOST_KERNEL", raising=False)
    monkeypatch.setenv("ICOST_KERNEL_LIBRARY", str(tmp_path / "none.so"))
    assert kernel.variant() == ("off", "not compiled")
    monkeypatch.setenv("ICOST_KERNEL", "portable")
    with pytest.raises(ValueError, match="cannot be used: the kernel is not compiled"):
        kernel.variant()


def test_what_is_no_library_switches_the_kernel_off(monkeypatch, tmp_path):
    (tmp_path / "broken.so").write_text("no library")
    monkeypatch.delenv("ICOST_KERNEL", raising=False)
    monkeypatch.setenv("ICOST_KERNEL_LIBRARY", str(tmp_path / "broken.so"))
    name, reason = kernel.variant()
    assert name == "off"
    assert reason.startswith("not loaded: ")


@needs_kernel
def test_a_library_from_other_sources_is_refused(monkeypatch):
    monkeypatch.setattr(kernel, "_INTERFACE", -1)
    with pytest.raises(OSError, match=r"another version of kernel\.c"):
        kernel._load.__wrapped__(kernel._library_path())


@needs_kernel
def test_structures_have_the_sizes_of_their_parts():
    # All parts are of eight bytes, so that no compiler has reason to leave gaps.
    for structure in (kernel._Index, kernel._Answer):
        sizes = {ctypes.sizeof(part) for _, part in structure._fields_}
        assert sizes <= {8, ctypes.sizeof(ctypes.c_void_p)}


@pytest.fixture
def build(monkeypatch):
    """The build hook, with a stand-in for hatchling, which only builds need."""
    names = "hatchling hatchling.builders hatchling.builders.hooks hatchling.builders.hooks.plugin"
    interface = SimpleNamespace(BuildHookInterface=object)
    tags = SimpleNamespace(sys_tags=lambda: [])
    stand_ins = {name: ModuleType(name) for name in [*names.split(), "packaging"]}
    stand_ins |= {"hatchling.builders.hooks.plugin.interface": interface, "packaging.tags": tags}
    for name, module in stand_ins.items():
        monkeypatch.setitem(sys.modules, name, module)
    source = ROOT / "hatch_build.py"
    if not source.exists():
        pytest.skip("not the sources")
    spec = importlib.util.spec_from_file_location("hatch_build", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_without_a_compiler_nothing_is_built(build, monkeypatch, tmp_path):
    monkeypatch.setattr(build.shutil, "which", lambda name: None)
    problem = build.compile_kernel(tmp_path / "kernel.c", tmp_path / "kernel.so")
    assert problem == "no C compiler was found"


def test_what_does_not_compile_is_told_in_one_line(build, tmp_path):
    if build.find_compiler() is None:
        pytest.skip("no compiler")
    (tmp_path / "kernel.c").write_text("this is\nno C\n")
    problem = build.compile_kernel(tmp_path / "kernel.c", tmp_path / "kernel.so")
    assert " failed, " in problem
    assert "error" in problem
    assert "\n" not in problem
    assert [path.name for path in tmp_path.iterdir()] == ["kernel.c"]


def test_a_compiler_that_cannot_be_run_is_told_too(build, monkeypatch, tmp_path):
    monkeypatch.setattr(build, "find_compiler", lambda: [str(tmp_path / "cc")])
    problem = build.compile_kernel(tmp_path / "kernel.c", tmp_path / "kernel.so")
    assert "failed" in problem
    assert "\n" not in problem


@pytest.mark.parametrize(
    ("machine", "target", "tag"),
    [
        ("arm64", None, "macosx_11_0_arm64"),
        ("x86_64", None, "macosx_10_13_x86_64"),
        ("arm64", "14.2", "macosx_14_0_arm64"),
        ("x86_64", "12", "macosx_12_0_x86_64"),
    ],
)
def test_a_wheel_for_macos_is_for_the_oldest_that_it_was_compiled_for(
    build, monkeypatch, machine, target, tag
):
    monkeypatch.delenv("MACOSX_DEPLOYMENT_TARGET", raising=False)
    if target:
        monkeypatch.setenv("MACOSX_DEPLOYMENT_TARGET", target)
    assert build.platform_tag("darwin", machine) == tag


def test_a_wheel_without_the_kernel_can_be_asked_for(build, monkeypatch):
    monkeypatch.setenv("ICOST_WITHOUT_KERNEL", "1")
    monkeypatch.setattr(build, "compile_kernel", lambda *_: pytest.fail("compiled"))
    build_data = {"artifacts": []}
    build.KernelBuildHook().initialize("standard", build_data)
    assert build_data == {"artifacts": []}
