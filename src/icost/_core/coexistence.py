"""Notice the package ``icost`` of the paper's authors, which installs into the same folder."""

from __future__ import annotations

import warnings
from pathlib import Path
from types import ModuleType

OTHER_FILE = "icost.py"
"""A module that all versions of the authors' package have and this package never has."""

ADVICE = (
    "The package 'icost' is installed in the folder of 'icost-learn', and their files mix: run "
    "'pip uninstall icost' and then 'pip install --force-reinstall --no-deps icost-learn'."
)


def warn_of_other_package(folder: Path) -> None:
    """Warn if files of the authors' package are in the folder of this one."""
    # Uninstalling either package then removes files of the other.
    if (folder / OTHER_FILE).exists():
        warnings.warn(ADVICE, stacklevel=3)


def is_replaced(package: ModuleType) -> bool:
    """Return whether what is imported as ``icost`` is the authors' package."""
    return not hasattr(package, "_PACKAGES")
