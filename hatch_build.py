"""Compile the kernel of the neighbour search, where there is a C compiler.

Without one, or if it fails, one line says so, and the package is pure Python: slower, with the same
results. ICOST_WITHOUT_KERNEL=1 asks for that, for the wheel that any other system falls back to.
The library is loaded through ctypes, so that one wheel per system serves every version of Python.
"""

from __future__ import annotations

import os
import platform
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

FOLDER = Path("src", "icost", "_neighbors")
ENDING = {"win32": "dll", "cygwin": "dll", "darwin": "dylib"}.get(sys.platform, "so")
OLDEST_MACOS = {"arm64": "11.0", "x86_64": "10.13"}
"""The oldest macOS that a wheel is for, unless MACOSX_DEPLOYMENT_TARGET names another."""


class KernelBuildHook(BuildHookInterface):
    """Adds the compiled kernel to a wheel, or to the sources of an editable installation."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the files of the wheel are collected."""
        if os.environ.get("ICOST_WITHOUT_KERNEL", "0") != "0":
            return
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
    if os.name == "nt":
        # Users have no compiler, and so none of its libraries.
        return [*common, "-static-libgcc"]
    if sys.platform == "darwin":
        return [*common, "-fPIC", f"-mmacosx-version-min={macos_target(platform.machine())}"]
    return [*common, "-fPIC"]


def libraries() -> list[str]:
    """Return the libraries to link with."""
    return [] if os.name == "nt" else ["-lm"]


def platform_tag(system: str = sys.platform, machine: str = "") -> str:
    """Return the tag of this platform; on Linux auditwheel replaces it by what it has checked."""
    if system == "darwin":
        # The system that builds is newer than the oldest that the library was compiled for.
        machine = machine or platform.machine()
        major, minor = macos_target(machine).split(".")[:2]
        return f"macosx_{major}_{minor if int(major) < 11 else 0}_{machine}"
    tags = (tag.platform for tag in sys_tags())
    return next(tag for tag in tags if not tag.startswith(("manylinux", "musllinux")))


def macos_target(machine: str) -> str:
    """Return the oldest macOS on which the library must load, such as "11.0"."""
    named = os.environ.get("MACOSX_DEPLOYMENT_TARGET")
    target = named or OLDEST_MACOS.get(machine, OLDEST_MACOS["arm64"])
    return target if "." in target else f"{target}.0"
