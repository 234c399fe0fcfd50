"""What tests and examples in docstrings share."""

import sys

import pytest


@pytest.fixture(autouse=True)
def closed_figures():
    """Close what a test has drawn: pyplot warns from the 21st open figure on."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
