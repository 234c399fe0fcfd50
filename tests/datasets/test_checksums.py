import pandas as pd

from icost.datasets import table_checksum

X = pd.DataFrame({"a": [1.0, 2.0], "b": pd.Categorical(["u", None])})
Y = pd.Series(["p", "n"], name="y")


def test_the_value_is_fixed():
    # Names, cells and labels, cells apart by US and columns by RS: 'a', '1.0', '2.0', ...
    import hashlib

    text = "a\x1f1.0\x1f2.0\x1eb\x1fu\x1f\x1ey\x1fp\x1fn\x1e"
    assert table_checksum(X, Y) == hashlib.sha256(text.encode()).hexdigest()


def test_types_do_not_count():
    same = pd.DataFrame({"a": [1, 2], "b": pd.Categorical(["u", None], ["v", "u"])})
    assert table_checksum(same, Y) == table_checksum(X, Y)


def test_each_part_counts():
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
