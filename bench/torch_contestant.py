"""Times PyTorch's calls for `warptune bench`, which starts this program and talks to it by lines.

Asked `problem KEY=VALUE ...` it makes operands and answers `ok VERSION`, `none` when PyTorch has no such call, or
`error TEXT`. Asked `block` it answers the time per call in ns of one timed span: a CUDA graph of many calls, replayed
once between two events, the operands taken in turn from as many copies as warptune itself uses.
"""

import sys

import torch

TYPES = {"float": torch.float32, "__half": torch.float16, "__nv_bfloat16": torch.bfloat16}
LEAD_IN_NS, LEAD_IN_PER_CALL_NS = 30_000, 400  # of waiting on the device, while the host queues a span
WARM_UP_CALLS, MOST_CALLS = 8, 1000
LONG_CALL_NS, BLOCK_NS, BLOCK_OF_LONG_NS = 50e3, 1e6, 2e6


def dot_calls(problem, sets):
    n, kind = int(problem["n"]), TYPES[problem["T"]]
    if n >= 2**31:
        return None
    operands = [(torch.randn(n, device="cuda").to(kind), torch.randn(n, device="cuda").to(kind)) for _ in range(sets)]
    return lambda i: torch.dot(*operands[i])


def row_ids(problem, rows, count):
    order = problem.get("distribution", "any")
    if order == "equal":
        return torch.full((count,), rows // 2, device="cuda")
    if order == "zipf":
        weights = 1.0 / torch.arange(1, rows + 1, device="cuda", dtype=torch.float64)
        return torch.multinomial(weights, count, replacement=True)
    ids = torch.randint(rows, (count,), device="cuda")
    return ids.sort().values if order == "sorted" else ids


def embedding_calls(problem, sets):
    rows, count, width = int(problem["v"]), int(problem["n"]), int(problem["h"])
    id_type = {"int": torch.int32, "long_long": torch.int64}[problem["I"]]
    operands = []
    for _ in range(sets):
        table = torch.randn(rows, width, device="cuda").to(TYPES[problem["T"]])
        operands.append((row_ids(problem, rows, count).to(id_type), table))
    return lambda i: torch.nn.functional.embedding(*operands[i])


CALLS = {"dot": dot_calls, "embedding": embedding_calls}


class Problem:
    def __init__(self, problem):
        torch.cuda.empty_cache()
        # Each set keeps its output, so that outputs are as far from the cache as warptune's own.
        self.outputs = {}
        self.sets, self.revisit = int(problem["sets"]), problem["revisit"] == "1"
        self.call = CALLS[problem["kernel"]](problem, self.sets)
        self.graph = None
        if self.call is None:
            return
        scrub_bytes = int(problem["scrub_bytes"])
        self.scrub = torch.zeros(scrub_bytes // 4, device="cuda") if scrub_bytes else None
        self.rehearsed, self.fixed_cost_ns = problem["rehearsed"] == "1", float(problem["fixed_cost_ns"])
        self.cycles_per_ns = cycles_per_ns()
        warm_up = self.capture(WARM_UP_CALLS)
        self.time(*warm_up)
        call_ns = self.time(*warm_up)
        block_ns = BLOCK_OF_LONG_NS if LONG_CALL_NS <= call_ns < BLOCK_NS else BLOCK_NS
        self.graph = self.capture(min(max(-(-block_ns // call_ns), 1), MOST_CALLS))
        self.time(*self.graph)

    def capture(self, calls):
        calls = int(calls if self.revisit else min(calls, self.sets))
        self.run(0)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for i in range(calls):
                self.run(i % self.sets)
        return graph, calls

    def run(self, operands):
        self.outputs[operands] = None  # its memory is used again
        self.outputs[operands] = self.call(operands)

    def time(self, graph, calls):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        if self.rehearsed:
            graph.replay()
        if self.scrub is not None:
            self.scrub.sum()
        torch.cuda._sleep(int((LEAD_IN_NS + LEAD_IN_PER_CALL_NS * calls) * self.cycles_per_ns))
        start.record()
        graph.replay()
        stop.record()
        stop.synchronize()
        span_ns = start.elapsed_time(stop) * 1e6
        return (span_ns - min(self.fixed_cost_ns, span_ns / 2)) / calls

    def block(self):
        return self.time(*self.graph)


def cycles_per_ns():
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda._sleep(1000)
    start.record()
    torch.cuda._sleep(10_000_000)
    stop.record()
    stop.synchronize()
    return 10_000_000 / (start.elapsed_time(stop) * 1e6)


def answer(line, current):
    words = line.split()
    if words[0] == "block":
        return repr(current.block()), current
    current = None  # frees the last problem's operands
    problem = Problem(dict(word.split("=", 1) for word in words[1:]))
    return ("none" if problem.graph is None else f"ok {torch.__version__}"), problem


def main():
    # Anything printed by a library must not end up among the answers.
    answers, sys.stdout = sys.stdout, sys.stderr
    if not torch.cuda.is_available():
        print("error PyTorch sees no GPU", file=answers, flush=True)
        return
    print(f"ok {torch.__version__}", file=answers, flush=True)
    current = None
    for line in sys.stdin:
        try:
            text, current = answer(line, current)
        except Exception as error:  # whatever it is, the caller reports it
            text, current = "error " + " ".join(str(error).split()), None
        print(text, file=answers, flush=True)


main()
