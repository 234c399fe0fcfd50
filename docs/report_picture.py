"""Draw the README's picture anew: the report page of the demo, as Chromium shows it.

    python docs/report_picture.py

It writes ``docs/_static/report.png`` and, beside it, ``report.json`` with what the picture says:
the recommendation and the counts. A test compares them with today's output.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PICTURE = Path(__file__).parent / "_static" / "report.png"
RECORD = PICTURE.with_suffix(".json")
DATA = "yeast4"
WIDTH, HEIGHT = 1200, 1045
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def compare_strategies(page: Path) -> dict:
    """Run the demo's command, write its page, and return its findings."""
    command = [sys.executable, "-m", "icost", "compare", DATA, "--json", "--report", str(page)]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def describe(findings: dict) -> dict:
    """Return what the picture says: the recommendation and the counts, no other digits."""
    choice = findings["recommendation"]
    numbers = [round(float(number)) for number in re.findall(r"\d+(?:\.\d+)?", choice["sentence"])]
    found, _, _, _, false_alarms = numbers[:5]
    minority_rows = re.search(r"(\d+) minority rows", choice["expectation"])[1]
    return {
        "data": DATA,
        "rows": findings["n_rows"],
        "minority_rows": int(minority_rows),
        "strategies": len(findings["strategies"]),
        "classifier": choice["classifier"],
        "strategy": choice["strategy"],
        "sentence": choice["sentence"].partition(".")[0],
        "found_of_100": found,
        "false_alarms_per_100": false_alarms,
    }


def photograph(page: Path, picture: Path) -> None:
    """Save what Chromium shows of a page before anyone scrolls."""
    # The picture needs a browser; the test of its record does not.
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        tab.goto(page.as_uri())
        tab.wait_for_selector(".plot-container")
        tab.wait_for_timeout(1000)
        tab.screenshot(path=picture)
        browser.close()


def main() -> None:
    """Compare, take the picture and record what it says."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / f"{DATA}.html"
        findings = compare_strategies(page)
        photograph(page, PICTURE)
    RECORD.write_text(json.dumps(describe(findings), indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
