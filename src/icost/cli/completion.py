"""``icost completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> None:
    """Print the script that completes commands, options and datasets in SHELL.

    Example: icost completion bash >> ~/.bashrc
    """
    group = context.find_root().command
    complete = get_completion_class(shell)
    assert complete is not None
    click.echo(complete(group, {}, "icost", "_ICOST_COMPLETE").source())
