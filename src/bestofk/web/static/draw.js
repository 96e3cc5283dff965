// A chart as the server describes it, drawn with plotly: SVG traces only.
const MOST_NAMES = 20;  // more would leave no room for the picture
const DASHES = ["solid", "dash", "dashdot", "dot"];

export function plotlyReady() {
  if (window.Plotly) return Promise.resolve(window.Plotly);
  const tag = document.getElementById("plotly");
  return new Promise((resolve, reject) => {
    tag.addEventListener("load", () => resolve(window.Plotly));
    tag.addEventListener("error", reject);
  });
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function faint(hex, count) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  return `rgba(${r},${g},${b},${count > 4 ? 0.06 : 0.18})`;
}

// The outline of a band; an infinite edge runs along the edge of the picture.
function outline(area, step, [bottom, top]) {
  const x = [], low = [], high = [];
  area.x.forEach((at, i) => {
    const l = area.lower[i] ?? bottom, h = area.upper[i] ?? top;
    if (step && i > 0) { x.push(at); low.push(low.at(-1)); high.push(high.at(-1)); }
    x.push(at); low.push(l); high.push(h);
  });
  return { x: [...x, ...x.toReversed()], y: [...high, ...low.toReversed()] };
}

function traces(series, i, { range, series: { length: count } }) {
  const ink = colour(`--c${i % 7}`), dash = DASHES[i % 4], shape = series.step ? "hv" : "linear";
  const found = [];
  if (series.area) {
    const { x, lower, upper } = series.area;
    found.push({ ...outline(series.area, series.step, range), type: "scatter", mode: "lines", fill: "toself",
      fillcolor: faint(ink, count), line: { width: 0 }, hoverinfo: "skip", showlegend: false });
    found.push({ x: [...x, null, ...x], y: [...upper, null, ...lower], type: "scatter", mode: "lines",
      name: plain(short(series.label)), line: { color: ink, width: 0.8, dash, shape }, showlegend: false });
  }
  if (series.hatched) {  // rests on an assumption
    found.push({ ...outline(series.hatched, series.step, range), type: "scatter", mode: "lines", fill: "toself",
      fillpattern: { shape: "/", size: 6, solidity: 0.15, fgcolor: ink, bgcolor: "rgba(0,0,0,0)" },
      line: { width: 0 }, hoverinfo: "skip", showlegend: false });
  }
  found.push({ x: series.x, y: series.y, type: "scatter", mode: series.x.length === 1 ? "markers" : "lines",
    name: plain(short(series.label)), line: { color: ink, width: 2.2, dash, shape } });
  return found;
}

// Names often differ at the end.
function short(text) {
  return text.length > 60 ? `${text.slice(0, 40)}…${text.slice(-19)}` : text;
}

// plotly takes a little HTML in names: whatever the user wrote is shown as it is.
export function plain(text) {
  return String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

// Where a logarithmic axis is marked: at whole numbers that can be read without counting.
function marks(values) {
  const low = Math.min(...values), high = Math.max(...values);
  const steps = high / low > 500 ? [1] : [1, 2, 5], found = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e += 1) {
    found.push(...steps.map((step) => Number(`${step}e${e}`)));
  }
  return { tickvals: found, ticktext: found.map(String) };
}

function layout(chart, several, values) {
  const text = colour("--text"), line = colour("--line");
  const axis = { gridcolor: line, linecolor: line, color: text, zerolinecolor: text,
    zeroline: chart.base === 0 };
  const shapes = (chart.ribbon?.strips ?? []).map(([from, to, who]) => ({
    type: "rect", xref: "x", yref: "paper", x0: from, x1: to, y0: 0, y1: 0.035,
    fillcolor: colour(`--c${who % 7}`), line: { width: 0 } }));
  return {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: text, size: 13 },
    margin: { l: 65, r: 15, t: several ? 35 : 10, b: 60 }, showlegend: several,
    legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
    xaxis: { ...axis, title: { text: plain(chart.x_label), standoff: 8 }, type: chart.log_x ? "log" : "linear",
      ...(chart.log_x ? marks(values) : {}) },
    yaxis: { ...axis, title: { text: plain(chart.y_label) }, range: chart.range }, shapes,
    annotations: chart.ribbon ? [{ xref: "paper", yref: "paper", x: 0, y: 0.04, yanchor: "bottom",
      showarrow: false, text: plain(chart.ribbon.label), font: { size: 11, color: text } }] : [],
  };
}

const CONFIG = { displayModeBar: false, responsive: true };

export async function draw(id, chart) {
  const place = document.getElementById(id);
  if (!place) return;
  const plotly = await plotlyReady();
  if (!chart?.series) { plotly.purge(place); delete place.dataset.drawn; return; }
  const data = chart.series.flatMap((series, i) => traces(series, i, chart));
  await plotly.react(place, data, layout(chart, chart.series.length > 1 && chart.series.length <= MOST_NAMES,
    chart.series.flatMap((series) => series.x)), CONFIG);
  place.dataset.drawn = String(Number(place.dataset.drawn ?? 0) + 1);
}

export async function scatter(id, points, param) {
  const place = document.getElementById(id);
  if (!place || !points?.params?.[param]) return;
  const plotly = await plotlyReady();
  const values = points.params[param];
  const numbers = values.every((v) => v === null || typeof v === "number");
  const there = numbers ? values.filter((v) => v !== null) : [];
  const log = numbers && there.length > 0 && Math.min(...there) > 0 && Math.max(...there) / Math.min(...there) > 64;
  const ink = colour("--c0");
  const chart = { x_label: param, y_label: points.metric, log_x: log, range: undefined, ribbon: null };
  const picture = layout(chart, false, there);
  if (!numbers) picture.xaxis.type = "category";
  await plotly.react(place, [{ x: numbers ? values : values.map((v) => (v === null ? null : plain(v))), y: points.score,
    type: "scatter", mode: "markers", marker: { color: ink, size: 6, opacity: 0.7 },
    text: points.number.map((n) => `trial ${n}`) }], picture, CONFIG);
  place.dataset.drawn = "1";
}
