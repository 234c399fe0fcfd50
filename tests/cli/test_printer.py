import io

import pytest
from rich.console import Console
from rich.live import Live

from icost.cli._predict import harmless
from icost.cli._printer import Printer, duration


@pytest.fixture
def started(monkeypatch):
    """Displays that were started; bars and spinners both are live ones."""
    displays = []
    monkeypatch.setenv("ICOST_QUIET", "")  # restored afterwards, whatever a printer sets
    monkeypatch.setattr(Live, "start", lambda self, refresh=False: displays.append(self))
    return displays


def show(printer):
    with printer.steps("reading") as step, printer.bar("comparing") as progress:
        step("fitting")
        progress(1, 2)


def test_no_display_is_started_where_nobody_watches(started):
    show(Printer())
    assert started == []


@pytest.mark.parametrize(("quiet", "n_displays"), [(False, 2), (True, 0)])
def test_a_terminal_has_displays_unless_quiet(started, monkeypatch, quiet, n_displays):
    monkeypatch.setattr(Console, "is_terminal", True)
    show(Printer(quiet=quiet))
    assert len(started) == n_displays


def test_the_bar_counts_down_to_the_end_that_it_is_told(monkeypatch):
    monkeypatch.setattr(Console, "is_terminal", True)
    printer = Printer()
    printer._err = Console(file=io.StringIO(), force_terminal=True, width=120)
    with printer.bar("comparing") as show:
        show(3, 9, left=3700.0, note="best so far: [b]CS")
    text = printer._err.file.getvalue()
    assert "3/9" in text and "1:01:40" in text and "best so far: [b]CS" in text


def test_a_time_is_as_rough_as_an_estimate():
    words = [duration(seconds) for seconds in (0.4, 38.0, 110.0, 5000.0, 90_000.0)]
    assert words == ["a second", "40 seconds", "2 minutes", "85 minutes", "25 hours"]
    words = [duration(seconds) for seconds in (1.5, 9.9, 94.9, 95.0, 119 * 60 - 1, 119 * 60)]
    assert words == ["2 seconds", "10 seconds", "95 seconds", "2 minutes", "120 minutes", "2 hours"]


def test_a_label_that_a_spreadsheet_would_run_gets_an_apostrophe():
    cells = [harmless(value) for value in ("=HYPERLINK(A1)", "ill", -1, "\tx")]
    assert cells == ["'=HYPERLINK(A1)", "ill", -1, "'\tx"]
