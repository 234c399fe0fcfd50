"""``python -m icost`` is the command ``icost``."""

from icost.cli import main

main()
