"""The directive ``icost-command`` runs the command line tool and shows what it printed.

It takes the tool's arguments; ``:lines:`` keeps only the first so many lines. What is shown is
therefore what this version prints.
"""

import os
import shlex
import subprocess
import sys

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

WIDTH = "96"


def run(arguments: str) -> str:
    """Return what the tool prints; an error of the tool is an error of the build."""
    environment = os.environ | {"COLUMNS": WIDTH, "NO_COLOR": "1", "TERM": "dumb"}
    command = [sys.executable, "-m", "icost", *shlex.split(arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"icost {arguments} failed: {done.stderr}")
    return done.stdout.rstrip()


class IcostCommand(SphinxDirective):
    """A command and its output."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {"lines": directives.positive_int}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        """Show the command as a prompt, and what it printed below."""
        (arguments,) = self.arguments
        lines = run(arguments).splitlines()
        limit = self.options.get("lines", len(lines))
        shown = lines[:limit] + (["..."] if limit < len(lines) else [])
        text = "\n".join([f"$ icost {arguments}", *shown])
        return [nodes.literal_block(text, text, language="console")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("icost-command", IcostCommand)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
