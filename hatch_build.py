"""Compile the kernel of the neighbour search, where there is a C compiler.

Without one, or if it fails, one line says so, and the package is pure Python: slower, with the same
results. The library is loaded through ctypes, so that one wheel serves every version of Python.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import sys_tags

FOLDER = Path("src", "icost", "neighbors")
ENDING = {"win32": "dll", "cygwin": "dll", "darwin": "dylib"}.get(sys.platform, "so")


class KernelBuildHook(BuildHookInterface):
    """Adds the compiled kernel to a wheel, or to the sources of an editable installation."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the files of the wheel are collected."""
        library = Path(self.root, FOLDER, f"_kernel.{ENDING}")
        problem = compile_kernel(Path(self.root, FOLDER, "kernel.c"), library)
        if problem:
            # What was compiled from older sources must not be taken for these.
            remove(library)
            self.app.display_warning(f"The neighbour search stays in pure Python: {problem}.")
            return
        build_data["artifacts"].append((FOLDER / library.name).as_posix())
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform_tag()}"

    def clean(self, versions: list[str]) -> None:
        """Remove what was compiled."""
        remove(Path(self.root, FOLDER, f"_kernel.{ENDING}"))


def compile_kernel(source: Path, library: Path) -> str | None:
    """Compile a shared library, and return what went wrong, if anything."""
    compiler = find_compiler()
    if compiler is None:
        return "no C compiler was found"
    # Compiled aside and moved, so that nobody loads half a library.
    unfinished = library.with_name(f"{library.name}.{os.getpid()}")
    command = [*compiler, *shlex.split(os.environ.get("CFLAGS", "")), *flags()]
    command += ["-o", str(unfinished), str(source), *libraries()]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "error" in line]
            return f"{compiler[0]} failed, {(lines or ['without a word'])[0].strip()}"
        os.replace(unfinished, library)
    except OSError as error:
        return f"{compiler[0]} failed, {error}"
    finally:
        remove(unfinished)
    return None


def remove(path: Path) -> None:
    """Remove a file, if it is there and nobody uses it."""
    with suppress(OSError):
        path.unlink()


def find_compiler() -> list[str] | None:
    """Return the command of a compiler that takes gcc's options: Python's own, or a usual one."""
    named = [os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc", "gcc", "clang"]
    commands = (shlex.split(name) for name in named if name)
    return next((command for command in commands if command and shutil.which(command[0])), None)


def flags() -> list[str]:
    """Return the options; they come last, and so win over the user's."""
    # The proofs in kernel.c need the arithmetic of IEEE 754, infinities included.
    common = ["-std=gnu11", "-O3", "-fno-fast-math", "-shared"]
    return common if os.name == "nt" else [*common, "-fPIC"]


def libraries() -> list[str]:
    """Return the libraries to link with."""
    return [] if os.name == "nt" else ["-lm"]


def platform_tag() -> str:
    """Return the tag of this platform; what "manylinux" promises, nobody has checked."""
    tags = (tag.platform for tag in sys_tags())
    return next(tag for tag in tags if not tag.startswith(("manylinux", "musllinux")))
