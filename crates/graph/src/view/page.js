"use strict";
// Texts from the code come in as text nodes only; nothing here makes markup of a string.
const data = JSON.parse(document.getElementById("data").textContent);
const drawing = document.getElementById("drawing");
const world = document.getElementById("world");
const details = document.getElementById("details");
const search = document.getElementById("search");
const hits = document.getElementById("hits");
const nodes = data.nodes.map((_, at) => document.getElementById("n" + at));
const edges = data.edges.map((_, at) => document.getElementById("e" + at));
const size = { width: +drawing.dataset.width, height: +drawing.dataset.height };
let scale = 1, left = 0, top_ = 0, chosen = -1;

function place() {
  world.setAttribute("transform", `translate(${left} ${top_}) scale(${scale})`);
}

// Shows everything, unless it would be smaller than `smallest`: then what is around the middle.
function fit(smallest) {
  const box = drawing.getBoundingClientRect();
  const fitting = Math.min(box.width / size.width, box.height / size.height);
  scale = Math.min(1.15, Math.max(fitting, smallest));
  left = (box.width - size.width * scale) / 2;
  top_ = (box.height - size.height * scale) / 2;
  if (fitting < scale) show(data.nodes.findIndex((node) => node.column === 0), true);
  place();
}

function zoom(factor, x, y) {
  const next = Math.min(3, Math.max(0.02, scale * factor));
  left = x - (x - left) * (next / scale);
  top_ = y - (y - top_) * (next / scale);
  scale = next;
  place();
}

// Moves the drawing so that a node is seen, or is in the middle.
function show(at, middle) {
  if (at < 0) return;
  const view = drawing.getBoundingClientRect();
  const matrix = nodes[at].transform.baseVal.consolidate().matrix;
  const x = (matrix.e + 98) * scale, y = (matrix.f + 20) * scale;
  const seen = x + left > 90 && x + left < view.width - 90 && y + top_ > 40 && y + top_ < view.height - 40;
  if (middle || !seen) {
    left = view.width / 2 - x;
    top_ = view.height / 2 - y;
    place();
  }
}

function element(name, text, parent) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

function link(file, line, parent) {
  const made = element("a", `${file}:${line}`, parent);
  made.href = data.base + file.split("/").map(encodeURIComponent).join("/") + "#L" + line;
  return made;
}

function choose(at, focus) {
  chosen = at;
  world.classList.toggle("chosen-one", at >= 0);
  const near = new Set([at]);
  data.edges.forEach((edge, number) => {
    const joined = edge.from === at || edge.to === at;
    edges[number].classList.toggle("near", joined);
    if (joined) near.add(edge.from).add(edge.to);
  });
  nodes.forEach((node, number) => {
    node.classList.toggle("chosen", number === at);
    node.classList.toggle("near", near.has(number));
  });
  details.hidden = at < 0;
  if (at < 0) return;
  describe(at);
  show(at, false);
  if (focus) nodes[at].focus({ preventScroll: true });
}

function describe(at) {
  const node = data.nodes[at];
  details.replaceChildren();
  const close = element("button", "✕", details);
  close.className = "close";
  close.setAttribute("aria-label", "Close");
  close.addEventListener("click", () => choose(-1));
  element("h2", node.qualified, details);
  const place = element("p", node.kind + " in ", details);
  link(node.file, node.line, place);
  if (node.signature) element("pre", node.signature, details);
  list("Used by", data.edges.filter((edge) => edge.to === at), "from");
  list("Uses", data.edges.filter((edge) => edge.from === at), "to");
}

function list(title, rows, end) {
  if (!rows.length) return;
  element("h3", `${title} (${rows.length})`, details);
  const items = element("ul", undefined, details);
  for (const row of rows) {
    const item = element("li", undefined, items);
    const button = element("button", data.nodes[row[end]].label, item);
    button.addEventListener("click", () => choose(row[end], true));
    const more = row.uses > 1 ? ` and ${row.uses - 1} more` : "";
    const words = element("small", ` ${row.kind}, ${row.evidence}: `, item);
    link(row.file, row.line, words);
    words.append(more);
  }
}

function find() {
  const wanted = search.value.trim().toLowerCase();
  const found = [];
  nodes.forEach((node, at) => {
    const { qualified, label, file } = data.nodes[at];
    // A word is looked for in names alone; with a dot or slash it is part of a path.
    const texts = /[./:#]/.test(wanted) ? [qualified, label, file] : [label];
    const hit = wanted !== "" && texts.some((text) => text.toLowerCase().includes(wanted));
    node.classList.toggle("hit", hit);
    if (hit) found.push(at);
  });
  world.classList.toggle("searched", wanted !== "");
  hits.textContent = wanted === "" ? "" : found.length === 1 ? "1 symbol" : `${found.length} symbols`;
  return found;
}

// The next node in a direction: along an edge to the side, else the nearest in the column.
function next(key) {
  if (chosen < 0) return data.nodes.findIndex((node) => node.column === 0);
  const spot = (at) => nodes[at].transform.baseVal.consolidate().matrix;
  const here = spot(chosen);
  const distance = (at) => Math.abs(spot(at).f - here.f) + Math.abs(spot(at).e - here.e);
  let candidates;
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const joined = data.edges.flatMap((edge) =>
      edge.from === chosen ? [edge.to] : edge.to === chosen ? [edge.from] : []);
    const side = key === "ArrowLeft" ? (at) => spot(at).e < here.e : (at) => spot(at).e > here.e;
    candidates = joined.filter(side);
  } else {
    const side = key === "ArrowUp" ? (at) => spot(at).f < here.f : (at) => spot(at).f > here.f;
    candidates = nodes.map((_, at) => at).filter((at) => spot(at).e === here.e && side(at));
  }
  return candidates.sort((a, b) => distance(a) - distance(b) || a - b)[0] ?? chosen;
}

nodes.forEach((node, at) => {
  node.addEventListener("click", (event) => { event.stopPropagation(); choose(at, true); });
  node.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(at, true); }
  });
});

let grabbed = null, moved = false;
drawing.addEventListener("pointerdown", (event) => {
  grabbed = { x: event.clientX - left, y: event.clientY - top_, startX: event.clientX, startY: event.clientY };
  moved = false;
});
window.addEventListener("pointermove", (event) => {
  if (!grabbed) return;
  moved ||= Math.hypot(event.clientX - grabbed.startX, event.clientY - grabbed.startY) > 4;
  if (!moved) return;
  drawing.classList.add("moving");
  left = event.clientX - grabbed.x;
  top_ = event.clientY - grabbed.y;
  place();
});
window.addEventListener("pointerup", () => { grabbed = null; drawing.classList.remove("moving"); });
drawing.addEventListener("click", () => { if (!moved) choose(-1); });
drawing.addEventListener("wheel", (event) => {
  event.preventDefault();
  const box = drawing.getBoundingClientRect();
  zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - box.left, event.clientY - box.top);
}, { passive: false });

search.addEventListener("input", find);
search.addEventListener("keydown", (event) => {
  event.stopPropagation();
  if (event.key === "Enter") {
    const found = find();
    if (found.length) choose(found[(found.indexOf(chosen) + 1) % found.length], false);
  }
  if (event.key === "Escape") { search.value = ""; find(); search.blur(); }
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const box = drawing.getBoundingClientRect();
  const middle = [box.width / 2, box.height / 2];
  if (event.key === "/") { event.preventDefault(); search.focus(); search.select(); }
  else if (event.key === "Escape") choose(-1);
  else if (event.key === "+" || event.key === "=") zoom(1.25, ...middle);
  else if (event.key === "-") zoom(0.8, ...middle);
  else if (event.key === "0") fit(0.02);
  else if (event.key.startsWith("Arrow")) { event.preventDefault(); choose(next(event.key), true); }
});
window.addEventListener("resize", () => fit(0.62));
fit(0.62);
