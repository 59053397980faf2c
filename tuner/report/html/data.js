// The embedded data and how it is unpacked. `data` is what report_data.cpp wrote.
const data = JSON.parse(document.getElementById("data").textContent);

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const digitOf = new Map([...digits].map((character, value) => [character, value]));

function number(text, start, length) {
  let value = 0;
  for (let i = start; i < start + length; ++i) value = value * 64 + digitOf.get(text[i]);
  return value;
}

// A config from its code: the index of a value per tunable, mixed radix, the last tunable fastest.
function indicesOf(kernel, code) {
  const indices = new Array(kernel.tunables.length);
  for (let i = kernel.tunables.length - 1; i >= 0; --i) {
    const count = kernel.tunables[i].values.length;
    indices[i] = code % count;
    code = Math.floor(code / count);
  }
  return indices;
}

function configText(kernel, code) {
  return indicesOf(kernel, code).map((value, i) => kernel.tunables[i].name + "=" + kernel.tunables[i].values[value]).join(" ");
}

// The configs of a problem in the order in which they were tried: {code, indices, time_ns or null, status}.
function configsOf(kernel, problem) {
  if (problem.unpacked) return problem.unpacked;
  const width = kernel.code_digits + 3, configs = [];
  for (let at = 0; at + width <= problem.configs.length; at += width) {
    const code = number(problem.configs, at, kernel.code_digits);
    const packed = number(problem.configs, at + kernel.code_digits, 3);
    const failed = packed >= data.first_status;
    configs.push({code, indices: indicesOf(kernel, code),
                  time_ns: failed ? null : problem.best_ns * Math.exp(packed * data.time_step),
                  status: failed ? data.statuses[packed - data.first_status] : "ok"});
  }
  return problem.unpacked = configs;
}

function dimsText(problem) {
  return Object.entries(problem.dims).map(([name, value]) => name + "=" + value).join(" ");
}

function problemText(problem) {
  const device = data.devices[problem.device];
  return [problem.types, dimsText(problem), problem.attributes, problem.class, problem.policy,
          data.devices.length > 1 ? device.model : ""].filter(Boolean).join(" ");
}

function significant(value) { return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2); }
function timeText(ns) {
  if (ns == null) return "-";
  for (const [factor, unit] of [[1, "ns"], [1e3, "us"], [1e6, "ms"]]) if (ns < 1000 * factor) return significant(ns / factor) + " " + unit;
  return significant(ns / 1e9) + " s";
}
function rateText(bytesPerSecond) {
  if (bytesPerSecond == null) return "-";
  return bytesPerSecond >= 1e12 ? significant(bytesPerSecond / 1e12) + " TB/s" : significant(bytesPerSecond / 1e9) + " GB/s";
}
function percentText(share) { return share == null ? "-" : (100 * share).toFixed(1) + " %"; }
// Beyond what a script's dates hold, the plain number.
function dateText(unix_s) {
  if (Math.abs(unix_s) > 8.64e12) return unix_s + " s";
  return unix_s ? new Date(1000 * unix_s).toISOString().slice(0, 16).replace("T", " ") + " UTC" : "-";
}
function sizeText(value) {
  if (value >= 1024 && Number.isInteger(Math.log2(value))) return "2^" + Math.log2(value);
  return value >= 1e6 ? value.toExponential(1) : String(value);
}
