// The matrix of damages: a table whose cells are links into Explore. A plain click asks Python to set
// the optimizer and then goes there within the session; as links they also open in a new tab and can
// be copied.

function hrefOf(link) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(link)) query.set(name, value);
  return `./?${query}`;
}

// Explore is the page at the root; where its entry is not drawn, the whole page is loaded anew.
function leave() {
  const root = new URL(".", document.baseURI).pathname;
  const entries = [...document.querySelectorAll('[data-testid="stSidebarNavLink"]')];
  const explore = entries.find((entry) => new URL(entry.href).pathname === root);
  if (explore) explore.click();
  else location.assign(target);
}
let target = "";

function cellOf(cell, row, shown, open) {
  const td = document.createElement("td");
  if (cell.mechanism === shown) td.className = "md-shown";
  if (cell.shade !== null) td.style.setProperty("--shade", cell.shade);
  const a = document.createElement("a");
  a.textContent = `${cell.row ? "◆ " : ""}${cell.column ? "● " : ""}${cell.text}`;
  if (cell.row || cell.column) a.classList.add("md-best");
  a.href = hrefOf(row.link);
  a.title = cell.hint;
  a.setAttribute("aria-label", `${cell.hint}. Open in Explore`);
  // The address may have changed since the table was drawn.
  for (const event of ["pointerenter", "focus"]) a.addEventListener(event, () => { a.href = hrefOf(row.link); });
  a.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    target = a.href;
    open(row.key);
  });
  td.append(a);
  return td;
}

function header(text, scope, glyph, color) {
  const th = document.createElement("th");
  th.scope = scope;
  if (glyph) {
    const mark = document.createElement("span");
    mark.className = "md-swatch";
    mark.setAttribute("aria-hidden", "true");
    mark.style.color = color;
    mark.textContent = glyph;
    th.append(mark);
  }
  th.append(text);
  return th;
}

export default function ({ data: [data], parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".md-matrix");
  const head = document.createElement("tr");
  head.append(header("Optimizer", "col"));
  for (const { key, label, glyph, color } of data.mechanisms) {
    const th = header(label, "col", glyph, color);
    if (key === data.shown) th.className = "md-shown";
    head.append(th);
  }
  const rows = data.rows.map((row) => {
    const tr = document.createElement("tr");
    const th = header(row.label, "row", row.glyph, row.color);
    const setting = document.createElement("small");
    setting.textContent = row.setting;
    th.append(setting);
    tr.append(th, ...row.cells.map((cell) =>
      cellOf(cell, row, data.shown, (key) => setTriggerValue("open", key))));
    return tr;
  });
  root.querySelector("thead").replaceChildren(head);
  root.querySelector("tbody").replaceChildren(...rows);
  root.dataset.state = "drawn";
  if (data.leave) leave();
}
