// What every page does: draw, follow the controls, keep the address bar true.
import { draw, scatter } from "./draw.js";
import { claim, mark, query, show, watch } from "./state.js";
import { fill, filterable, list, sortable } from "./tables.js";

const kind = document.body.dataset.page;
// What is asked for at first, while a control is dragged, and when it rests (if not all).
const FIELDS = {
  first: { search: "chart,cdf,points", compare: "chart,difference", attempts: "chart,difference,floor", repeats: "chart" },
  picture: { search: "chart", compare: "chart", live: "chart", plan: "verdict,table", attempts: "chart", repeats: "chart" },
  all: { search: "view,verdict,validity,reasons,standing,chart,cdf,table,notes" },
};
let points = null, stream = null;
const shownNow = {};

function problem(text) {
  const place = document.getElementById("problem");
  if (!place) return;
  place.hidden = !text;
  place.textContent = text ?? "";
}

async function fetchPage(words, fields) {
  const all = new URLSearchParams(words);
  if (fields) all.set("fields", fields);
  const answer = await fetch(`/${kind}.json?${all}`);
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error ?? "the page could not be read");
  return found;
}

async function apply(found) {
  Object.assign(shownNow, found);
  if ("verdict" in found) document.getElementById("verdict").textContent = found.verdict;
  if ("standing" in found) claim(found);
  if ("table" in found) fill("table", found.table, found.table_caption);
  if ("ranks" in found) {
    fill("ranks", found.ranks, found.ranks_caption);
    document.getElementById("ranking").hidden = found.ranks.rows.length === 0;
  }
  if ("notes" in found) list("caveats", found.notes);
  if ("assumptions" in found) list("assumptions", found.assumptions);
  for (const [name, text] of Object.entries(found.captions ?? {})) {
    document.getElementById(`${name}-caption`).textContent = text;
    const part = document.getElementById(`${name}-part`);
    if (part) part.hidden = text === "";
  }
  if ("best_params" in found) fill("best_params", found.best_params);
  for (const name of ["state", "ended", "planned", "best"]) {
    const place = document.getElementById(name);
    const value = name === "state" ? (found.running ? "running" : "not running") : found[name];
    if (place && "ended" in found) place.textContent = value ?? "";
  }
  if ("ended" in found) document.getElementById("progress").value = found.ended;
  if (found.points?.params) points = found.points;
  const pictures = ["chart", "cdf", "difference", "floor"].filter((name) => name in found);
  await Promise.all(pictures.map((name) => draw(name, found[name])));
}

// One request at a time.  While a control is dragged only the picture follows; when it rests, all.
let busy = false, next = null;
async function follow(parts) {
  if (next !== "all") next = parts;
  if (busy) return;
  rest(false);
  while (next) {
    const fields = FIELDS[next][kind];
    next = null;
    try {
      if (kind === "compare" && query().getAll("name").length < 2) {
        throw new Error("a comparison needs two or more searches: tick them above");
      }
      const one = document.getElementById("names")?.dataset.one;  // a model, or a method
      if (one && !query().has("name")) {
        throw new Error(`tick one ${one} or more above`);
      }
      const found = await fetchPage(query(), fields);
      problem(null);
      await apply(found);
    } catch (error) { problem(error.message); }
  }
  rest(true);
}

// A screen reader waits until the page rests.
function rest(yes) {
  busy = !yes;
  document.getElementById("main").setAttribute("aria-busy", String(busy));
}

function dragged() {
  history.replaceState(null, "", `?${query()}`);
  follow("picture");
}

let remembered = location.search;
function chosen() {
  const words = `?${query()}`;
  if (words !== remembered) {
    // while dragging the entry was overwritten: put it back before the new one
    history.replaceState(null, "", remembered || location.pathname);
    history.pushState(null, "", words);
  }
  remembered = words;
  links();
  if (kind === "live") listen(); else follow("all");
}

function links() {
  for (const link of document.querySelectorAll("[data-download]")) {
    link.href = `${link.pathname}?${query()}`;
  }
}

function listen() {
  stream?.close();
  stream = new EventSource(`/live/events?${query()}`);
  stream.onmessage = (event) => { problem(null); apply(JSON.parse(event.data)); };
  stream.addEventListener("problem", (event) => problem(event.data));
  stream.onerror = () => {
    if (stream.readyState === EventSource.CLOSED) follow("all");
  };
}

async function copy() {
  const said = document.getElementById("copied");
  try {
    const answer = await fetch(`/${kind}.tex?${query()}`);
    await navigator.clipboard.writeText(await answer.text());
    said.textContent = "copied";
  } catch {
    said.textContent = "the browser did not allow it; the link beside has the file";
  }
}

async function start() {
  if (kind === "error") {
    for (const link of document.querySelectorAll("[data-failed]")) {
      const words = new URLSearchParams(location.search);
      words.set("failed", link.dataset.failed);
      link.href = `${location.pathname}?${words}`;
    }
    return;
  }
  if (kind === "index") return;
  mark();
  links();
  watch(kind === "live" ? () => {} : dragged, chosen);
  sortable("trials");
  filterable("trials", "filter", "filtered");
  document.getElementById("copy")?.addEventListener("click", copy);
  document.getElementById("param")?.addEventListener("change", (event) => scatter("scatter", points, event.target.value));
  window.addEventListener("popstate", async () => {
    const asked = remembered = location.search;
    const words = new URLSearchParams(asked);
    const budget = document.getElementById("budget");
    if (budget) budget.value = words.get("budget") ?? "20";
    try {
      const found = await fetchPage(words);
      if (asked !== location.search) return;  // gone on meanwhile
      show(found.view);
      for (const box of document.querySelectorAll("#names input")) box.checked = found.labels.includes(box.value);
      problem(null);
      links();
      if (kind === "live") listen(); else await apply(found);
    } catch (error) { problem(error.message); }
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => apply(shownNow));
  if (kind === "plan") return;
  if (kind === "live") { listen(); return; }
  await follow(document.getElementById("problem")?.hidden === false ? "all" : "first");
  const param = document.getElementById("param");
  if (param) await scatter("scatter", points, param.value);
}

start();
