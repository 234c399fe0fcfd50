"""Dates in text: how a column writes them, and the seconds since 1970 that its cells stand for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost._core.arrays import Floats

YEAR_FIRST, DAY_FIRST, MONTH_FIRST = "year first", "day first", "month first"

_TIME = (
    r"(?:[T ]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?P<fraction>\.\d{1,9})?)?"
    r" ?(?P<half>[AaPp][Mm])?)?"
    r" ?(?P<zone>Z|UTC|[+-]\d{2}(?::?\d{2})?)?$"
)
_LARGE_FIRST = re.compile(r"(?P<year>\d{4})([-/.])(?P<a>\d{1,2})\2(?P<b>\d{1,2})" + _TIME)
_YEAR_LAST = re.compile(r"(?P<a>\d{1,2})([-/.])(?P<b>\d{1,2})\2(?P<year>\d{4})" + _TIME)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def find_date_style(texts: Sequence[str], day_first: bool | None, name: str) -> str | None:
    """Return how all texts write dates, or None where they are none.

    Years come first, as in 2024-01-31 and 2012/01/31, or last, where one date with a number above
    12 decides for the whole column. Dates that could be read either way are refused.
    """
    if not texts or not (_LARGE_FIRST.match(texts[0]) or _YEAR_LAST.match(texts[0])):
        return None
    forms: list[str] = [YEAR_FIRST]
    if not _LARGE_FIRST.match(texts[0]):
        orders = {True: [DAY_FIRST], False: [MONTH_FIRST], None: [DAY_FIRST, MONTH_FIRST]}
        # A dot stands between day and month, in this order, in all countries that write it.
        forms = [DAY_FIRST] if "." in texts[0][:3] else orders[day_first]
    fitting = [date_style for date_style in forms if not unreadable_dates(texts, date_style)]
    if len(fitting) == 2 and len(texts) > 1:
        raise ValueError(
            f"column {name!r} has dates such as {texts[0]!r}, which could start with the day or "
            "the month: say which with day_first=True or day_first=False (--day-first or "
            "--month-first)."
        )
    return fitting[0] if fitting else None


def unreadable_dates(texts: Sequence[str], date_style: str) -> str | None:
    """Return the first text that is no date in this style, or None."""
    return next((text for text in texts if _seconds(text, date_style) is None), None)


def seconds_of_dates(texts: Sequence[str], date_style: str) -> Floats:
    """Return seconds since 1970, in UTC, of dates that can be read; without a zone, it is UTC."""
    return np.array([_seconds(text, date_style) for text in texts], dtype=np.float64)


def _seconds(text: str, date_style: str) -> float | None:
    match = (_LARGE_FIRST if date_style == YEAR_FIRST else _YEAR_LAST).match(text)
    if match is None:
        return None
    first, second = int(match["a"]), int(match["b"])
    month, day = (second, first) if date_style == DAY_FIRST else (first, second)
    try:
        moment = datetime(
            *(int(match["year"]), month, day, _hour(match)),
            *(int(match["minute"] or 0), int(match["second"] or 0)),
            tzinfo=UTC,
        )
    except ValueError:  # the 30th of February
        return None
    whole = (moment - _EPOCH) // timedelta(seconds=1) - _offset(match["zone"])
    # As a fraction of whole nanoseconds, so that text and a column of times are equal to the bit.
    return whole + int((match["fraction"] or ".0")[1:].ljust(9, "0")) / 1e9


def _hour(match: re.Match[str]) -> int:
    hour, half = int(match["hour"] or 0), (match["half"] or "").lower()
    return hour % 12 + 12 * (half == "pm") if half and 1 <= hour <= 12 else hour


def _offset(zone: str | None) -> int:
    """Return how many seconds a zone is ahead of UTC."""
    if zone in (None, "Z", "UTC") or zone is None:
        return 0
    digits = zone[1:].replace(":", "").ljust(4, "0")
    seconds = 3600 * int(digits[:2]) + 60 * int(digits[2:])
    return -seconds if zone[0] == "-" else seconds


def date_parts(seconds: Floats) -> dict[str, Floats]:
    """Return the parts of times, in UTC, that classifiers learn from; gaps stay gaps."""
    gaps = np.isnan(seconds)
    moments = np.floor(np.where(gaps, 0.0, seconds)).astype(np.int64).astype("M8[s]")
    days = moments.astype("M8[D]")
    years, months = days.astype("M8[Y]"), days.astype("M8[M]")
    parts: dict[str, NDArray[Any]] = {
        "year": years.astype(np.int64) + 1970,
        "month": months.astype(np.int64) % 12 + 1,
        "day of year": (days - years).astype(np.int64) + 1,
        "weekday": (days.astype(np.int64) + 3) % 7,
        "hour": (moments - days).astype(np.int64) // 3600,
    }
    named = {
        name: np.where(gaps, np.nan, values.astype(np.float64)) for name, values in parts.items()
    }
    return {"seconds": seconds, **named}
