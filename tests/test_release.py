"""What a release promises: one version, actions named by commit, a word about the other icost."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import icost

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.fixture
def release(tmp_path, monkeypatch):
    """The script, on a copy of the files that name a version."""
    spec = importlib.util.spec_from_file_location("check_release", ROOT / ".ci/check_release.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in module.PLACES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text("utf-8"), "utf-8")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


def test_all_files_name_the_version_that_is_imported(release):
    assert set(release.versions_by_file().values()) == {icost.__version__}
    assert release.find_problem(None) is None


def test_a_file_with_another_version_is_named(release):
    citation = release.ROOT / "CITATION.cff"
    citation.write_text(citation.read_text("utf-8").replace(icost.__version__, "0.9"), "utf-8")
    assert "0.9 in CITATION.cff" in release.find_problem(None)


def test_a_tag_is_of_this_version_and_dated(release):
    changelog = release.ROOT / "CHANGELOG.md"
    heading = f"## {icost.__version__} "
    changelog.write_text(f"# Changelog\n\n{heading}(unreleased)\n", "utf-8")
    assert f"v{icost.__version__}, got v0.1" in release.find_problem("v0.1")
    assert "must have the date" in release.find_problem(f"v{icost.__version__}")
    changelog.write_text(f"# Changelog\n\n{heading}(2026-12-01)\n", "utf-8")
    assert release.find_problem(f"v{icost.__version__}") is None


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_named_by_commit(path):
    uses = re.findall(r"uses: (.+)", path.read_text("utf-8"))
    assert uses
    assert all(re.fullmatch(r"[\w/.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one) for one in uses)


def test_an_action_has_one_commit_in_all_workflows():
    texts = "\n".join(path.read_text("utf-8") for path in WORKFLOWS)
    actions = {line.partition("@")[0]: set() for line in re.findall(r"uses: (.+)", texts)}
    for line in re.findall(r"uses: (.+)", texts):
        actions[line.partition("@")[0]].add(line)
    assert all(len(lines) == 1 for lines in actions.values())


def test_targets_of_the_workflows_exist():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for path in WORKFLOWS:
        for target in re.findall(r"run: make ([\w-]+)", path.read_text("utf-8")):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


@pytest.fixture
def mixed(tmp_path):
    """A folder with this package and a module of the authors', as two installations leave it."""
    shutil.copytree(Path(icost.__file__).parent, tmp_path / "icost", ignore=_no_cache)
    (tmp_path / "icost" / "icost.py").write_text("class iCost: pass\n")
    return tmp_path


_no_cache = shutil.ignore_patterns("__pycache__", "*.so")


def run_in(folder, *arguments):
    command = [sys.executable, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)


def test_files_of_the_other_package_are_noticed_at_import(mixed):
    run = run_in(mixed, "-W", "error", "-c", "import icost")
    assert "UserWarning: The package 'icost' is installed" in run.stderr.splitlines()[-1]
    (mixed / "icost" / "icost.py").unlink()
    run = run_in(mixed, "-W", "error", "-c", "import icost; icost.iCost()")
    assert (run.returncode, run.stderr) == (0, "")


def test_the_command_of_a_replaced_package_says_so_in_one_sentence(mixed):
    (mixed / "icost" / "__init__.py").write_text("from .icost import iCost\n")
    run = run_in(mixed, "-m", "icost", "--version")
    assert run.returncode == 1
    assert run.stderr.startswith("icost: The package 'icost' is installed")
    assert len(run.stderr.splitlines()) == 1
