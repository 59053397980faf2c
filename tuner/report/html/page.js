// Tables, controls, and what happens when they change.
const state = {kernel: 0, problem: 0};
const control = (id) => document.getElementById(id);

for (const kernel of data.kernels) for (const problem of kernel.problems) problem.winner = problem.winners[problem.winners.length - 1] || null;

function options(id, texts, chosen) {
  const list = clear(id);
  texts.forEach((text, i) => list.append(element("option", {value: i}, text)));
  list.value = String(Math.max(0, Math.min(texts.length - 1, chosen)));
}

function winnerRow(kernel, k, problem, p) {
  const winner = problem.winner, origin = winner.origin === "measured" ? "" : winner.origin;
  const trust = [winner.certified ? "certified" : "not certified", winner.state === "unchecked" ? "" : winner.state, origin].filter(Boolean).join(", ");
  return {
    cells: [kernel.name, problem.types, dimsText(problem), timeText(winner.time_ns),
            winner.default_ns ? (winner.default_ns / winner.time_ns).toFixed(2) + "x" : "-", rateText(winner.bytes_per_s),
            percentText(winner.limit_ns ? winner.limit_ns / winner.time_ns : null), trust, data.devices[problem.device].model],
    below: configText(kernel, winner.code),
    attributes: {class: "winner-row", "aria-selected": String(k === state.kernel && p === state.problem)},
    select: () => choose(k, p),
  };
}

function drawWinners() {
  const words = control("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = [];
  let all = 0;
  data.kernels.forEach((kernel, k) => kernel.problems.forEach((problem, p) => {
    if (!problem.winner) return;
    ++all;
    const row = winnerRow(kernel, k, problem, p), text = [...row.cells, row.below].join(" ").toLowerCase();
    if (words.every((word) => text.includes(word))) rows.push(row);
  }));
  const shown = rows.slice(0, 200);
  fillTable("winners", [{text: "kernel"}, {text: "types"}, {text: "dims", wraps: true}, {text: "time", number: true}, {text: "over default", number: true},
                        {text: "rate", number: true}, {text: "of limit", number: true}, {text: "trust", wraps: true}, {text: "GPU", wraps: true}], shown);
  control("filter-count").textContent = rows.length + " of " + all + (shown.length < rows.length ? ", the first " + shown.length + " shown" : "");
}

function drawFailures(kernel, problem) {
  if (problem.failures.length === 0) {
    const counts = configsOf(kernel, problem).length;
    return tableNote("failures", "None of the " + counts + " configs that were tried failed.");
  }
  fillTable("failures", [{text: "outcome"}, {text: "configs", number: true}, {text: "reason", long: true}, {text: "example", long: true}],
            problem.failures.map((failure) => ({cells: [failure.status, String(failure.count), failure.reason, failure.example], attributes: {class: "failure-row"}})));
}

// What the winner loses where a dim is doubled or halved.
function drawNearby(kernel, problem) {
  if (problem.nearby.length === 0) {
    return tableNote("nearby", "None was timed, so what the winner loses at other dims is not known.");
  }
  const loss = (time_ns, each) => time_ns == null ? "-" : percentText(time_ns / each.fastest_ns - 1);
  fillTable("nearby", [{text: "dims"}, {text: "winner there", number: true}, {text: "its loss", number: true}, {text: "default's loss", number: true},
                       {text: "configs timed", number: true}],
            problem.nearby.map((each) => ({cells: [dimsText(each), timeText(each.winner_ns), loss(each.winner_ns, each), loss(each.default_ns, each),
                                                   String(each.configs)], below: "fastest there: " + configText(kernel, each.fastest), attributes: {class: "nearby-row"}})));
}

// What was seen of the card while a run measured; names that are not known here are shown as they are.
function clocksText(clocks) {
  const left = {...clocks}, words = [];
  const take = (name) => { const value = left[name]; delete left[name]; return value; };
  const median = take("sm_mhz_median"), lowest = take("sm_mhz_lowest"), highest = take("sm_mhz_highest");
  if (median != null) words.push("SM clock " + median + " MHz" + (lowest != null && highest != null && lowest < highest ? " (" + lowest + " to " + highest + ")" : ""));
  const temperature = take("temperature_c_highest"), stall = take("longest_stall_us"), rounds = take("rounds"), repeated = take("repeated_rounds");
  if (temperature != null) words.push("at most " + temperature + " °C");
  if (stall != null) words.push("longest stall " + timeText(1000 * stall));
  if (rounds != null) words.push(rounds + " rounds raced" + (repeated ? ", " + repeated + " repeated" : ""));
  for (const [name, value] of Object.entries(left)) if (value !== 0) words.push(name.replaceAll("_", " ") + " " + value);
  return words.join(", ");
}

function drawProvenance(kernel, problem) {
  const device = data.devices[problem.device], rows = [];
  const add = (name, value) => { if (value !== "" && value != null) rows.push({cells: [name, String(value)]}); };
  add("GPU", device.model + ", compute capability " + (device.compute_capability / 10).toFixed(1) + ", " + device.sm_count + " SMs, L2 " + device.l2_bytes +
      " bytes, " + device.memory_gib + " GiB");
  add("Template", kernel.name + " " + problem.template_hash);
  add("Key", problem.types + " " + dimsText(problem) + ", class " + problem.class + ", timed " + problem.policy + (problem.attributes ? ", " + problem.attributes : ""));
  for (const winner of problem.winners)
    add("Winner for " + winner.alignment_bytes + "-byte alignment", configText(kernel, winner.code) + ": " + timeText(winner.time_ns) +
        (winner.certified ? ", certified by its " + winner.certified_by + (winner.low_ns ? " (95 %: " + timeText(winner.low_ns) + " to " + timeText(winner.high_ns) + ")" : "") : ", not certified") +
        ", " + winner.samples + " blocks, tied with " + winner.tied + ", run " + winner.run + ", " + winner.origin);
  for (const run of problem.runs)
    add("Run " + run.id, dateText(run.started_unix_s) + ", " + run.origin + ", " + run.strategy + " seed " + run.seed + (run.complete ? ", complete" : ", not complete") +
        ", driver " + (run.driver || "unknown") + ", NVRTC " + (run.nvrtc || "unknown") + " headers " + run.headers + ", warptune " + run.warptune + "\n" + [clocksText(run.clocks), run.command].filter(Boolean).join("\n"));
  for (const library of problem.libraries) add("Library", library.library + " " + library.version + " " + library.call + ": " + timeText(library.time_ns) + ", " + dateText(library.at_unix_s) +
      besideText(library));
  add("Database", data.database.file + ", " + data.database.bytes + " bytes, schema " + data.database.schema + ", " + data.database.runs + " runs, " + data.database.outcomes + " outcomes");
  fillTable("provenance", [{text: "what"}, {text: "", long: true}], rows);
}

function drawProblem() {
  const kernel = data.kernels[state.kernel], problem = kernel.problems[state.problem];
  const dims = Object.keys(problem.dims), names = kernel.tunables.map((each) => each.name);
  if (state.shown !== kernel) {
    const most = [...problem.variance].sort((a, b) => b[1] - a[1]).map(([name]) => names.indexOf(name));
    const first = most.length > 1 ? most[0] : 0, second = most.length > 1 ? most[1] : Math.min(1, names.length - 1);
    options("heat-x", names, first);
    options("heat-y", names, second);
    options("size-dim", dims, dims.findIndex((dim) => new Set(kernel.problems.map((each) => each.dims[dim])).size > 1));
    state.shown = kernel;
  }
  control("chosen").textContent = "What follows is of " + kernel.name + " " + problemText(problem) + ".";  // paper has no controls
  drawSize(kernel, problem, dims[control("size-dim").value]);
  drawHeat(kernel, problem, names[control("heat-x").value], names[control("heat-y").value]);
  drawDistribution(kernel, problem);
  drawVariance(kernel, problem);
  drawConvergence(kernel, problem);
  drawNearby(kernel, problem);
  drawFailures(kernel, problem);
  drawProvenance(kernel, problem);
}

function choose(k, p) {
  state.kernel = k;
  state.problem = p;
  control("kernel").value = String(k);
  options("problem", data.kernels[k].problems.map(problemText), p);
  drawWinners();
  drawProblem();
}

control("subtitle").textContent = data.database.file + ", " + data.devices.map((device) => device.model).join(", ") + ", written " + dateText(data.generated_unix_s) +
    " by warptune " + data.warptune;
if (data.kernels.length === 0) {
  document.querySelector("main").replaceChildren(element("p", {class: "note"}, "The database holds no outcomes. `warptune tune` makes some."));
  control("controls").hidden = true;
} else {
  options("kernel", data.kernels.map((kernel) => kernel.name), 0);
  control("kernel").addEventListener("change", (event) => choose(Number(event.target.value), 0));
  control("problem").addEventListener("change", (event) => choose(state.kernel, Number(event.target.value)));
  control("filter").addEventListener("input", drawWinners);
  for (const id of ["heat-x", "heat-y", "size-dim"]) control(id).addEventListener("change", drawProblem);
  let width = 0;
  addEventListener("resize", () => { if (chartWidth() !== width) { width = chartWidth(); drawProblem(); } });
  addEventListener("scroll", hideTip, {passive: true});
  choose(0, 0);
  width = chartWidth();
}
