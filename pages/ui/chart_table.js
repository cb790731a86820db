// The numbers behind a chart as a table over it: for a reader who cannot see the chart, and for
// anyone who wants to read a value off it. It is made from what is drawn, so it is what is drawn.

const TABLE_ICON = {
  width: 24, height: 24,
  path: "M3 3h18v18H3zM5 9v4h6V9zm8 0v4h6V9zm-8 6v4h6v-4zm8 0v4h6v-4z",
};

function cell(tag, text, scope) {
  const node = document.createElement(tag);
  node.textContent = text;
  if (scope) node.scope = scope;
  return node;
}

function written(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  return typeof value === "number" ? String(Number(value.toPrecision(6))) : String(value);
}

function plain(html) {
  return new DOMParser().parseFromString(String(html ?? "").replaceAll("<br>", " "), "text/html").body.textContent;
}

// Plotly keeps large arrays as typed arrays, which the figure holds encoded: read what it drew.
function drawnTraces(plot) {
  const isData = (trace) => trace.visible === true && trace.hoverinfo !== "skip" && trace.fill !== "toself";
  return (plot._fullData ?? []).filter(isData);
}

// A heat map is a table of its own; curves over the same places share one.
function tablesOf(plot) {
  const { layout } = plot;
  const title = (axis) => plain(layout[axis]?.title?.text ?? layout[axis]?.title) || axis[0];
  const shared = new Map();
  const tables = [];
  // Two panels above each other hold the same names: each column then says what it measures.
  const several = new Set(drawnTraces(plot).map((trace) => trace.yaxis)).size > 1;
  for (const trace of drawnTraces(plot)) {
    const xaxis = `xaxis${(trace.xaxis ?? "x").slice(1)}`, yaxis = `yaxis${(trace.yaxis ?? "y").slice(1)}`;
    const name = plain(trace.name);
    if (trace.z) {
      // A map of kinds brings their names, and those of its columns and rows.
      const { columns: across, rows: up, kinds } = trace.meta ?? {};
      const value = (z) => (kinds && Number.isFinite(z) ? kinds[Math.floor(z)] : written(z));
      const columns = [...(across ?? trace.x ?? trace.z[0].keys())].map(written);
      const rows = [...trace.z].map((line, at) => [written(up?.[at] ?? trace.y?.[at] ?? at), ...[...line].map(value)]);
      tables.push({ head: [`${title(yaxis)} \\ ${title(xaxis)}`, ...columns], rows });
      continue;
    }
    if (!trace.x || !trace.y) continue;
    const flat = trace.orientation === "h";
    const places = [...(flat ? trace.y : trace.x)].map((value) => written(value));
    // A bar too long for the chart is drawn shorter; its true size stands in its custom data.
    const sizes = flat ? trace.customdata ?? trace.x : trace.y;
    const values = [...sizes].map((value) => written(value));
    const key = `${flat ? yaxis : xaxis}|${places.join()}`;
    const table = shared.get(key) ?? { head: [title(flat ? yaxis : xaxis)], rows: places.map((place) => [place]) };
    if (!shared.has(key)) tables.push(table);
    shared.set(key, table);
    const measured = title(flat ? xaxis : yaxis);
    table.head.push(name && several ? `${name}: ${measured}` : name || measured);
    table.rows.forEach((row, at) => row.push(values[at]));
    // The interval of each value, where there is one.
    const bars = flat ? trace.error_x : trace.error_y;
    if (!bars?.visible || !bars.array) continue;
    const below = bars.symmetric ? bars.array : bars.arrayminus;
    table.head.push(`${name || measured}: from`, "to");
    table.rows.forEach((row, at) => row.push(written(sizes[at] - below[at]), written(sizes[at] + bars.array[at])));
  }
  return tables;
}

Object.assign(LiveChart.prototype, {
  tableButton() {
    return { name: "table", title: "Show the data as a table", icon: TABLE_ICON, click: () => this.toggleTable() };
  },

  toggleTable() {
    if (this.table) {
      this.table.remove();
      this.table = null;
      this.plot.querySelector('.modebar-btn[data-title="Show the data as a table"]')?.focus();
      return;
    }
    this.table = document.createElement("div");
    this.table.className = "live-chart-table";
    this.root.append(this.table);
    this.fillTable();
    this.table.querySelector("button").focus();
  },

  fillTable() {
    if (!this.table) return;
    const close = cell("button", "Close the table");
    close.type = "button";
    close.onclick = () => this.toggleTable();
    this.table.onkeydown = (event) => event.key === "Escape" && this.toggleTable();
    const box = document.createElement("div");
    Object.assign(box, { className: "live-chart-rows", tabIndex: 0, ariaLabel: "Data of the chart" });
    box.setAttribute("role", "region");
    for (const { head, rows } of tablesOf(this.plot)) {
      const table = document.createElement("table");
      table.createTHead().insertRow().append(...head.map((text) => cell("th", text, "col")));
      const body = table.createTBody();
      for (const [first, ...rest] of rows) {
        body.insertRow().append(cell("th", first, "row"), ...rest.map((text) => cell("td", text)));
      }
      box.append(table);
    }
    this.table.replaceChildren(close, box);
  },
});
