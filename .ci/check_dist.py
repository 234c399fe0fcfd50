"""Check a wheel and an sdist: what is inside, and that they work in an empty environment.

Usage: ``python .ci/check_dist.py dist``. Called by ``make dist``.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "icost"
SDIST_EXTRA = {
    "CHANGELOG.md",
    "CITATION.cff",
    "LICENSE",
    "PKG-INFO",
    "README.md",
    "pyproject.toml",
    ".gitignore",
    "hatch_build.py",
}
"""What an sdist needs, or hatchling adds, besides the package."""

COMPILED = "icost/neighbors/_kernel."
"""What wheels have and an sdist has not."""


def package_files() -> set[str]:
    """Return the files of the package, as paths in a wheel."""
    files = (path for path in PACKAGE.rglob("*") if path.is_file())
    return {
        path.relative_to(PACKAGE.parent).as_posix()
        for path in files
        if "__pycache__" not in path.parts
    }


def check_names(what: str, found: set[str], wanted: set[str]) -> None:
    """Stop with one sentence when files are missing or should not be there."""
    if found != wanted:
        missing, strange = sorted(wanted - found), sorted(found - wanted)
        sys.exit(f"{what} must hold the package alone; missing: {missing}, not wanted: {strange}.")


def check_wheel(path: Path) -> None:
    """Check that a wheel has the package and its metadata, and nothing else."""
    with zipfile.ZipFile(path) as wheel:
        names = {name for name in wheel.namelist() if not name.endswith("/")}
    own = {name for name in names if not name.split("/")[0].endswith(".dist-info")}
    check_names(path.name, own, package_files())


def check_sdist(path: Path) -> None:
    """Check that an sdist has the package, its metadata and what builds it."""
    with tarfile.open(path) as sdist:
        names = {member.name.split("/", 1)[1] for member in sdist.getmembers() if member.isfile()}
    # Every machine compiles its own.
    sources = {name for name in package_files() if not name.startswith(COMPILED)}
    wanted = {f"src/{name}" for name in sources}
    check_names(path.name, names - SDIST_EXTRA, wanted)


def run(*command: str, cwd: str) -> str:
    """Run a command away from the sources, so that only what is installed can be imported."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def try_install(archive: Path, extra: str = "") -> None:
    """Install an archive in an empty environment and use it; with the extra, run the command."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(Path(folder) / "venv", with_pip=True)
        scripts = Path(folder) / "venv" / ("Scripts" if os.name == "nt" else "bin")
        python = str(scripts / "python")
        run(python, "-m", "pip", "install", "--quiet", f"{archive}{extra}", cwd=folder)
        run(python, "-m", "pip", "check", cwd=folder)
        run(python, "-c", "from icost import iCost; iCost()", cwd=folder)
        if extra:
            print(run(str(scripts / "icost"), "--version", cwd=folder))
    print(f"{archive.name}{extra} installs and works.")


def main(folder: str) -> None:
    """Check the one wheel and the one sdist in a folder."""
    dist = Path(folder).resolve()
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    check_wheel(wheel)
    check_sdist(sdist)
    try_install(wheel)
    try_install(sdist)
    try_install(wheel, "[all]")


if __name__ == "__main__":
    main(sys.argv[1])
