"""The command line: ``icost analyze``, ``compare``, ``fit``, ``predict`` and more.

Every command is a thin shell over a function of the library, one command a file. It needs
``pip install "icost-learn[cli]"``.
"""

from __future__ import annotations

import gc
import signal
import sys

import icost
from icost._core.coexistence import ADVICE, is_replaced


def main() -> None:
    """Run the command line and exit with its code.

    0 is success, 1 a problem with the data or a file, 2 a command that was not understood, 3 an
    error of the program itself, 4 a broken promise, 130 an interruption.
    """
    if is_replaced(icost):
        print(f"icost: {ADVICE}", file=sys.stderr)
        raise SystemExit(1)
    # Objects of libraries and cells of tables are no garbage: to look for some among them ten times
    # as often takes a quarter of a short command, much of it at the end.
    gc.set_threshold(10_000)
    try:
        from icost.cli._app import run
    except ImportError as error:
        name = (error.name or "a package").partition(".")[0]
        print(
            f'icost: The command line needs {name}: pip install "icost-learn[cli]"', file=sys.stderr
        )
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        print("icost: interrupted; nothing is half-written.", file=sys.stderr)
        raise SystemExit(130) from None
    # Processes of a comparison are ended on the way out, and complain if there is none.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    code = run()
    gc.freeze()
    raise SystemExit(code)
