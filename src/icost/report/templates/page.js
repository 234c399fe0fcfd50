"use strict";
(function () {
  const payload = JSON.parse(document.getElementById("payload").textContent);
  const root = document.documentElement;

  // Theme: the system's, until the reader chooses.
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : dark.matches;
  }
  function remember(theme) {
    try { localStorage.setItem("icost-theme", theme); } catch (error) { /* a page from a file may not store */ }
  }
  function recall() {
    try { return localStorage.getItem("icost-theme"); } catch (error) { return null; }
  }
  const stored = recall();
  if (stored === "dark" || stored === "light") root.dataset.theme = stored;

  function css(name) {
    return getComputedStyle(root).getPropertyValue(name).trim();
  }
  function themed(layout) {
    const axis = { gridcolor: css("--grid"), linecolor: css("--line"), zerolinecolor: css("--line") };
    const copy = Object.assign({}, layout, {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: css("--ink"), family: "system-ui, sans-serif", size: 13 },
      hoverlabel: { bgcolor: css("--card"), bordercolor: css("--line"), font: { color: css("--ink") } }
    });
    copy.xaxis = Object.assign({}, layout.xaxis, axis);
    copy.yaxis = Object.assign({}, layout.yaxis, axis);
    return copy;
  }
  const drawn = [];
  // Where nothing hovers, as on a phone, the toolbar would lie on legends and bars for good.
  const bar = window.matchMedia("(hover: none)").matches ? false : "hover";
  function draw(element, figure) {
    const options = { responsive: true, displaylogo: false, displayModeBar: bar,
      modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"] };
    Plotly.react(element, figure.data, themed(figure.layout), options);
  }
  function placeRows(figure) {
    const texts = new Map(payload.classes.map(function (entry) { return [entry.label, entry.text]; }));
    const map = payload.map;
    figure.data.forEach(function (trace) {
      trace.x = trace.customdata.map(function (row) { return map.x[row]; });
      trace.y = trace.customdata.map(function (row) { return map.y[row]; });
      trace.text = trace.customdata.map(function (row) {
        return "row " + map.rows[row].toLocaleString("en") + ": " + texts.get(map.labels[row]);
      });
    });
  }
  document.querySelectorAll("[data-figure]").forEach(function (element) {
    const figure = payload.figures[element.dataset.figure];
    if (!figure) return;
    if (element.dataset.figure === "map") placeRows(figure);
    drawn.push([element, figure]);
    draw(element, figure);
  });
  function redraw() {
    drawn.forEach(function (pair) { draw(pair[0], pair[1]); });
  }
  const toggle = document.getElementById("theme");
  function nameToggle() {
    toggle.textContent = isDark() ? "Light" : "Dark";
    toggle.setAttribute("aria-label", "Switch to the " + (isDark() ? "light" : "dark") + " theme");
  }
  toggle.addEventListener("click", function () {
    root.dataset.theme = isDark() ? "light" : "dark";
    remember(root.dataset.theme);
    nameToggle();
    redraw();
  });
  dark.addEventListener("change", function () { nameToggle(); redraw(); });
  nameToggle();

  // Paper is white, narrower than a window, and has nothing to unfold.
  let theme;
  window.addEventListener("beforeprint", function () {
    theme = root.dataset.theme;
    root.dataset.theme = "light";
    document.querySelectorAll("details").forEach(function (folded) { folded.open = true; });
    drawn.forEach(function (pair) {
      const layout = Object.assign({}, pair[1].layout, { width: pair[0].closest(".columns") ? 330 : 690 });
      draw(pair[0], { data: pair[1].data, layout: layout });
    });
  });
  window.addEventListener("afterprint", function () {
    if (theme) root.dataset.theme = theme; else delete root.dataset.theme;
    redraw();
    drawn.forEach(function (pair) { Plotly.relayout(pair[0], { width: null, autosize: true }); });
  });

  // A wide tree starts at its root, not at its left edge.
  document.querySelectorAll("svg.tree").forEach(function (tree) {
    const frame = tree.parentElement;
    frame.scrollLeft = (frame.scrollWidth - frame.clientWidth) / 2;
  });

  // The map: hovering shows the row; buttons choose the colours.
  const map = payload.map;
  const mapElement = document.querySelector('[data-figure="map"]');
  if (map && mapElement) wireMap();
  function element(tag, text) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    return made;
  }
  function showRow(place) {
    const card = document.getElementById("row-card");
    const list = element("dl");
    map.columns.forEach(function (name, column) {
      const pair = element("div");
      const value = map.cells[place][column];
      pair.append(element("dt", name), element("dd", value === null || value === "" ? "missing" : String(value)));
      list.append(pair);
    });
    const title = element("strong", "Row " + map.rows[place] + ": " + map.labels[place] + ", " + map.category[place]);
    card.replaceChildren(title, list);
  }
  function wireMap() {
    const byCategory = payload.figures.map;
    const entry = drawn.find(function (pair) { return pair[0] === mapElement; });
    function update(color) {
      const source = color === "class" ? byClass() : byCategory;
      const figure = JSON.parse(JSON.stringify(source));
      placeRows(figure);
      entry[1] = figure;
      draw(mapElement, figure);
    }
    function byClass() {
      const colors = ["#6b7280", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7257d6"];
      const symbols = ["circle", "triangle-up", "square", "diamond", "x", "cross", "star", "pentagon"];
      const figure = JSON.parse(JSON.stringify(byCategory));
      figure.data = payload.classes.map(function (entry, turn) {
        const rows = [];
        map.labels.forEach(function (label, row) { if (label === entry.label) rows.push(row); });
        return { type: "scatter", mode: "markers", name: entry.text, customdata: rows,
          hovertemplate: "%{text}<extra></extra>",
          marker: { color: colors[turn % 8], symbol: symbols[turn % 8], size: turn ? 8 : 5, opacity: turn ? 0.9 : 0.5 } };
      });
      return figure;
    }
    document.querySelectorAll("[data-map]").forEach(function (button) {
      button.addEventListener("click", function () {
        document.querySelectorAll("[data-map]").forEach(function (other) {
          other.setAttribute("aria-pressed", String(other === button));
        });
        update(button.value);
      });
    });
    mapElement.on("plotly_hover", function (event) { showRow(event.points[0].customdata); });
    mapElement.on("plotly_click", function (event) { showRow(event.points[0].customdata); });
  }

  // Tables that sort and filter.
  document.querySelectorAll("table.sortable").forEach(function (table) {
    const body = table.tBodies[0];
    table.querySelectorAll("thead button").forEach(function (button) {
      button.addEventListener("click", function () {
        const header = button.closest("th");
        const column = header.cellIndex;
        const down = header.getAttribute("aria-sort") === "ascending";
        table.querySelectorAll("th").forEach(function (other) { other.removeAttribute("aria-sort"); });
        header.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = Array.from(body.rows);
        rows.sort(function (one, other) {
          const order = compare(key(one.cells[column]), key(other.cells[column]));
          return down ? -order : order;
        });
        body.append(...rows);
      });
    });
  });
  function key(cell) {
    return cell.dataset.sort === undefined ? cell.textContent.trim() : cell.dataset.sort;
  }
  function compare(one, other) {
    const a = Number(one), b = Number(other);
    if (one !== "" && other !== "" && !Number.isNaN(a) && !Number.isNaN(b)) return a - b;
    return one.localeCompare(other, undefined, { numeric: true });
  }
  const text = document.getElementById("filter-text");
  if (text) {
    const table = document.getElementById("hardest");
    const category = document.getElementById("filter-category");
    const suspects = document.getElementById("filter-suspects");
    const count = document.getElementById("filter-count");
    const filter = function () {
      const wanted = text.value.trim().toLowerCase();
      let shown = 0;
      Array.from(table.tBodies[0].rows).forEach(function (row) {
        const fits = (!wanted || row.textContent.toLowerCase().includes(wanted)) &&
          (!category.value || row.dataset.category === category.value) &&
          (!suspects.checked || row.dataset.suspect === "yes");
        row.hidden = !fits;
        if (fits) shown += 1;
      });
      count.textContent = shown + (shown === 1 ? " row" : " rows");
    };
    [text, category, suspects].forEach(function (input) { input.addEventListener("input", filter); });
    filter();
  }
})();
