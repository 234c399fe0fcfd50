"""Colours that stand side by side in a picture differ for everybody."""

import re
import runpy
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from icost.plots._drawing import CATEGORY_COLORS, LINE_COLORS, MAJORITY_COLOR

ROOT = Path(__file__).parents[2]
STYLE = ROOT / "docs" / "_ext" / "gallery_style.py"

#: What a deuteranope sees of linear red, green and blue (Machado, Oliveira and Fernandes, 2009).
DEUTERANOPIA = np.array(
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
)
EVERYBODY = np.eye(3)
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
LEAST_DISTANCE = 15
"""Distances of CIELAB; two is what can just be seen side by side."""


def linear(color):
    share = np.array([int(color[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def cielab(light):
    xyz = TO_XYZ @ np.clip(light, 0, 1) / [0.95047, 1, 1.08883]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def least_distance(colors, seen_by=EVERYBODY):
    places = [cielab(seen_by @ linear(color)) for color in colors]
    return min(np.linalg.norm(one - other) for one, other in combinations(places, 2))


PALETTES = {"categories": [*CATEGORY_COLORS.values(), MAJORITY_COLOR], "lines": LINE_COLORS}
if STYLE.is_file():
    PALETTES["gallery"] = runpy.run_path(str(STYLE))["COLORS"]


@pytest.mark.parametrize("name", PALETTES)
@pytest.mark.parametrize("seen_by", [EVERYBODY, DEUTERANOPIA], ids=["everybody", "deuteranopes"])
def test_colors_of_a_picture_differ(name, seen_by):
    assert least_distance(PALETTES[name], seen_by) >= LEAST_DISTANCE


def test_the_distance_finds_colors_that_a_deuteranope_confuses():
    # Two categories of an earlier version.
    pair = ["#b7791f", "#e0662f"]
    assert least_distance(pair) > 25 and least_distance(pair, DEUTERANOPIA) < 4


def test_the_page_has_the_colors_of_the_pictures():
    import icost.report

    css = (Path(icost.report.__file__).parent / "templates" / "theme.css").read_text("utf-8")
    named = dict(re.findall(r"--(pure|safe|mixed|border|outlier): (#\w{6})", css))
    assert named == dict(CATEGORY_COLORS)
