"""`show_versions`: what a report about an error or about a time should say of the machine."""

from __future__ import annotations

import platform
import re
import sys
from importlib import metadata
from pathlib import Path

from icost import __version__
from icost.neighbors import kernel
from icost.neighbors.counts import threads_for

__all__ = ["show_versions"]

PACKAGE = "icost-learn"
"""The name under which the package is installed."""

CORE = ("numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl")
"""What is always needed, directly or by scikit-learn."""


def show_versions() -> None:
    """Print the versions of Python and packages, and how the neighbour search runs here.

    For reports of errors and of times. Of the optional packages only those are listed that are
    installed. The last lines say how many threads a search takes by default, and which variant of
    the compiled kernel it uses, or why none; `icost.iCost` gives the same weights in any case.

    See Also
    --------
    sklearn.show_versions : What scikit-learn says of its own libraries.

    Examples
    --------
    >>> import icost
    >>> icost.show_versions()  # doctest: +ELLIPSIS, +NORMALIZE_WHITESPACE
    System:
        python: ...
        platform: ...
        processor: ...
    Packages:
        icost-learn: ...
        numpy: ...
    Neighbour search:
        threads: ...
        kernel: ...
    """
    for title, entries in version_facts().items():
        print(f"{title}:")
        for name, value in entries.items():
            print(f"    {name}: {value}")


def version_facts() -> dict[str, dict[str, str]]:
    """Return what `show_versions` prints, section by section."""
    return {
        "System": {
            "python": sys.version.replace("\n", " "),
            "platform": platform.platform(),
            "processor": processor_name(),
        },
        "Packages": _packages(),
        "Neighbour search": {"threads": str(threads_for(None)), "kernel": _kernel()},
    }


def processor_name() -> str:
    """Return the name of the processor, as far as the system tells."""
    try:
        # Python knows the name on some systems only; Linux has it in a file.
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        found = re.search(r"^model name\s*:\s*(.+)$", text, re.M)
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor() or platform.machine()


def _packages() -> dict[str, str]:
    names = dict.fromkeys((*CORE, *_optional()))
    return {PACKAGE: __version__, **{n: v for n in names if (v := _version(n)) is not None}}


def _optional() -> list[str]:
    """Return the packages that the extras name; none if the package itself is not installed."""
    try:
        requirements = metadata.requires(PACKAGE) or []
    except metadata.PackageNotFoundError:
        return []
    names = (re.split(r"[^\w.-]", requirement, maxsplit=1)[0] for requirement in requirements)
    return sorted({name for name in names if name not in (PACKAGE, *CORE)})


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _kernel() -> str:
    """Say which variant is used, of which, or why none."""
    try:
        name, reason = kernel.variant()
    except ValueError as error:
        # A wrong ICOST_KERNEL is just what somebody may be looking for.
        return f"none, since {error}"
    if reason is not None:
        return f"{name}, since {'it is ' if not reason.startswith('ICOST') else ''}{reason}"
    return f"{name}, of {', '.join(kernel.present_variants())}"
