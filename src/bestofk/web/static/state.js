// The controls and the address bar: each says what the other says.
const form = () => document.getElementById("controls");
const PARTS = ["confidence", "statistic", "pick", "scope", "axis", "budgets", "of", "unequal", "paired", "band", "simultaneous", "estimator", "direction", "failed", "low", "high", "cost_limit", "log_x"];

// What the controls say, as the words of an address; what an address says beside them stays.
export function query() {
  const words = new URLSearchParams();
  const old = new URLSearchParams(location.search);
  const boxes = document.querySelectorAll("#names input");
  const names = boxes.length ? [...boxes].filter((b) => b.checked).map((b) => b.value) : old.getAll("name");
  names.forEach((name) => words.append("name", name));
  const budget = document.getElementById("budget");
  if (budget?.value && !budget.closest("details:not([open])")) words.set("budget", budget.value);
  const param = document.getElementById("param");
  if (param?.selectedIndex > 0) words.set("param", param.value);
  const opened = [...document.querySelectorAll(".ask[open]")].map((place) => place.dataset.about);
  if (opened.length) words.set("open", opened.join(","));
  const fields = form()?.elements ?? {};
  for (const part of PARTS) {
    const input = fields[part];
    if (!input) continue;
    let value = input.value;
    if (part === "statistic" && value === "quantile") value = fields.quantile.value || "0.9";
    if (part === "estimator" && fields.statistic.value !== "mean") value = "";
    const optional = ["budgets", "simultaneous", "estimator", "direction", "low", "high", "cost_limit", "log_x"].includes(part);
    if (value !== "" || (optional && old.has(part))) words.set(part, value);
  }
  return words;
}

export function show(view) {
  const fields = form()?.elements;
  if (!fields || !view) return;
  for (const part of PARTS) {
    if (!fields[part] || part === "statistic") continue;
    const value = part === "budgets" ? view[part]?.join(", ") : view[part];
    fields[part].value = part === "log_x" ? (value === null ? "" : value ? "1" : "0") : (value ?? "");
  }
  if (fields.statistic) {
    const named = ["median", "mean"].includes(view.statistic);
    fields.statistic.value = named ? view.statistic : "quantile";
    if (!named) fields.quantile.value = view.statistic;
  }
  mark();
}

// What depends on another control is only open when it means something.
export function mark() {
  const fields = form()?.elements;
  if (!fields) return;
  if (fields.quantile) fields.quantile.disabled = fields.statistic.value !== "quantile";
  if (fields.estimator) fields.estimator.disabled = fields.statistic.value !== "mean";
  if (fields.scope && fields.simultaneous) fields.simultaneous.disabled = fields.scope.value === "benchmark";
  if (fields.statistic && fields.paired) {  // a sign test is about no quantile
    fields.statistic.disabled = fields.paired.value === "true";
    fields.quantile.disabled ||= fields.statistic.disabled;
  }
  if (fields.axis && fields.budgets) fields.budgets.placeholder = fields.axis.value === "cost" ? "such as 60, 120" : "automatic";
  if (fields.cost_limit) fields.cost_limit.disabled = fields.axis.value !== "cost";
  const shown = Number((100 * fields.confidence.value).toFixed(1));
  document.getElementById("confidence-shown").value = `${shown} %`;
  fields.confidence.setAttribute("aria-valuetext", `${shown} percent`);
}

// What the page may claim, in a few words; where nothing, there is no confidence to choose.
export function claim({ standing, reasons }) {
  const place = document.getElementById("validity");
  place.textContent = standing;
  place.title = reasons.join("; ");
  place.hidden = standing === "";
  for (const label of document.querySelectorAll(".sure")) label.hidden = standing.startsWith("void:");
}

export function watch(dragged, chosen) {
  form()?.addEventListener("submit", (event) => event.preventDefault());
  form()?.elements.axis?.addEventListener("change", () => {  // budgets of the other axis mean nothing
    for (const name of ["low", "high", "budgets"]) if (form().elements[name]) form().elements[name].value = "";
  });
  form()?.addEventListener("input", (event) => {  // what is half typed means nothing
    if (event.target.type === "text") return;
    mark();
    dragged();
  });
  for (const place of [form(), document.getElementById("names"), document.getElementById("budget")]) {
    place?.addEventListener("change", () => { mark(); chosen(); });
  }
}
