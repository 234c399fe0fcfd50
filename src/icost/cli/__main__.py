"""``python -m icost.cli``."""

from icost.cli import main

main()
