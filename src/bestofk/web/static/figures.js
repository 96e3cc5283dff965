// Figures as the server draws them: exchanged, read under the pointer, their lines switched off.
const NARROW = matchMedia("(max-width: 48rem)"), INSET = 8;
const known = new Map();  // by id: the chart's numbers, the lines that are off, what is read

export const size = () => (NARROW.matches ? "narrow" : "wide");
export const onSize = (work) => NARROW.addEventListener("change", work);

function about(id) {
  if (!known.has(id)) known.set(id, { chart: null, points: null, more: null, off: new Set(), at: null });
  return known.get(id);
}

// The numbers behind a figure; `more` are others over the same axis, `points` the trials.
export function numbers(id, chart, { more = null, points = null } = {}) {
  Object.assign(about(id), { chart: chart?.series?.length ? chart : null, more, points });
}

export function exchange(id, drawn) {
  const place = document.getElementById(id);
  if (!place) return;
  place.hidden = !drawn;
  for (const [name, text] of Object.entries(drawn ?? {})) place.querySelector(`.on-${name}`).innerHTML = text;
  dress(place);
}

export function dress(place) {
  const { off } = about(place.id);
  for (const svg of place.querySelectorAll("svg")) {
    const title = svg.querySelector("title");
    if (title) { svg.setAttribute("aria-label", title.textContent); title.remove(); }  // it would cover ours
    for (const key of svg.querySelectorAll("[data-key]")) {
      svg.setAttribute("role", "group");
      key.setAttribute("role", "button");
      key.setAttribute("tabindex", "0");
      turn(key, off.has(key.dataset.label));
    }
  }
  leave(place);
  place.dataset.drawn = String(Number(place.dataset.drawn ?? 0) + 1);
}

function turn(key, isOff) {
  key.setAttribute("aria-pressed", String(!isOff));
  for (const part of key.parentNode.querySelectorAll(`:scope > [data-series="${key.dataset.key}"]`)) {
    part.style.display = isOff ? "none" : "";
  }
}

function toggle(place, key) {
  const { off } = about(place.id), name = key.dataset.label;
  if (!off.delete(name)) off.add(name);
  for (const other of place.querySelectorAll("[data-key]")) turn(other, off.has(other.dataset.label));
}

export function wake(place) {
  dress(place);
  place.addEventListener("pointermove", (event) => point(place, event));
  place.addEventListener("pointerdown", (event) => point(place, event));
  place.addEventListener("pointerleave", () => leave(place));
  place.addEventListener("blur", () => leave(place));
  place.addEventListener("click", (event) => {
    const key = event.target.closest("[data-key]");
    if (key) toggle(place, key);
  });
  place.addEventListener("keydown", (event) => {
    const key = event.target.closest("[data-key]");
    if (key && ["Enter", " "].includes(event.key)) { event.preventDefault(); toggle(place, key); }
    if (event.key === "Escape") leave(place);
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step && event.target === place) { event.preventDefault(); walk(place, step * (event.shiftKey ? 10 : 1)); }
  });
}

// Where the plot is, in the units of the drawing and of the window.
function frame(place) {
  const svg = [...place.querySelectorAll("svg")].find((one) => one.getClientRects().length && one.checkVisibility({ visibilityProperty: true }));
  const axes = svg?.querySelector("[data-part=axes]");
  if (!axes) return null;
  const box = svg.getBoundingClientRect(), outer = place.getBoundingClientRect(), plot = axes.getBBox();
  const scale = ([low, high, log]) => (log ? { to: (v) => Math.log(v / low) / Math.log(high / low), of: (s) => low * (high / low) ** s }
    : { to: (v) => (v - low) / (high - low), of: (s) => low + s * (high - low) });
  return { unit: box.width / svg.viewBox.baseVal.width, left: box.left - outer.left, top: box.top - outer.top, box, plot,
    ends: axes.dataset.x.split(" ").map(Number), x: scale(axes.dataset.x.split(" ").map(Number)), y: scale(axes.dataset.y.split(" ").map(Number)) };
}

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const counts = (chart) => /number of trials|^trial$/.test(chart.x_label);

function point(place, event) {
  const { chart } = about(place.id), at = frame(place);
  if (!chart || !at) return;
  const across = (event.clientX - at.box.left) / at.unit - at.plot.x - INSET, wide = at.plot.width - 2 * INSET;
  if (across < -2 * INSET || across > wide + 2 * INSET || event.clientY > at.box.bottom) { leave(place); return; }
  const down = 1 - ((event.clientY - at.box.top) / at.unit - at.plot.y) / at.plot.height;
  tell(place, at, at.x.of(clamp(across / wide, 0, 1)), down);
}

function walk(place, step) {
  const { chart, at: old } = about(place.id), at = frame(place);
  if (!chart || !at) return;
  const [low, high] = at.ends, xs = chart.series[0].x;
  let x = old ?? (chart.series[0].joined === false ? xs[0] : low);
  if (old !== null && counts(chart)) x = Math.round(old) + step;
  else if (old !== null && chart.series[0].joined === false) x = xs[clamp(xs.indexOf(old) + step, 0, xs.length - 1)];
  else if (old !== null) x = at.x.of(at.x.to(old) + step / 100);
  tell(place, at, clamp(x, low, high), null);
}

const short = (value) => (value === null || value === undefined ? "not bounded" : String(Number(value.toPrecision(4))));

// What a series says at a place: a step holds the value of the place before, a point is the nearest.
function spoken(series, x) {
  const last = (xs) => xs.findLastIndex((v) => v <= x * (1 + 1e-12));
  const near = (xs) => xs.reduce((best, v, i) => (Math.abs(v - x) < Math.abs(xs[best] - x) ? i : best), 0);
  const found = (xs) => (series.step ? last(xs) : near(xs));
  const i = found(series.x);
  if (i < 0 || !series.x.length) return null;
  const edge = series.area ? found(series.area.x) : -1;
  return short(series.y[i]) + (edge < 0 ? "" : ` [${short(series.area.lower[edge])}, ${short(series.area.upper[edge])}]`);
}

// The trial nearest to the pointer, in a figure of trials alone.
function nearest({ chart, points }, at, x, down) {
  const { x: xs, y: ys } = chart.series[0], far = (i) => Math.hypot(2 * (at.x.to(xs[i]) - at.x.to(x)), down === null ? 0 : at.y.to(ys[i]) - down);
  const i = xs.reduce((best, _, j) => (far(j) < far(best) ? j : best), 0);
  const value = chart.x_names ? chart.x_names[xs[i]] : short(xs[i]), plain = chart.x_names ? value : xs[i];
  const there = points?.params[chart.x_label]?.findIndex((v, j) => v === plain && points.score[j] === ys[i]) ?? -1;
  return { x: xs[i], head: there < 0 ? "" : `trial ${points.number[there]}`, rows: [[chart.y_label, short(ys[i])], [chart.x_label, value]] };
}

function tell(place, at, place_x, down) {
  const all = about(place.id), { chart, off, more } = all;
  let x = counts(chart) ? clamp(Math.round(place_x), Math.ceil(at.ends[0]), Math.floor(at.ends[1])) : place_x, said;
  if (chart.series.length === 1 && chart.series[0].joined === false) {
    said = nearest(all, at, x, down);
    x = said.x;
  } else {
    const lines = [...chart.series.filter((s) => !off.has(s.label)), ...(more?.series ?? [])];
    const head = counts(chart) ? (chart.x_label === "trial" ? `trial ${x}` : `${x} trial${x === 1 ? "" : "s"}`) : `${chart.x_label.replace(/ \(.*/, "")} ${short(x)}`;
    said = { head, rows: lines.map((s) => [s.label, spoken(s, x)]).filter((row) => row[1] !== null) };
  }
  all.at = x;
  show(place, at, x, said);
}

function show(place, at, x, { head, rows }) {
  let box = place.querySelector(".read"), guide = place.querySelector(".guide");
  if (!box) {
    [guide, box] = ["guide", "read"].map((name) => Object.assign(document.createElement("div"), { className: name }));
    box.setAttribute("role", "status");
    place.append(guide, box);
  }
  const line = (cells, kind) => {
    const row = document.createElement("div");
    row.append(...cells.map((text) => Object.assign(document.createElement(kind), { textContent: text })));
    return row;
  };
  box.replaceChildren(line([head], "strong"), ...rows.map((cells) => line(cells, "span")));
  box.hidden = guide.hidden = false;
  const across = at.left + at.unit * (at.plot.x + INSET + at.x.to(x) * (at.plot.width - 2 * INSET));
  Object.assign(guide.style, { left: `${across}px`, top: `${at.top + at.unit * at.plot.y}px`, height: `${at.unit * at.plot.height}px` });
  const wide = box.offsetWidth, room = place.clientWidth, low = room < 480;  // on a phone the curves stay in sight
  const left = across + 14 + wide < room ? across + 14 : across - 14 - wide;
  Object.assign(box.style, { left: `${clamp(left, 4, Math.max(4, room - wide - 4))}px`, top: `${at.top + at.unit * (low ? at.plot.y + at.plot.height + 42 : at.plot.y + 6)}px` });
}

function leave(place) {
  about(place.id).at = null;
  for (const part of place.querySelectorAll(".read, .guide")) part.hidden = true;
}
