// The claims as a table; a row, or the button in it, opens its claim below the table.

function cell(tag, text) {
  const node = document.createElement(tag);
  node.textContent = text;
  return node;
}

// Scroll the table, not the page, until the open row is in view; a row that was pressed is.
function showOpen(root, claim) {
  const row = root.querySelector(`tr[data-claim="${claim}"]`);
  if (!row || root.dataset.shown === claim) return;
  root.dataset.shown = claim;
  const place = row.getBoundingClientRect(), room = root.getBoundingClientRect();
  const top = room.top + root.querySelector("thead").offsetHeight;
  if (place.top < top || place.bottom > room.bottom) root.scrollTop += place.top - top;
}

export default function ({ data: [data], parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".md-claims");
  const head = document.createElement("tr");
  for (const text of ["Claim", "What it says", "Published", "Ours", "Verdict", "Kind"]) {
    const th = cell("th", text);
    th.scope = "col";
    head.append(th);
  }
  const rows = data.rows.map((row) => {
    const tr = document.createElement("tr");
    const th = document.createElement("th");
    th.scope = "row";
    const button = cell("button", row.claim);
    button.type = "button";
    button.title = `${data.open === row.claim ? "Open below" : "Open below the table"}`;
    button.setAttribute("aria-label", `${row.claim}: open below`);
    th.append(button);
    const verdict = cell("td", `${row.mark} ${row.verdict}`);
    verdict.className = "md-verdict";
    tr.append(th, cell("td", row.statement), cell("td", row.published), cell("td", row.ours), verdict,
      cell("td", row.kind));
    tr.dataset.claim = row.claim;
    tr.setAttribute("aria-current", String(data.open === row.claim));
    // Text that is being selected is not a wish to open the row.
    tr.addEventListener("click", () => { if (getSelection().isCollapsed) setTriggerValue("open", row.claim); });
    return tr;
  });
  const focused = root.querySelector("tr:focus-within")?.dataset.claim;
  root.querySelector("thead").replaceChildren(head);
  root.querySelector("tbody").replaceChildren(...rows);
  root.dataset.state = "drawn";
  if (data.sought) showOpen(root, data.open);
  if (focused) root.querySelector(`tr[data-claim="${focused}"] button`)?.focus();
}
