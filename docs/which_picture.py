"""Draw the decision tree of "Which do I take?", for wide and for narrow screens.

    python docs/which_picture.py

It writes ``docs/_static/which.svg`` and ``docs/_static/which-narrow.svg``.
"""

from html import escape
from pathlib import Path

FOLDER = Path(__file__).parent / "_static"

# Question, what to take if the answer is yes, and why.
TREE = (
    (
        ("Only a table, and the class", "you care about?"),
        "icost fit table.csv · iCostAuto()",
        "compares, then keeps the best model",
    ),
    (
        ("Is the decision given: a recall floor,", "an alert budget, costs of errors?"),
        "ThresholdClassifier(clf, rule)",
        "a cut with a certificate; costs per row",
    ),
    (
        ("Probabilities only, no decision?",),
        "the plain classifier",
        "better calibrated than anything weighted",
    ),
    (("More than two classes?",), "ThresholdClassifier(clf)", "a tuned offset per class"),
    (
        ("Good probabilities and decisions,", "and prediction may take longer?"),
        'iCostEnsemble("blend")',
        "four classifiers, calibrated and averaged",
    ),
    (
        ("A tree, a forest or a booster?",),
        "iCostEnsemble(clf)",
        "members, calibration, a steady threshold",
    ),
    (
        ("No threshold can be moved,", "or weights are wanted?"),
        "iCost(clf)",
        "instance weights, the paper's method",
    ),
)
LAST = ("ThresholdClassifier(clf)", "a tuned threshold, for all other classifiers")

INK, GRAY, BLUE, ORANGE = "#1d2a36", "#4a5866", "#0072B2", "#E69F00"
HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" \
font-family="system-ui, sans-serif" role="img" \
aria-label="Questions from top to bottom; the first yes names what to take.">
<rect width="100%" height="100%" fill="#ffffff"/>
<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" \
orient="auto"><path d="M0 0L8 4L0 8z" fill="#4a5866"/></marker></defs>"""


def text(x: float, y: float, words: str, size: int, style: str = f'fill="{INK}"') -> str:
    """Return a line of text, centred at x."""
    place = f'x="{x:g}" y="{y:g}" text-anchor="middle" font-size="{size}"'
    return f"<text {place} {style}>{escape(words)}</text>"


def box(x: float, y: float, width: float, height: float, fill: str, stroke: str) -> str:
    """Return a rounded box."""
    place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
    return f'<rect {place} rx="8" fill="{fill}" stroke="{stroke}" stroke-width="1.5"/>'


def arrow(path: str, x: float, y: float, label: str) -> str:
    """Return an arrow with its answer beside it."""
    line = f'<path d="{path}" stroke="{GRAY}" stroke-width="1.5" marker-end="url(#a)" fill="none"/>'
    return line + text(x, y, label, 15, f'fill="{GRAY}"')


def question(x: float, y: float, width: float, lines: tuple[str, ...], size: int) -> str:
    """Return a question of one or two lines in a box 60 high."""
    first = y + 36 - 11 * (len(lines) - 1)
    written = [text(x + width / 2, first + 22 * i, line, size) for i, line in enumerate(lines)]
    return box(x, y, width, 60, "#eef3f8", BLUE) + "".join(written)


def answer(x: float, y: float, width: float, code: str, reason: str) -> str:
    """Return what to take in a box 60 high."""
    style = f'font-weight="600" font-family="ui-monospace, monospace" fill="{INK}"'
    middle = x + width / 2
    written = text(middle, y + 25, code, 16, style) + text(middle, y + 48, reason, 15)
    return box(x, y, width, 60, "#fff6e5", ORANGE) + written


def draw_wide() -> str:
    """Return the tree with answers to the right of the questions."""
    parts, y = [], 10
    for lines, code, reason in TREE:
        parts.append(question(10, y, 350, lines, 17))
        parts.append(arrow(f"M360 {y + 30}H448", 404, y + 22, "yes"))
        parts.append(answer(450, y, 440, code, reason))
        parts.append(arrow(f"M185 {y + 60}V{y + 84}", 205, y + 78, "no"))
        y += 86
    parts.append(answer(10, y, 350, *LAST))
    return "\n".join([HEAD.format(width=900, height=y + 70), *parts, "</svg>\n"])


def draw_narrow() -> str:
    """Return the tree with answers below the questions."""
    parts, y = [], 10
    for lines, code, reason in TREE:
        parts.append(question(5, y, 380, lines, 17))
        parts.append(arrow(f"M220 {y + 60}V{y + 82}", 242, y + 77, "yes"))
        parts.append(answer(45, y + 84, 340, code, reason))
        parts.append(arrow(f"M22 {y + 60}V{y + 166}", 38, y + 158, "no"))
        y += 168
    parts.append(answer(5, y, 380, *LAST))
    return "\n".join([HEAD.format(width=390, height=y + 70), *parts, "</svg>\n"])


PICTURES = {"which.svg": draw_wide, "which-narrow.svg": draw_narrow}

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (FOLDER / name).write_text(draw(), "utf-8")
