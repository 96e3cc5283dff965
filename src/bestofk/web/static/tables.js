// Tables: filled from the server's cells, sorted and filtered on the page.
export function fill(id, table, caption) {
  const place = typeof id === "string" ? document.getElementById(id) : id;
  if (!place || !table) return;
  const row = (cells, make) => {
    const line = document.createElement("tr");
    line.append(...cells.map(make));
    return line;
  };
  const cell = (text, i) => {
    const found = document.createElement(i === 0 ? "th" : "td");
    if (i === 0) found.scope = "row";
    found.textContent = text;
    return found;
  };
  const heading = (text) => {
    const found = document.createElement("th");
    found.scope = "col";
    found.textContent = text;
    return found;
  };
  if (caption !== undefined) {
    place.caption.textContent = caption;
    place.parentNode.setAttribute("aria-label", caption);
  }
  place.tHead.replaceChildren(row(table.head, heading));
  place.tBodies[0].replaceChildren(...table.rows.map((cells) => row(cells, cell)));
}

// A table made anew, in a box that scrolls.
export function tabled(table, caption) {
  const box = Object.assign(document.createElement("div"), { className: "scroll", tabIndex: 0 }), made = document.createElement("table");
  box.setAttribute("role", "region");
  made.createCaption();
  made.createTHead();
  made.createTBody();
  box.append(made);
  fill(made, table, caption);
  return box;
}

export function list(id, texts) {
  document.getElementById(id)?.replaceChildren(...texts.map((text) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  }));
}

const key = (row, column) => row.cells[column]?.textContent ?? "";

export function sortable(id) {
  const table = document.getElementById(id);
  if (!table) return;
  for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      close(table);
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => compare(key(a, column), key(b, column), up ? 1 : -1));
      table.tBodies[0].replaceChildren(...rows);
    });
  }
}

// Numbers by size, words by letter, what is missing last either way.
function compare(a, b, sign) {
  const x = Number(a), y = Number(b);
  const numeric = [x, y].map((v, i) => [a, b][i] !== "" && !Number.isNaN(v));
  if (numeric[0] && numeric[1]) return sign * (x - y);
  if (numeric[0] !== numeric[1]) return numeric[0] ? -1 : 1;
  return sign * a.localeCompare(b);
}

export function filterable(id, input, said) {
  const table = document.getElementById(id), box = document.getElementById(input);
  if (!table || !box) return;
  box.addEventListener("input", () => {
    close(table);
    const wanted = box.value.toLowerCase();
    let count = 0;
    for (const row of table.tBodies[0].rows) {
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
      if (!row.hidden) count += 1;
    }
    document.getElementById(said).textContent = wanted ? `${count} shown` : "";
  });
}

// A trial's row opens what is stored of it, under the row; without this script the number is a link.
export function openable(id) {
  const table = document.getElementById(id);
  for (const link of table?.querySelectorAll("tbody th a") ?? []) link.setAttribute("aria-expanded", "false");
  table?.addEventListener("click", async (event) => {
    const link = event.target.closest("th a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const row = link.closest("tr"), below = row.nextElementSibling;
    if (below?.classList.contains("opened")) { close(table, below); return; }
    const answer = await fetch(link.getAttribute("href").replace("/trial?", "/trial.json?"));
    const found = await answer.json();
    if (row.nextElementSibling?.classList.contains("opened")) return;  // clicked twice
    link.setAttribute("aria-expanded", "true");
    row.after(opened(answer.ok ? found : { error: found.error, facts: [] }, row.cells.length, link.href));
  });
}

function close(table, only) {
  for (const row of only ? [only] : table.querySelectorAll(".opened")) {
    row.previousElementSibling?.querySelector("a")?.setAttribute("aria-expanded", "false");
    row.remove();
  }
}

function opened(found, columns, href) {
  const make = (name, text = "", parts = []) => {
    const made = Object.assign(document.createElement(name), { textContent: text });
    made.append(...parts);
    return made;
  };
  const pairs = [...found.facts, ...(found.params?.rows ?? []), ...(found.metrics?.rows ?? [])];
  const list = make("dl", "", pairs.map(([name, value]) => make("div", "", [make("dt", name), make("dd", value)])));
  const cell = make("td", "", [list, ...(found.error ? [make("pre", found.error)] : []),
    Object.assign(make("a", "the trial on a page of its own"), { href })]);
  cell.colSpan = columns;
  return Object.assign(make("tr", "", [cell]), { className: "opened" });
}
