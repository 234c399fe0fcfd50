"""Install the wheel with one extra at a time and import every public module.

A module that needs another extra must say so in one sentence. Usage: ``python .ci/check_extras.py
dist``. Called by ``make dist``.
"""

import os
import shutil
import sys
import tempfile
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

from check_dist import find_wheel, run

EXTRA_OF = {"comparison": "data", "dask": "dask", "modelfile": "models", "report": "report"}
"""Modules of which a name needs an extra; all others can be imported without any."""

USES = {
    "": "from icost import iCostEnsemble; iCostEnsemble(n_splits=2).fit(X, y)",
    "data": "from icost.comparison import compare; compare(X, y, strategies=['ncs', 'smote'])",
    "plots": "from icost.plots import ComplexityDisplay; ComplexityDisplay.from_data(X, y).plot()",
    "report": "from icost.report import analyze, write_page; write_page('p.html', analyze(X, y))",
    "models": "from icost.modelfile import *; save_model(fit_model(X, y), 'm'); load_model('m')",
    "tuning": "from icost import iCostCV; iCostCV(search='tpe', n_candidates=2).fit(X, y)",
}
"""What else must work with an extra; the first is for none."""

MOST_FOR_COMMANDS = 30
"""Packages that the extra of the command line may install, icost-learn among them."""

PROBE = """
import sys
from importlib import import_module

import icost

extra, extra_of = sys.argv[1], {extra_of!r}
for name in sorted({{*icost._PACKAGES, "cli"}}):
    try:
        module = import_module(f"icost.{{name}}")
        for public in getattr(module, "__all__", ()):
            getattr(module, public)
    except ImportError as error:
        is_explained = 'pip install "icost-learn[' in str(error)
        if not is_explained or extra_of.get(name, extra) == extra:
            sys.exit(f"icost.{{name}} cannot be imported: {{type(error).__name__}}: {{error}}")
"""

TABLE = """
from sklearn.datasets import make_classification
X, y = make_classification(200, weights=[0.8], random_state=0)
"""


def extras_of(wheel: Path) -> list[str]:
    """Return the extras of a wheel but for the one that names all others."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode())
    return [extra for extra in metadata.get_all("Provides-Extra", []) if extra != "all"]


def python_of(environment: Path) -> str:
    """Return the interpreter of an environment."""
    return str(environment / ("Scripts" if os.name == "nt" else "bin") / "python")


def install(environment: Path, requirement: str) -> None:
    """Install into an environment that has no pip, so that nothing else is in it."""
    pip = (sys.executable, "-m", "pip", "--python", python_of(environment))
    run(*pip, "install", "--quiet", "--no-compile", requirement, cwd=str(environment))


def check_extra(base: Path, wheel: Path, extra: str) -> None:
    """Install one extra on top of the core, import all modules and use what it brings."""
    environment = base.with_name(extra)
    # Hard links: the core is unpacked once for all extras.
    shutil.copytree(base, environment, symlinks=True, copy_function=os.link)
    install(environment, f"{wheel}[{extra}]")
    try_environment(environment, extra)
    if extra == "cli":
        check_commands(environment)
    shutil.rmtree(environment)
    print(f"[{extra}] installs, and every public module can be imported or says what it needs.")


def try_environment(environment: Path, extra: str) -> None:
    """Import all modules, then use what the extra brings."""
    python, folder = python_of(environment), str(environment)
    run(python, "-c", PROBE.format(extra_of=EXTRA_OF), extra, cwd=folder)
    if extra in USES:
        run(python, "-c", TABLE + USES[extra], cwd=folder)


def check_commands(environment: Path) -> None:
    """Run the four commands of every day, and count what was installed for them."""
    python, folder = python_of(environment), str(environment)
    names = "from importlib.metadata import *; print(*(d.name for d in distributions()))"
    installed = run(python, "-c", names, cwd=folder).split()
    if len(installed) > MOST_FOR_COMMANDS or "xgboost" in installed:
        sys.exit(f"[cli] may install {MOST_FOR_COMMANDS} packages without XGBoost: {installed}.")
    icost = (python, "-m", "icost")
    run(*icost, "analyze", "glass2", "--report", "analysis.html", cwd=folder)
    run(*icost, "compare", "glass2", "--repeats", "1", "--report", "page.html", cwd=folder)
    run(*icost, "fit", "glass2", "-o", "model.skops", cwd=folder)
    rows = "from icost.datasets import load_dataset; load_dataset('glass2').data.to_csv('new.csv')"
    run(python, "-c", rows, cwd=folder)
    run(*icost, "predict", "model.skops", "new.csv", cwd=folder)
    print(f"[cli] installs {len(installed)} packages, and its commands work with them alone.")


def main(folder: str) -> None:
    """Check the wheel of the library for this system in a folder."""
    wheel = find_wheel(Path(folder).resolve())
    with tempfile.TemporaryDirectory() as temporary:
        base = Path(temporary) / "core"
        venv.create(base)
        install(base, str(wheel))
        try_environment(base, "")
        for extra in extras_of(wheel):
            check_extra(base, wheel, extra)


if __name__ == "__main__":
    main(sys.argv[1])
