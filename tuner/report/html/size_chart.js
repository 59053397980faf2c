// Time against size: winners, defaults, the card's limit, other libraries.
function drawSize(kernel, problem, dim) {
  const series = kernel.problems.filter((each) => each.winner && each.dims[dim] > 0 && each.types === problem.types &&
      each.class === problem.class && each.policy === problem.policy && each.attributes === problem.attributes &&
      each.device === problem.device && sameBut(each, problem, dim))
      .sort((a, b) => a.dims[dim] - b.dims[dim]);
  if (series.length === 0) return nothing("size", "No winner is stored for such problems.");
  const points = [];
  for (const each of series) {
    const x = each.dims[dim], winner = each.winner;
    points.push({kind: "winner", x, y: winner.time_ns, text: "winner, " + dim + "=" + x + "\n" + timeText(winner.time_ns) + ", " +
        rateText(winner.bytes_per_s) + "\n" + configText(kernel, winner.code)});
    if (winner.default_ns) points.push({kind: "default", x, y: winner.default_ns, text: "default, " + dim + "=" + x + "\n" + timeText(winner.default_ns)});
    if (winner.limit_ns) points.push({kind: "limit", x, y: winner.limit_ns, text: "the card's limit, " + dim + "=" + x + "\n" + timeText(winner.limit_ns)});
    for (const library of each.libraries) points.push({kind: "library", name: library.library + " " + library.call, x, y: library.time_ns,
        text: library.library + " " + library.version + " " + library.call + ", " + dim + "=" + x + "\n" + timeText(library.time_ns) + besideText(library)});
  }
  const shapes = {winner: disc, default: square, limit: ring, library: diamond};
  const lines = [];
  for (const kind of ["limit", "default", "library", "winner"]) {
    const mine = points.filter((point) => point.kind === kind);
    for (const name of new Set(mine.map((point) => point.name || kind)))
      lines.push({kind, line: kind + "-line", shape: shapes[kind], text: name, points: mine.filter((point) => (point.name || kind) === name)});
  }
  const width = chartWidth(), left = 62, right = width - 14;
  const svg = chart(width, 0, "Time against " + dim);
  const top = legend(svg, left, right, 16, lines) + 18, bottom = top + 312, height = bottom + 34;
  svg.setAttribute("viewBox", "0 0 " + width + " " + height);
  const xs = points.map((point) => point.x), ys = points.map((point) => point.y);
  const lowX = Math.min(...xs), highX = Math.max(...xs);
  const lowY = Math.min(...ys) / 1.3, highY = Math.max(...ys) * 1.3;
  const inset = lowX === highX ? (right - left) / 2 : 16;
  const x = logScale(lowX, highX, left + inset, right - 16), y = logScale(lowY, highY, bottom, top);
  timeAxis(svg, y, lowY, highY, left, right);
  const ticks = [...new Set(xs)], every = Math.ceil(ticks.length / Math.floor(width / 70));
  ticks.filter((_, i) => i % every === 0).forEach((tick) =>
      svg.append(label(x(tick), bottom + 18, sizeText(tick), {"text-anchor": "middle", class: "soft"})));
  svg.append(label(right, height - 2, dim, {"text-anchor": "end", class: "soft"}));
  for (const each of lines) {
    svg.append(path(each.points.map((point) => [x(point.x), y(point.y)]), {class: "line " + each.line}));
    for (const point of each.points) {
      const shape = mark(each.shape(x(point.x), y(point.y)), point.text);
      shape.classList.add("size-" + each.kind);
      svg.append(shape);
    }
  }
  clear("size").append(svg, element("figcaption", {}, "Both axes are logarithmic. The limit is the bytes of one call over the read " +
      "bandwidth that was measured on this card when it was tuned." + (points.some((point) => point.kind === "library") ?
      " Libraries were timed by `warptune bench`, in another run than winners: what compares is the factor that their marks tell." : "")));
}

// How ours did in the rounds in which the library was timed.
function besideText(library) {
  return library.speedup == null ? "" : "\nours in the same rounds " + timeText(library.ours_ns) + ", " + significant(library.speedup) + "x as fast";
}

function sameBut(a, b, dim) {
  return Object.keys(a.dims).every((name) => name === dim || a.dims[name] === b.dims[name]);
}
