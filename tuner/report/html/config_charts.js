// What the configs of one problem tell: heat map, distribution, shares of variance, convergence.

// Cividis at nine points (Nunez, Anderton and Renslow 2018): even in lightness, and the same with red-green blindness.
const cividis = [[0, 32, 77], [19, 52, 110], [63, 72, 108], [93, 93, 110], [122, 114, 117], [152, 137, 117], [186, 162, 104], [222, 190, 80], [255, 234, 70]];
// 0 is the best.
function shade(share) {
  const at = Math.max(0, Math.min(1, 1 - share)) * (cividis.length - 1), low = Math.min(Math.floor(at), cividis.length - 2);
  const rgb = cividis[low].map((part, i) => Math.round(part + (at - low) * (cividis[low + 1][i] - part)));
  const light = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] > 120;
  return {fill: "rgb(" + rgb.join(",") + ")", ink: light ? "#000" : "#fff"};
}

function drawHeat(kernel, problem, nameX, nameY) {
  const ix = kernel.tunables.findIndex((each) => each.name === nameX), iy = kernel.tunables.findIndex((each) => each.name === nameY);
  if (ix < 0 || iy < 0) return nothing("heat", "A map takes two tunables, and this kernel has fewer.");
  const cells = new Map();
  for (const config of configsOf(kernel, problem)) {
    const key = config.indices[ix] + "," + config.indices[iy], cell = cells.get(key) || {best: null, ok: 0, failed: 0};
    if (config.time_ns == null) ++cell.failed; else ++cell.ok;
    if (config.time_ns != null && (cell.best == null || config.time_ns < cell.best.time_ns)) cell.best = config;
    cells.set(key, cell);
  }
  const times = [...cells.values()].filter((cell) => cell.best).map((cell) => cell.best.time_ns);
  if (times.length === 0) return nothing("heat", "No config of this problem was timed.");
  const low = Math.min(...times), high = Math.max(...times), span = logRatio(high, low) || 1;
  const xs = kernel.tunables[ix].values, ys = kernel.tunables[iy].values;
  const width = chartWidth(), left = 14 + 8 * Math.max(nameY.length, ...ys.map((value) => String(value).length)), top = 40;
  const cellWidth = Math.min(120, (width - left - 8) / xs.length), cellHeight = 34;
  const height = top + cellHeight * ys.length + 8;
  const svg = chart(width, height, "Best time by " + nameX + " and " + nameY);
  svg.append(element("defs", {}, element("pattern", {id: "hatch", width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)"},
      element("rect", {width: 8, height: 8, fill: "none"}), element("line", {class: "axis", x1: 0, y1: 0, x2: 0, y2: 8}))));
  svg.append(label(left, 14, nameX, {class: "soft"}), label(4, 32, nameY, {class: "soft"}));
  xs.forEach((value, i) => svg.append(label(left + (i + 0.5) * cellWidth, 32, String(value), {"text-anchor": "middle"})));
  ys.forEach((value, j) => svg.append(label(left - 6, top + (j + 0.5) * cellHeight + 4, String(value), {"text-anchor": "end"})));
  ys.forEach((valueY, j) => xs.forEach((valueX, i) => {
    const cell = cells.get(i + "," + j), box = {x: left + i * cellWidth, y: top + j * cellHeight, width: cellWidth - 2, height: cellHeight - 2};
    const head = nameX + "=" + valueX + " " + nameY + "=" + valueY + "\n";
    let shape, text, ink = null, words = "";
    if (cell && cell.best) {
      const color = shade(logRatio(cell.best.time_ns, low) / span);
      shape = element("rect", {...box, fill: color.fill});
      ink = color.ink;
      words = significant(cell.best.time_ns / low) + "x";
      text = head + "best " + timeText(cell.best.time_ns) + " of " + cell.ok + " configs" + (cell.failed ? ", " + cell.failed + " failed" : "") +
          "\n" + configText(kernel, cell.best.code);
    } else {
      shape = element("rect", {...box, class: "hatched"});
      words = cell ? "failed" : "";
      text = head + (cell ? "all " + cell.failed + " configs failed" : "no valid config was tried");
    }
    shape.classList.add("heat-cell");
    svg.append(mark(shape, text));
    if (words && cellWidth >= 34) svg.append(element("text", {x: box.x + box.width / 2, y: box.y + box.height / 2 + 4, "text-anchor": "middle",
        "pointer-events": "none", ...(ink ? {style: "fill:" + ink} : {})}, words));
  }));
  clear("heat").append(svg, element("figcaption", {}, "Each cell holds the best of all configs with that pair, over " + timeText(low) +
      ", the best of the map. Hatched: nothing that ran."));
}

function drawDistribution(kernel, problem) {
  const ok = configsOf(kernel, problem).filter((config) => config.time_ns != null);
  if (ok.length === 0) return nothing("distribution", "No config of this problem was timed.");
  const times = ok.map((config) => config.time_ns).sort((a, b) => a - b);
  const marks = [];
  if (problem.winner) marks.push({name: "winner", kind: "winner", time_ns: problem.winner.time_ns});
  if (problem.winner && problem.winner.default_ns) marks.push({name: "default", kind: "default", time_ns: problem.winner.default_ns});
  const low = Math.min(times[0], ...marks.map((each) => each.time_ns)), high = Math.max(times[times.length - 1], ...marks.map((each) => each.time_ns)) * 1.0001;
  const bins = Math.max(8, Math.min(48, Math.ceil(Math.sqrt(times.length) * 1.5))), step = logRatio(high, low) / bins || 1;
  const counts = new Array(bins).fill(0);
  for (const time of times) ++counts[Math.min(bins - 1, Math.floor(logRatio(time, low) / step))];
  const width = chartWidth(), height = 260, left = 46, right = width - 14, top = 40, bottom = height - 30, most = Math.max(...counts);
  const svg = chart(width, height, "How many configs took how long");
  const x = (time) => left + logRatio(time, low) / (step * bins) * (right - left);
  for (const share of [0.5, 1]) {
    const y = bottom - share * (bottom - top);
    svg.append(element("line", {class: "axis", x1: left, x2: right, y1: y, y2: y}), label(left - 6, y + 4, String(Math.round(share * most)), {"text-anchor": "end", class: "soft"}));
  }
  svg.append(element("line", {class: "axis", x1: left, x2: right, y1: bottom, y2: bottom}));
  counts.forEach((count, i) => {
    if (count === 0) return;
    const from = low * Math.exp(i * step), to = low * Math.exp((i + 1) * step), tall = Math.max(1.5, count / most * (bottom - top));
    const shape = element("rect", {class: "bar hist-bar", "data-count": count, x: x(from), width: Math.max(1, x(to) - x(from) - 1), y: bottom - tall, height: tall});
    svg.append(mark(shape, count + (count === 1 ? " config" : " configs") + " between " + timeText(from) + " and " + timeText(to)));
  });
  for (const tick of logTicks(low, high, Math.floor(width / 90))) svg.append(label(x(tick), bottom + 18, timeText(tick), {"text-anchor": x(tick) > right - 24 ? "end" : "middle", class: "soft"}));
  marks.forEach((each, i) => {
    const at = x(each.time_ns), end = at > width - 150;
    const line = element("line", {class: "marker-" + each.kind, x1: at, x2: at, y1: top - 8, y2: bottom});
    line.classList.add("hist-" + each.kind);
    svg.append(mark(line, each.name + " " + timeText(each.time_ns)));
    svg.append(label(end ? at - 5 : at + 5, 14 + 16 * i, each.name + " " + timeText(each.time_ns), {"text-anchor": end ? "end" : "start"}));
  });
  const median = times[Math.floor(times.length / 2)];
  clear("distribution").append(svg, element("figcaption", {}, times.length + " timed configs; the median takes " + significant(median / times[0]) +
      " times the best, the slowest " + significant(times[times.length - 1] / times[0]) + " times."));
}

function drawVariance(kernel, problem) {
  if (problem.variance.length === 0) return nothing("variance", "Too few timed configs to say.");
  const shares = [...problem.variance].sort((a, b) => b[1] - a[1]);
  const rest = Math.max(0, 1 - shares.reduce((sum, [, share]) => sum + share, 0));
  const rows = [...shares, ["together, and noise", rest]];
  const width = chartWidth(), row = 26, left = 16 + 7.5 * Math.max(...rows.map(([name]) => name.length)), height = rows.length * row + 8;
  const svg = chart(width, height, "Share of the variance of times per tunable");
  rows.forEach(([name, share], i) => {
    const y = 4 + i * row, long = share * (width - left - 70);
    svg.append(label(left - 8, y + 16, name, {"text-anchor": "end", ...(i === rows.length - 1 ? {class: "soft"} : {})}));
    const shape = element("rect", {class: "bar", x: left, y: y + 3, width: Math.max(1, long), height: row - 8});
    shape.classList.add(i === rows.length - 1 ? "variance-rest" : "variance-bar");
    svg.append(mark(shape, name + ": " + percentText(share) + " of the variance"));
    svg.append(label(left + long + 6, y + 16, percentText(share), {}));
  });
  clear("variance").append(svg, element("figcaption", {}, "Share of the variance of log time that each tunable explains alone (epsilon squared). " +
      "The rest comes from tunables acting together and from noise; where combinations are missing, shares may add to more than 100 %."));
}

function drawConvergence(kernel, problem) {
  const configs = configsOf(kernel, problem);
  let best = null;
  const steps = [];
  configs.forEach((config, i) => {
    if (config.time_ns == null || (best != null && config.time_ns >= best)) return;
    best = config.time_ns;
    steps.push({tried: i + 1, time_ns: best, code: config.code});
  });
  if (steps.length === 0) return nothing("convergence", "No config of this problem was timed.");
  const width = chartWidth(), height = 240, left = 62, right = width - 14, top = 20, bottom = height - 30;
  const svg = chart(width, height, "Best time against configs tried");
  const low = steps[steps.length - 1].time_ns / 1.05, high = steps[0].time_ns * 1.05;
  const x = (tried) => left + (tried - 1) / Math.max(1, configs.length - 1) * (right - left), y = logScale(low, high, bottom, top);
  timeAxis(svg, y, low, high, left, right);
  const points = [];
  steps.forEach((step, i) => {
    if (i > 0) points.push([x(step.tried), y(steps[i - 1].time_ns)]);
    points.push([x(step.tried), y(step.time_ns)]);
  });
  points.push([right, y(steps[steps.length - 1].time_ns)]);
  svg.append(path(points, {class: "line winner-line"}));
  for (const step of steps) {
    const shape = mark(disc(x(step.tried), y(step.time_ns)), "config " + step.tried + " of " + configs.length + ": " + timeText(step.time_ns) + "\n" + configText(kernel, step.code));
    shape.classList.add("convergence-step");
    svg.append(shape);
  }
  for (const tried of [1, Math.ceil(configs.length / 2), configs.length])
    svg.append(label(x(tried), bottom + 18, String(tried), {"text-anchor": tried === 1 ? "start" : tried === configs.length ? "end" : "middle", class: "soft"}));
  const last = steps[steps.length - 1];
  clear("convergence").append(svg, element("figcaption", {}, "Best screening time so far against configs tried, in the order in which they were tried. The best came as config " +
      last.tried + " of " + configs.length + "." + outlookText(problem.outlook)));
}

function outlookText(outlook) {
  if (!outlook) return "";
  if (outlook.configs === 0) return " No config is left to try.";
  return " A model of these outcomes looked at " + outlook.configs + " configs that were not tried: it gives the most promising one a chance of " +
      percentText(outlook.chance) + " to be faster, and expects trying all of them to save " + percentText(outlook.any_gain) +
      " of the best time. In nine of ten searches of recorded spaces at most " + percentText(outlook.at_most) + " was left in such a place.";
}
