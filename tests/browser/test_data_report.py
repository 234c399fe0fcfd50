"""The report page as a reader meets it."""

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.browser

SCRIPT = "<script>window.hacked=1</script>"
IMAGE = '"><img src=x onerror="window.hacked=1">'
LINK = '<a href="javascript:window.hacked=1">x</a>'


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    from icost.comparison import compare
    from icost.datasets import load_dataset
    from icost.report import analyze, write_page

    X, y = load_dataset("glass2", return_X_y=True)
    # Wrong labels, for there is to be something to see: rows of which no neighbour is positive.
    y = y.copy()
    y.iloc[[100, 110, 120, 130, 190, 205]] = "positive"
    comparison = compare(X, y, n_repeats=1, n_splits=3)
    path = tmp_path_factory.mktemp("page") / "glass2.html"
    command = "icost compare glass2 --strategy ncs --strategy threshold --report glass2.html"
    write_page(path, analyze(X, y, name="glass2"), comparison, command=command)
    return path


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    from icost.report import analyze, write_page

    rng = np.random.default_rng(0)
    cells = rng.choice([SCRIPT, IMAGE, LINK, "</script>", "%{x}", "{{ 7*7 }}"], 60)
    X = pd.DataFrame({SCRIPT: rng.normal(size=60), IMAGE: cells, "__proto__": rng.normal(size=60)})
    y = pd.Series(np.where(np.arange(60) < 45, "</script>" + SCRIPT, IMAGE), name=LINK)
    path = tmp_path_factory.mktemp("page") / "hostile.html"
    write_page(path, analyze(X, y, name=SCRIPT + IMAGE), command=IMAGE)
    return path


def visible_rows(page):
    return page.locator("#hardest tbody tr:visible")


def column(page, number):
    cells = visible_rows(page).locator(f"td:nth-child({number})")
    return [text.strip() for text in cells.all_inner_texts()]


def hover_a_point(page):
    point = page.locator('[data-figure="map"] .scatterlayer .trace:last-child .point').first
    point.scroll_into_view_if_needed()
    box = point.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def row_number(page):
    return int(page.inner_text("#row-card strong").split(":")[0].removeprefix("Row "))


def test_it_opens_offline_without_a_complaint(open_page, report):
    page = open_page(report)
    page.wait_for_timeout(300)
    assert page.problems == []
    assert page.requests == [report.as_uri()]


def test_every_figure_is_drawn(open_page, report):
    page = open_page(report)
    figures = page.locator("[data-figure]")
    assert figures.count() == 9
    for number in range(figures.count()):
        assert figures.nth(number).locator(".main-svg").count() > 0
    # All 214 rows are on the map.
    assert page.locator('[data-figure="map"] .scatterlayer .point').count() == 214


def test_hovering_shows_the_row(open_page, report):
    page = open_page(report)
    hover_a_point(page)
    page.wait_for_selector("#row-card dl")
    number = row_number(page)
    label = page.locator('[data-figure="map"] .hovertext').text_content()
    assert f"row {number}: " in label
    # The card has the row's own values: those of the table, in its order.
    from icost.datasets import load_dataset

    X, _ = load_dataset("glass2", return_X_y=True)
    shown = [float(text) for text in page.locator("#row-card dd").all_inner_texts()]
    assert shown == pytest.approx(X.iloc[number - 1].tolist())


def test_the_map_can_be_coloured_by_class(open_page, report):
    page = open_page(report)
    button = page.get_by_role("button", name="class", exact=True)
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    legend = page.locator('[data-figure="map"] .legendtext').all_text_contents()
    assert legend == ["negative", "positive"]
    hover_a_point(page)
    page.wait_for_selector("#row-card dl")
    label = page.locator('[data-figure="map"] .hovertext').text_content()
    assert f"row {row_number(page)}" in label
    assert page.problems == []


def test_the_table_sorts_by_numbers_not_letters(open_page, report):
    page = open_page(report)
    page.locator("#hardest thead button").first.click()
    rows = [int(text) for text in column(page, 1)]
    # The 17 positive rows, and the 5 negative ones that are called so here.
    assert rows == sorted(rows) and len(rows) == 22
    page.locator("#hardest thead button").first.click()
    assert [int(text) for text in column(page, 1)] == rows[::-1]
    assert page.locator("#hardest th").first.get_attribute("aria-sort") == "descending"


def test_labels_to_check_come_with_what_they_should_be(open_page, report):
    page = open_page(report)
    rows = page.locator("#labels tbody tr")
    assert rows.count() >= 1
    assert rows.first.locator("td:nth-child(3)").inner_text() in {"negative", "positive"}
    scores = [float(text) for text in page.locator("#labels td:nth-child(4)").all_inner_texts()]
    assert scores == sorted(scores)


def test_without_hover_no_toolbar_lies_on_a_figure(browser, report):
    phone = browser.new_context(
        viewport={"width": 390, "height": 800}, is_mobile=True, has_touch=True
    )
    page = phone.new_page()
    page.goto(report.as_uri())
    page.wait_for_selector('[data-figure="categories"] .plot-container')
    assert page.locator(".modebar-btn").count() == 0
    page.tap('[data-figure="categories"]')
    assert page.locator(".modebar-btn").count() == 0
    phone.close()


def test_the_table_filters(open_page, report):
    page = open_page(report)
    page.select_option("#filter-category", "outlier")
    assert set(column(page, 3)) == {"outlier"}
    assert page.inner_text("#filter-count") == f"{len(column(page, 3))} rows"
    page.check("#filter-suspects")
    assert set(column(page, 7)) == {"suspect"}
    page.fill("#filter-text", "no such text")
    assert visible_rows(page).count() == 0
    assert page.inner_text("#filter-count") == "0 rows"


def test_all_of_it_works_from_the_keyboard(open_page, report):
    page = open_page(report)
    page.locator("#hardest thead button").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#hardest th").first.get_attribute("aria-sort") == "ascending"
    page.keyboard.press("Home")
    page.locator("body").press("Tab")
    page.locator("#theme").focus()
    page.keyboard.press("Space")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_follows_the_system_and_can_be_changed(open_page, report, scheme):
    page = open_page(report, scheme=scheme)
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    is_dark = sum(int(part) for part in before[4:-1].split(",")) < 200
    assert is_dark == (scheme == "dark")
    page.click("#theme")
    after = page.evaluate("getComputedStyle(document.body).backgroundColor")
    font = page.evaluate(
        """getComputedStyle(document.querySelector('[data-figure="map"] .xtick text')).fill"""
    )
    assert after != before
    assert font == page.evaluate("getComputedStyle(document.body).color")


def test_a_phone_is_wide_enough(open_page, report):
    page = open_page(report, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.problems == []


def test_a_hostile_table_cannot_run_a_script(open_page, hostile):
    page = open_page(hostile)
    hover_a_point(page)
    page.wait_for_selector("#row-card dl")
    page.get_by_role("button", name="class", exact=True).click()
    hover_a_point(page)
    for link in page.locator("svg a").all():
        assert "javascript" not in (link.get_attribute("xlink:href") or "")
    page.wait_for_timeout(300)
    assert page.evaluate("window.hacked") is None
    assert page.locator("img[src=x]").count() == 0
    assert page.inner_text("h1") == SCRIPT + IMAGE
    assert page.locator("#row-card dt").first.inner_text() == SCRIPT
    assert page.problems == []
    assert page.requests == [hostile.as_uri()]


def test_every_table_that_scrolls_is_reached_by_keyboard(open_page, report):
    page = open_page(report)
    boxes = page.locator(".scroll")
    assert boxes.count() > 4
    assert all(boxes.nth(n).get_attribute("tabindex") == "0" for n in range(boxes.count()))
    assert all(boxes.nth(n).get_attribute("aria-label") for n in range(boxes.count()))


def show_as_printed(page):
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")


def test_print_shows_all_rows(open_page, report):
    page = open_page(report)
    box = page.locator(".scroll.tall").last
    cut = "box => box.scrollHeight > box.clientHeight + 1"
    is_cut = box.evaluate(cut)
    page.emulate_media(media="print")
    assert is_cut and not box.evaluate(cut)


def test_print_cuts_no_column_of_a_wide_table(open_page, report):
    page = open_page(report, width=720)
    show_as_printed(page)
    ends = page.locator("table").evaluate_all(
        "tables => tables.map(table => table.getBoundingClientRect().right)"
    )
    assert len(ends) > 4 and max(ends) <= 720
    assert page.evaluate("document.documentElement.scrollWidth") == 720


def test_no_legend_scrolls_and_no_axis_covers_another_on_a_phone(open_page, report):
    page = open_page(report, width=390)
    bars = page.locator(".legend .scrollbar").evaluate_all(
        "bars => bars.map(bar => Number(bar.getAttribute('height')))"
    )
    assert set(bars) <= {0}
    left, right = (
        page.locator(f'[data-figure="decision"] .{axis}title').bounding_box()
        for axis in ("x", "x2")
    )
    assert left["x"] + left["width"] <= right["x"]


def test_a_window_of_1280_shows_all_scores(open_page, report):
    box = open_page(report, width=1280).locator("#strategies .scroll").first
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth")


def test_print_breaks_no_word_and_keeps_headings_with_what_they_name(open_page, report):
    page = open_page(report, width=720)
    show_as_printed(page)
    lines = page.locator("#hardest thead button").evaluate_all(
        r"""buttons => buttons.map(button => {
            const range = document.createRange();
            range.selectNodeContents(button);
            return [button.textContent.trim().split(/\s+/).length, range.getClientRects().length];
        })"""
    )
    assert all(n_lines <= n_words for n_words, n_lines in lines)
    kept = page.locator("h2, h3, .hint").evaluate_all(
        "all => all.map(element => getComputedStyle(element).breakAfter)"
    )
    assert set(kept) == {"avoid"}


def test_paper_gets_figures_of_its_width_and_all_that_was_folded(open_page, report):
    page = open_page(report, width=1280)
    before = page.locator('[data-figure="scores"] .main-svg').first.bounding_box()["width"]
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    widths = page.locator(".figure .main-svg").evaluate_all(
        "all => all.map(figure => figure.getBoundingClientRect().width)"
    )
    assert max(widths) <= 690 < before
    assert page.locator("details:not([open])").count() == 0 < page.locator("details").count()
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.wait_for_timeout(300)
    after = page.locator('[data-figure="scores"] .main-svg').first.bounding_box()["width"]
    assert after == before


def test_the_page_of_a_comparison_alone(open_page, tmp_path):
    from icost.comparison import compare
    from icost.datasets import load_dataset

    path = tmp_path / "comparison.html"
    X, y = load_dataset("glass2", return_X_y=True)
    compare(X, y, strategies=["ncs", "cs"], n_repeats=1).save_page(path)
    page = open_page(path, figure="scores")
    assert page.problems == [] and page.locator("[data-figure] .main-svg").count() > 0
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    assert axe.run(page).violations_count == 0


def test_dots_show_what_is_found(open_page, report):
    page = open_page(report)
    answer = page.inner_text(".verdict .answer")
    found = page.locator(".icons circle.found").count()
    assert f"It finds {found} of 100 minority rows" in answer
    assert page.locator(".icons circle").count() == 200


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(open_page, report, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(open_page(report, width=width, scheme=scheme))
    assert found.violations_count == 0, found.generate_report()
