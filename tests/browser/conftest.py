"""Headless Chromium, driven by Playwright; a machine without it skips with one line."""

import shutil

import pytest

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def find_chromium():
    found = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    return next((path for path in found if path), None)


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    path = find_chromium()
    if path is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def open_page(browser):
    """Open a file; the page has lists ``problems`` and ``requests``."""
    opened = []

    def open_file(path, width=1200, scheme="light", figure="categories"):
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.problems, page.requests = [], []
        page.on("console", lambda message: page.problems.append(message.text))
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on("request", lambda request: page.requests.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector(f'[data-figure="{figure}"] .plot-container')
        opened.append(page)
        return page

    yield open_file
    for page in opened:
        page.close()
