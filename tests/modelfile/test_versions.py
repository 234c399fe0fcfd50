import platform

import numpy as np
import pytest
import sklearn

import icost
from icost._neighbors import kernel
from icost.modelfile._saved_model import processor_name, version_facts

VERSIONS = "icost.modelfile._saved_model"


def printed(capsys):
    icost.show_versions()
    return capsys.readouterr().out


def test_versions_are_those_that_are_imported(capsys):
    lines = [line.strip() for line in printed(capsys).splitlines()]
    assert f"numpy: {np.__version__}" in lines
    assert f"scikit-learn: {sklearn.__version__}" in lines
    assert f"icost-learn: {icost.__version__}" in lines
    assert any(line.startswith(f"python: {platform.python_version()}") for line in lines)


def test_the_variant_in_use_is_told(monkeypatch):
    monkeypatch.delenv("ICOST_KERNEL", raising=False)
    name, reason = kernel.variant()
    told = version_facts()["Neighbour search"]["kernel"]
    assert told.startswith(name)
    assert (", of " in told) == (reason is None)


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ("off", "off, since ICOST_KERNEL=off"),
        ("quick", "none, since ICOST_KERNEL must be one of 'off'"),
    ],
)
def test_why_no_variant_is_in_use_is_told(wanted, told, monkeypatch, capsys):
    monkeypatch.setenv("ICOST_KERNEL", wanted)
    assert f"kernel: {told}" in printed(capsys)


def test_a_kernel_that_was_not_compiled_is_told(monkeypatch, tmp_path):
    monkeypatch.delenv("ICOST_KERNEL", raising=False)
    monkeypatch.setenv("ICOST_KERNEL_LIBRARY", str(tmp_path / "none.so"))
    assert version_facts()["Neighbour search"]["kernel"] == "off, since it is not compiled"


def test_threads_are_those_of_a_search(monkeypatch):
    monkeypatch.setattr(f"{VERSIONS}.threads_for", lambda n_jobs: 7 if n_jobs is None else 1)
    assert version_facts()["Neighbour search"]["threads"] == "7"


def test_optional_packages_come_from_the_extras(monkeypatch):
    wanted = ["numpy>=1", "pytest>=7; extra == 'x'", "icost-learn[y]; extra == 'x'", "nowhere>1"]
    monkeypatch.setattr("icost.modelfile._saved_model.metadata.requires", lambda name: wanted)
    found = version_facts()["Packages"]
    assert found["pytest"] == pytest.__version__
    assert "nowhere" not in found and next(iter(found)) == "icost-learn"


def test_the_processor_has_a_name(monkeypatch):
    assert processor_name()
    monkeypatch.setattr(f"{VERSIONS}.Path.read_text", lambda *_, **__: "flags : fpu\n")
    monkeypatch.setattr(f"{VERSIONS}.platform.processor", lambda: "")
    assert processor_name() == platform.machine()
