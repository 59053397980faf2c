"""A database for the browser tests, as a document that `warptune import` reads, and what must be seen of it."""
import json
import math

THREADS, PACK, MODE = [64, 128, 256], [1, 2], ["a", "b"]
SIZES = [2**10, 2**14, 2**18]
BYTES_PER_S = 4e12
EVIL = '<b>"x'
EVIL_REASON = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"


def configs():
    return [{"THREADS": t, "PACK": p, "MODE": m} for t in THREADS for p in PACK for m in MODE]


def fails(config):
    """Two of twelve; no config with these THREADS and PACK runs, so one cell of a map is empty."""
    return config["THREADS"] == 64 and config["PACK"] == 2


def time_ns(config, n):
    return n * (1 + abs(math.log2(config["THREADS"] / 128))) * (1.5 if config["PACK"] == 1 else 1) * (
        1.02 if config["MODE"] == "b" else 1)


def device(model):
    return {"model": model, "compute_capability": 90, "sm_count": 132, "l2_bytes": 52428800, "memory_gib": 80}


TOOLCHAIN = {"driver_version": 13000, "driver_name": "580.1", "nvrtc_version": "13.0", "headers_hash": "abc",
             "warptune_version": "0.1.0"}


def outcome(config, status, reason, time, at):
    return {"config": config, "status": status, "reason": reason, "time_ns": time,
            "blocks_ns": [time] * 3 if time else [], "max_error": None, "verified_ragged": True, "registers": 32,
            "local_bytes": 0, "shared_bytes": 0, "alignment_bytes": 16, "at_unix_ms": at}


def neighbours(best, default, n):
    """At twice the size another config is 10 % faster than the winner; at half the size the winner is the fastest."""
    other = {**best["config"], "MODE": "b"}
    times = [(2 * n, best, 1.1), (2 * n, {"config": other}, 1.0), (2 * n, default, 1.5), (n // 2, best, 1.0)]
    return [{"dims": {"n": size}, "config": each["config"], "time_ns": factor * size, "samples": 12}
            for size, each, factor in times]


def run(uid, kernel, types, n, model, outcomes, best, default):
    bytes_moved = 4.0 * n
    return {
        "uid": uid,
        "problem": {"kernel": kernel, "template_hash": "00", "types": types, "key_dims": {}, "free_dims": {"n": n},
                    "attributes": {}, "numerics": "exact", "device": device(model), "policy": "cold"},
        "toolchain": TOOLCHAIN, "origin": "measured", "strategy": "exhaustive", "seed": "1", "command": "tune",
        "started_unix_s": 1700000000, "ended_unix_s": 1700000060,
        "end": {"complete": True, "space_size": len(outcomes), "wall_s": 1.0, "gpu_s": 0.5, "phase_s": {},
                "clocks": {"sm_mhz_median": 1980, "sm_mhz_lowest": 1935, "sm_mhz_highest": 1980, "rounds": 64,
                           "repeated_rounds": 3, "throttled_rounds": 0, "made_up": 7}},
        "neighbours": neighbours(best, default, n) if kernel == "dot" else [],
        "template_parts": {}, "outcomes": outcomes,
        "winners": [{"alignment_bytes": 16, "config": best["config"], "time_ns": best["time_ns"],
                     "default_time_ns": default["time_ns"], "default_config": default["config"], "certified": True,
                     "certified_by": "race", "interval_low_ns": best["time_ns"] * 0.99,
                     "interval_high_ns": best["time_ns"] * 1.01, "samples": 30, "tied": 0, "verified_ragged": True,
                     "complete": True, "bytes": bytes_moved, "flops": None, "limit_bytes_per_s": BYTES_PER_S}]}


def dot_run(n, model):
    outcomes = []
    for i, config in enumerate(configs()):
        bad = fails(config)
        outcomes.append(outcome(config, "crashed" if bad else "ok", f"illegal address {i}" if bad else "",
                                None if bad else time_ns(config, n), 1700000000000 + i))
    good = [each for each in outcomes if each["status"] == "ok"]
    best = min(good, key=lambda each: each["time_ns"])
    return run(f"dot-{n}-{model}", "dot", {"T": "__half"}, n, model, outcomes, best, good[0])


def evil_run():
    config = {"A<i>": "<i>", 'B"': 1}
    good = outcome(config, "ok", "", 1000.0, 1700000000000)
    bad = outcome({"A<i>": "</td>", 'B"': 2}, "wrong_result", EVIL_REASON, None, 1700000000001)
    return run("evil", EVIL, {"T": "<script>window.hacked = 3</script>"}, 1024, "<u>GPU</u>", [good, bad], good, good)


def document():
    runs = [dot_run(n, "NVIDIA H200") for n in SIZES] + [dot_run(SIZES[0], "NVIDIA H100 PCIe"), evil_run()]
    library = {"kernel": "dot", "types": {"T": "__half"}, "dims": {"n": SIZES[1]}, "attributes": {},
               "device": device("NVIDIA H200"), "policy": "cold", "library": "cuBLAS", "call": "cublasDotEx",
               "library_version": "13.1", "toolchain": TOOLCHAIN, "time_ns": 40000.0, "interval_low_ns": None,
               "interval_high_ns": None, "samples": 20, "at_unix_s": 1700000100,
               "beside": {"config": configs()[0], "time_ns": 20000.0, "speedup": 1.9}}
    return json.dumps({"format": "warptune 1", "runs": runs, "reference_times": [library], "calibrations": []})


def improvements(n):
    """How often the best time so far falls while the configs are tried in order."""
    best, count = math.inf, 0
    for config in configs():
        if not fails(config) and time_ns(config, n) < best:
            best, count = time_ns(config, n), count + 1
    return count
