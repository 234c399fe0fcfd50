"""Check the wheels and sdists of both projects: what is inside, and that they install and work.

Usage: ``python .ci/check_dist.py dist``. Called by ``make wheels`` and ``make dist``.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = {
    "icost_learn": ROOT / "src" / "icost",
    "icost_reproduction": ROOT / "reproduction" / "src" / "icost_reproduction",
}
"""The package of each distribution, by the start of its files' names."""

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

COMPILED = "icost/_neighbors/_kernel."
"""How the compiled kernel's path starts, in wheels for one system."""

KERNEL_TESTS = Path("tests", "neighbors")
"""The folder of ``test_kernel.py``, which must pass where a wheel with the kernel is installed."""


def is_compiled(name: str) -> bool:
    """Return whether a path in a wheel is the compiled kernel."""
    return name.startswith(COMPILED)


def package_files(package: Path) -> set[str]:
    """Return the sources of a package, as paths in a wheel."""
    files = (path for path in package.rglob("*") if path.is_file())
    names = {
        path.relative_to(package.parent).as_posix()
        for path in files
        if "__pycache__" not in path.parts
    }
    return {name for name in names if not is_compiled(name)}


def check_names(archive: str, names: set[str], expected: set[str]) -> None:
    """Stop with one sentence when files are missing or should not be there."""
    if names != expected:
        missing, strange = sorted(expected - names), sorted(names - expected)
        sys.exit(f"{archive} must have the package alone; missing: {missing}, extra: {strange}.")


def check_wheel(path: Path, package: Path) -> None:
    """Check that a wheel has the package and its metadata, and a kernel only if its tag says so."""
    with zipfile.ZipFile(path) as wheel:
        names = {name for name in wheel.namelist() if not name.endswith("/")}
    names = {name for name in names if not name.split("/")[0].endswith(".dist-info")}
    compiled = {name for name in names if is_compiled(name)}
    check_names(path.name, names - compiled, package_files(package))
    if len(compiled) != (not is_pure(path)):
        sys.exit(f"{path.name} must have a kernel if it is for one system only, got {compiled}.")
    if "-linux_" in path.name:
        sys.exit(f"{path.name} has a tag that PyPI refuses: repair it with auditwheel.")


def is_pure(wheel: Path) -> bool:
    """Return whether a wheel is for all systems."""
    return wheel.name.endswith("-none-any.whl")


def check_sdist(path: Path, package: Path) -> None:
    """Check that an sdist has the package, its metadata and what builds it."""
    with tarfile.open(path) as sdist:
        names = {member.name.split("/", 1)[1] for member in sdist.getmembers() if member.isfile()}
    # No kernel: every machine compiles its own.
    expected = {f"src/{name}" for name in package_files(package)}
    check_names(path.name, names - SDIST_EXTRA, expected)


def run(*command: str, cwd: str, **variables: str) -> str:
    """Run a command away from the sources, so that only what is installed can be imported."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    environment |= variables
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def make_environment(folder: str) -> Path:
    """Make an environment with nothing but pip, and return the folder of its programs."""
    venv.create(Path(folder) / "venv", with_pip=True)
    return Path(folder) / "venv" / ("Scripts" if os.name == "nt" else "bin")


def try_install(archive: Path, extra: str = "", reproduction: Path | None = None) -> None:
    """Install archives in an empty environment and use them; with the extra, run the command."""
    archives = [f"{archive}{extra}", *([str(reproduction)] if reproduction else [])]
    with tempfile.TemporaryDirectory() as folder:
        scripts = make_environment(folder)
        python = str(scripts / "python")
        run(python, "-m", "pip", "install", "--quiet", *archives, cwd=folder)
        run(python, "-m", "pip", "check", cwd=folder)
        run(python, "-c", "from icost import iCost; iCost()", cwd=folder)
        if extra:
            print(run(str(scripts / "icost"), "--version", cwd=folder))
        if reproduction:
            run(str(scripts / "icost"), "reproduce", "datasets", cwd=folder)
    print(f"{' and '.join(Path(name).name for name in archives)}: installed and work.")


def try_without_compiler(wheel: Path) -> None:
    """Install a wheel where no compiler is on the path, and run the kernel's tests on it."""
    with tempfile.TemporaryDirectory() as folder:
        scripts = make_environment(folder)
        python, alone = str(scripts / "python"), {"PATH": str(scripts), "CC": ""}
        install = ("-m", "pip", "install", "--quiet", "--only-binary", ":all:")
        run(python, *install, str(wheel), *test_requirements(), cwd=folder, **alone)
        versions = run(python, "-c", "import icost; icost.show_versions()", cwd=folder, **alone)
        kernel = versions.rpartition("kernel: ")[2].splitlines()[0]
        if kernel.startswith("off") != is_pure(wheel):
            sys.exit(f"{wheel.name} must have a kernel unless it is pure, got {kernel!r}.")
        summary = "" if is_pure(wheel) else run_kernel_tests(python, folder, alone)
    print(f"{wheel.name} without a compiler: kernel {kernel}; {summary or 'no test of it'}.")


def run_kernel_tests(python: str, folder: str, variables: dict[str, str]) -> str:
    """Run the tests of the kernel that is installed, and return the last line of what they say."""
    # A copy, so that the tests cannot import the package from the sources.
    shutil.copytree(ROOT / KERNEL_TESTS, Path(folder) / KERNEL_TESTS)
    tests = str(KERNEL_TESTS / "test_kernel.py")
    return run(python, "-m", "pytest", "-q", tests, cwd=folder, **variables).splitlines()[-1]


def test_requirements() -> list[str]:
    """Return what the kernel's tests need besides the package."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    return [name for name in groups["test"] if name.startswith(("pytest>", "hypothesis"))]


def find_wheel(dist: Path) -> Path:
    """Return the wheel of the library for this system, or the pure one if there is no other."""
    return sorted(dist.glob("icost_learn-*.whl"), key=is_pure)[0]


def main(folder: str) -> None:
    """Check all wheels and the one sdist of each project in a folder."""
    dist, sdists = Path(folder).resolve(), {}
    for name, package in PACKAGES.items():
        for wheel in dist.glob(f"{name}-*.whl"):
            check_wheel(wheel, package)
        (sdists[name],) = dist.glob(f"{name}-*.tar.gz")
        check_sdist(sdists[name], package)
    for wheel in dist.glob("icost_learn-*.whl"):
        try_without_compiler(wheel)
    wheel, (reproduction,) = find_wheel(dist), dist.glob("icost_reproduction-*.whl")
    try_install(sdists["icost_learn"])
    try_install(wheel, "[all]")
    try_install(wheel, "[cli]", reproduction)
    try_install(wheel, "[cli]", sdists["icost_reproduction"])


if __name__ == "__main__":
    main(sys.argv[1])
