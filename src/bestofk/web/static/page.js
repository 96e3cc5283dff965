// What every page does: follow the controls, exchange figures, keep the address bar true.
import { exchange, numbers, onSize, size, wake } from "./figures.js";
import { claim, mark, query, show, watch } from "./state.js";
import { fill, filterable, list, openable, sortable, tabled } from "./tables.js";

const kind = document.body.dataset.page;
// What is asked for at first, while a control is dragged, and when it rests (if not all).
const FIELDS = {
  first: { search: "chart,cdf,history,scatter,points", compare: "chart,difference", attempts: "chart,difference,floor", repeats: "chart", plan: "chart" },
  picture: { search: "svg", compare: "svg", plan: "verdict,svg,table", attempts: "svg", repeats: "svg" },
  all: { search: "view,verdict,validity,reasons,standing,chart,svg,cdf,history,table,notes" },
};
let points = null, stream = null;

function problem(text) {
  const place = document.getElementById("problem");
  if (!place) return;
  place.hidden = !text;
  place.textContent = text ?? "";
}

async function fetchPage(words, fields) {
  const all = new URLSearchParams(words);
  if (fields) all.set("fields", fields);
  all.set("draw", size());
  const answer = await fetch(`/${kind}.json?${all}`);
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error ?? "the page could not be read");
  return found;
}

function apply(found) {
  if ("verdict" in found) document.getElementById("verdict").textContent = found.verdict;
  if ("standing" in found) claim(found);
  if ("table" in found) fill("table", found.table, found.table_caption);
  if ("ranks" in found) {
    fill("ranks", found.ranks, found.ranks_caption);
    document.getElementById("ranking").hidden = found.ranks.rows.length === 0;
  }
  if ("labels" in found && kind === "compare") document.getElementById("differences").hidden = found.labels.length === 2;
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
  for (const name of ["chart", "cdf", "difference", "floor", "history", "scatter"].filter((one) => one in found || one in (found.svg ?? {}))) {
    const two = name === "chart" && found.difference?.series?.length === 1;  // drawn under the curves
    numbers(name, found[name], { points, more: two ? found.difference : null });
    if ("svg" in found) exchange(name, found.svg[name]);
  }
}

async function scatter() {
  try { apply(await fetchPage(query(), "scatter,svg")); }
  catch (error) { problem(error.message); }
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
        throw new Error(`tick one ${one} or more below`);
      }
      const found = await fetchPage(query(), fields);
      problem(null);
      apply(found);
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
  ask();
}

// Some questions are about two searches.
function ask() {
  const place = document.getElementById("asking");
  if (place) place.hidden = query().getAll("name").length !== 2;
  if (!place?.hidden) document.querySelectorAll(".ask[open]").forEach(answer);
}

// What is open, and which hyperparameter is shown, is part of the address and no step of its own.
function toggled(place) {
  if (place.open) answer(place);
  noted();
}

function noted() {
  remembered = `?${query()}`;
  history.replaceState(null, "", remembered);
  links();
}

function links() {
  for (const link of document.querySelectorAll("[data-download]")) {
    link.href = `${link.pathname}?${query()}`;
  }
}

function listen() {
  stream?.close();
  stream = new EventSource(`/live/events?${query()}&draw=${size()}`);
  stream.onmessage = (event) => { problem(null); apply(JSON.parse(event.data)); };
  stream.addEventListener("problem", (event) => problem(event.data));
  stream.onerror = () => {
    if (stream.readyState === EventSource.CLOSED) follow("all");
  };
}

// The first page follows what it lists: cards that changed are exchanged.
async function keepUp() {
  const every = document.querySelector(".running") ? 1500 : 6000;  // ms
  await new Promise((done) => { setTimeout(done, every); });
  try {
    const answer = document.hidden ? null : await fetch(location.href);
    if (answer?.ok) merge(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch { /* the server is gone; what is shown stays */ }
  keepUp();
}

function merge(next) {
  const changed = (id) => document.getElementById(id).innerHTML !== next.getElementById(id).innerHTML;
  for (const id of ["problems", "answer"].filter(changed)) document.getElementById(id).replaceChildren(...next.getElementById(id).childNodes);
  if (!changed("cards")) return;
  const focus = document.activeElement?.getAttribute("href"), place = document.getElementById("cards");
  const old = new Map([...place.children].map((card) => [card.outerHTML, card]));
  place.replaceChildren(...[...next.getElementById("cards").children].map((card) => old.get(card.outerHTML) ?? card));
  if (focus) document.querySelector(`a[href="${CSS.escape(focus)}"]`)?.focus();
}

// A question is answered when it is opened, and again when the controls have changed: one at a time.
const asked = new Map();  // by place: whether to ask again
async function answer(place) {
  const busy = asked.has(place);
  asked.set(place, busy);
  if (busy) return;
  do { asked.set(place, false); await reply(place); } while (asked.get(place));
  asked.delete(place);
}

async function reply(place) {
  const there = place.querySelector(".reply"), words = new URLSearchParams([...query(), ["about", place.dataset.about], ["draw", size()]]);
  there.setAttribute("aria-busy", "true");
  try {
    const got = await fetch(`/ask.json?${words}`), found = await got.json();
    const make = (name, text, more = {}) => Object.assign(document.createElement(name), { textContent: text, ...more });
    const parts = [make("p", got.ok ? found.verdict : found.error, { className: got.ok ? "verdict" : "refused" })];
    if (found.svg?.answer) parts.push(make("div", "", { className: "figure", innerHTML: Object.values(found.svg.answer)[0] }));
    if (found.table?.rows.length) parts.push(tabled(found.table, `${found.question} The numbers`));
    parts.push(...(found.notes ?? []).map((text) => make("p", text, { className: "hint" })));
    there.replaceChildren(...parts);
  } catch (error) { problem(error.message); }
  there.removeAttribute("aria-busy");
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
  if (kind === "index") { keepUp(); return; }
  if (["trial", "ask"].includes(kind)) { document.querySelectorAll("figure").forEach(wake); return; }
  mark();
  links();
  document.querySelectorAll("figure").forEach(wake);
  watch(kind === "live" ? () => {} : dragged, chosen);
  sortable("trials");
  openable("trials");
  for (const place of document.querySelectorAll(".ask")) place.addEventListener("toggle", () => toggled(place));
  filterable("trials", "filter", "filtered");
  document.getElementById("copy")?.addEventListener("click", copy);
  document.getElementById("param")?.addEventListener("change", () => { noted(); scatter(); });
  window.addEventListener("popstate", async () => {
    const asked = remembered = location.search;
    const words = new URLSearchParams(asked);
    const budget = document.getElementById("budget"), param = document.getElementById("param");
    if (param) param.value = words.get("param") ?? param.options[0].value;
    if (budget) budget.value = words.get("budget") ?? budget.defaultValue;
    try {
      const found = await fetchPage(words);
      if (asked !== location.search) return;  // gone on meanwhile
      show(found.view);
      for (const box of document.querySelectorAll("#names input")) box.checked = found.labels.includes(box.value);
      problem(null);
      const opened = (words.get("open") ?? "").split(",");
      for (const place of document.querySelectorAll(".ask")) place.open = opened.includes(place.dataset.about);
      ask();
      links();
      if (kind === "live") listen(); else apply(found);
    } catch (error) { problem(error.message); }
  });
  onSize(() => {
    if (kind === "live") { listen(); return; }
    follow("all");
    if (document.getElementById("param")) scatter();
  });
  if (kind === "live") { listen(); return; }
  follow(document.getElementById("problem")?.hidden === false ? "all" : "first");
  ask();
}

start();
