// Tables: filled from the server's cells, sorted and filtered on the page.
export function fill(id, table, caption) {
  const place = document.getElementById(id);
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
    const wanted = box.value.toLowerCase();
    let count = 0;
    for (const row of table.tBodies[0].rows) {
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
      if (!row.hidden) count += 1;
    }
    document.getElementById(said).textContent = wanted ? `${count} shown` : "";
  });
}
