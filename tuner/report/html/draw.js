// Elements, tooltips, axes. Text only ever enters as text: no name can become markup.
function element(name, attributes, ...children) {
  const svg = svgNames.has(name);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  for (const child of children) made.append(child);
  return made;
}
const svgNames = new Set(["svg", "g", "path", "rect", "circle", "line", "text", "defs", "pattern"]);

const tip = document.getElementById("tip");
function showTip(text, x, y) {
  tip.textContent = text;
  tip.hidden = false;
  const left = Math.min(x + 12, innerWidth - tip.offsetWidth - 8), top = y + 16;
  tip.style.left = Math.max(4, left) + "px";
  tip.style.top = (top + tip.offsetHeight > innerHeight ? Math.max(4, y - tip.offsetHeight - 10) : top) + "px";
}
function hideTip() { tip.hidden = true; }

// A drawn value with a tooltip, for pointer and keyboard.
function mark(shape, text) {
  shape.classList.add("mark");
  shape.setAttribute("tabindex", "0");
  shape.setAttribute("role", "img");
  shape.setAttribute("aria-label", text);
  shape.addEventListener("pointermove", (event) => showTip(text, event.clientX, event.clientY));
  shape.addEventListener("pointerleave", hideTip);
  shape.addEventListener("focus", () => {
    const box = shape.getBoundingClientRect();
    showTip(text, box.left + box.width / 2, box.top + box.height / 2);
  });
  shape.addEventListener("blur", hideTip);
  return shape;
}

function clear(id) {
  const node = document.getElementById(id);
  node.replaceChildren();
  return node;
}
function nothing(id, text) { clear(id).append(element("p", {class: "note"}, text)); }

// Width in SVG units: narrow screens get a narrower drawing, so that text keeps its size.
function chartWidth() { return Math.max(320, Math.min(900, document.querySelector("main").clientWidth)); }
function chart(width, height, label) {
  return element("svg", {viewBox: "0 0 " + width + " " + height, role: "group", "aria-label": label});
}
function label(x, y, text, attributes) { return element("text", {x, y, ...attributes}, text); }
function path(points, attributes) {
  return element("path", {d: points.map(([x, y], i) => (i ? "L" : "M") + x.toFixed(1) + " " + y.toFixed(1)).join(""), ...attributes});
}

// Of any positive numbers: their quotient may be none.
function logRatio(a, b) { return Math.log(a) - Math.log(b); }
function logScale(low, high, from, to) {
  const span = logRatio(high, low) || 1;
  return (value) => from + logRatio(value, low) / span * (to - from);
}
// 1, 2, 5 per decade within the range, thinned to at most `most`; even steps where the range is narrow.
function logTicks(low, high, most) {
  const ticks = [];
  if (high / low < 8) {
    const raw = (high - low) / Math.min(5, most), power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find((each) => each * power >= raw);
    for (let value = Math.ceil(low / step) * step; value <= high; value += step) ticks.push(value);
    return ticks.length ? ticks : [low];
  }
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
    for (const step of [1, 2, 5]) {
      const value = step * 10 ** power;
      if (value >= low * 0.999 && value <= high * 1.001) ticks.push(value);
    }
  const every = Math.ceil(ticks.length / most);
  return ticks.filter((_, i) => i % every === 0);
}
function timeAxis(svg, scale, low, high, left, right) {
  for (const tick of logTicks(low, high, 8)) {
    const y = scale(tick);
    svg.append(element("line", {class: "axis", x1: left, x2: right, y1: y, y2: y}));
    svg.append(label(left - 6, y + 4, timeText(tick), {"text-anchor": "end", class: "soft"}));
  }
}

// What a line or mark stands for, told by form as well as by colour; in as many lines as it takes. Returns where the last is.
function legend(svg, left, right, y, entries) {
  let x = left;
  for (const entry of entries) {
    const wide = 44 + 7 * entry.text.length;
    if (x > left && x + wide > right) { x = left; y += 18; }
    svg.append(path([[x, y - 4], [x + 26, y - 4]], {class: "line " + entry.line}));
    if (entry.shape) svg.append(entry.shape(x + 13, y - 4));
    svg.append(label(x + 32, y, entry.text, {}));
    x += wide;
  }
  return y;
}
const disc = (x, y) => element("circle", {class: "winner-mark", cx: x, cy: y, r: 4.5});
const square = (x, y) => element("rect", {class: "default-mark", x: x - 4, y: y - 4, width: 8, height: 8});
const diamond = (x, y) => element("path", {class: "library-mark", d: "M" + x + " " + (y - 6) + "l6 6l-6 6l-6-6z"});
const ring = (x, y) => element("circle", {class: "limit-mark", cx: x, cy: y, r: 3});

// A remark where a table would be.
function tableNote(id, text) { clear(id).append(element("caption", {class: "note"}, text)); }

// A table from headings [{text, number, long, wraps}] and rows of {cells, below, attributes, select}; `below` stands under its row.
function fillTable(id, headings, rows) {
  const table = clear(id);
  table.append(element("thead", {}, element("tr", {}, ...headings.map((heading) =>
      element("th", {scope: "col", ...(heading.number ? {class: "number"} : {})}, heading.text)))));
  const body = element("tbody", {});
  for (const row of rows) {
    const line = element("tr", row.attributes || {}, ...row.cells.map((cell, i) =>
        element("td", {class: ["number", "long", "wraps"].find((kind) => headings[i][kind]) || ""}, cell)));
    body.append(line);
    const below = row.below ? element("tr", {class: "below", "aria-selected": line.getAttribute("aria-selected") || "false"},
                                      element("td", {colspan: headings.length}, row.below)) : null;
    if (below) body.append(below);
    if (!row.select) continue;
    line.tabIndex = 0;
    line.addEventListener("keydown", (event) => { if (event.key === "Enter") row.select(); });
    for (const each of [line, below].filter(Boolean)) {
      each.classList.add("selectable");
      each.addEventListener("click", row.select);
    }
  }
  table.append(body);
}
