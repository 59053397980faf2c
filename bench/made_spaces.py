#!/usr/bin/env python3
"""Writes spaces of kinds that real kernels have, to see whether a search strategy holds on what it was not made for.

    bench/made_spaces.py FOLDER

Times come from a rough model of a GPU (occupancy, waves, idle lanes, spills, halos), to which six pairs of parameters add an
interaction of 5 % that nothing foresees, and each config 1 % of its own. No kernel was run: the files say nothing about any GPU. They are in the
form that `warptune bench search --spaces FOLDER` reads, and the same each time.
"""

import dataclasses
import gzip
import itertools
import math
import pathlib
import random
import sys

MOST_CONFIGS = 40000


@dataclasses.dataclass
class Gpu:
    sms: int
    threads: int  # resident per SM
    shared_kib: int
    seed: int


A, B, C = Gpu(108, 2048, 164, 1), Gpu(68, 1024, 64, 2), Gpu(82, 1536, 100, 3)


def draw(seed, *key):
    return random.Random(repr((seed,) + key)).gauss(0, 1)


def occupancy(gpu, threads, registers, shared):
    if threads > 1024 or registers > 255 or shared > 1024 * min(gpu.shared_kib, 96):
        return 0
    warps = -(-threads // 32)
    by_shared = int(1024 * gpu.shared_kib // max(1, shared)) if shared else 32
    blocks = min(gpu.threads // (warps * 32), 65536 // max(1, registers * warps * 32), by_shared, 32)
    return blocks * warps * 32 / gpu.threads


def slowness(gpu, threads, registers, shared, work, blocks):
    """Of a launch against the ideal one; None: it fails."""
    occupied = occupancy(gpu, threads, registers, shared)
    if occupied <= 0:
        return None
    warps = -(-threads // 32)
    resident = max(1, int(occupied * gpu.threads / (warps * 32))) * gpu.sms
    fill = blocks / (resident * math.ceil(blocks / resident))
    hidden = min(1, (occupied * min(8, work)) / (0.9 + 0.2 * draw(gpu.seed, "h"))) ** 0.6
    return (1 / (0.25 + 0.75 * fill)) / (hidden * (threads / (warps * 32)))


class Hotspot:
    values = dict(block_size_x=[1, 2, 4, 8] + [16 * i for i in range(1, 17)], block_size_y=[1, 2, 4, 8, 16, 32],
                  tile_size_x=list(range(1, 7)), tile_size_y=list(range(1, 7)), temporal_tiling_factor=[1, 2, 3, 5, 7, 10],
                  loop_unroll_factor_t=[1, 2, 5], sh_power=[0, 1], blocks_per_sm=[0, 2, 4])

    @staticmethod
    def valid(gpu, c):
        threads, steps = c["block_size_x"] * c["block_size_y"], c["temporal_tiling_factor"]
        return (32 <= threads <= 1024 and steps % c["loop_unroll_factor_t"] == 0
                and c["block_size_x"] * c["tile_size_x"] > 2 * steps and c["block_size_y"] * c["tile_size_y"] > 2 * steps
                and threads * c["blocks_per_sm"] <= gpu.threads and c["tile_size_x"] * c["tile_size_y"] <= 16
                and c["block_size_x"] % 3 != 1)

    @staticmethod
    def time(gpu, c):
        x, y, steps, cap = c["block_size_x"], c["block_size_y"], c["temporal_tiling_factor"], c["blocks_per_sm"]
        work = c["tile_size_x"] * c["tile_size_y"]
        width, height = x * c["tile_size_x"], y * c["tile_size_y"]
        registers = 18 + 2 * work + 4 * c["loop_unroll_factor_t"]
        if cap:
            most = 65536 // (x * y * cap)
            registers = min(registers, most) + (6 if registers > most else 0)
        useful = (width - 2 * steps) * (height - 2 * steps) / (width * height)
        if useful <= 0.02:
            return None
        blocks = math.ceil(4096 / (width - 2 * steps)) * math.ceil(4096 / (height - 2 * steps))
        slow = slowness(gpu, x * y, registers, (2 + c["sh_power"]) * 4 * width * height, work, blocks)
        if slow is None:
            return None
        memory = (1 + 0.4 * (x < 32) + 0.8 * (x < 8)) * (1.0 / steps) * (1 - 0.15 * c["sh_power"])
        compute = 0.35 * (1 + 0.2 / c["loop_unroll_factor_t"]) * (1 + 0.3 * (width % 32 == 0))
        return slow * (memory + compute) / useful


class Dedispersion:
    values = dict(block_size_x=[1, 2, 4, 8] + [16 * i for i in range(1, 17)], block_size_y=[4 * i for i in range(1, 17)],
                  tile_size_x=[1, 2, 3, 4], tile_size_y=list(range(1, 9)), tile_stride_x=[0, 1], tile_stride_y=[0, 1],
                  loop_unroll_factor_channel=[0, 1, 2, 4, 8, 16], blocks_per_sm=[0, 1, 2, 3])

    @staticmethod
    def valid(_, c):
        return (32 <= c["block_size_x"] * c["block_size_y"] <= 1024 and not (c["tile_size_x"] == 1 and c["tile_stride_x"])
                and not (c["tile_size_y"] == 1 and c["tile_stride_y"]))

    @staticmethod
    def time(gpu, c):
        x, y, tile_y, unroll = c["block_size_x"], c["block_size_y"], c["tile_size_y"], c["loop_unroll_factor_channel"]
        work = c["tile_size_x"] * tile_y
        registers = 16 + 3 * work + unroll
        most = 65536 // (x * y * c["blocks_per_sm"]) if c["blocks_per_sm"] else 255
        blocks = math.ceil(25000 / (x * c["tile_size_x"])) * math.ceil(2048 / (y * tile_y))
        slow = slowness(gpu, x * y, min(registers, most), 0, work, blocks)
        if slow is None:
            return None
        reuse = 1 / (tile_y * (0.5 + 0.5 * y / 64)) ** 0.5
        stride = ((0.85 if c["tile_stride_x"] else 1) * (1.05 if c["tile_stride_y"] else 1)
                  * (1 if x >= 32 else 1 + 0.6 * (32 / x) ** 0.5))
        loop = 1 + 0.25 / (1 + unroll) if unroll else 1.08
        return slow * (reuse * stride + 0.25 * loop) * (1 + 0.03 * max(0, registers - most))


class Expdist:
    values = dict(block_size_x=[2 ** i for i in range(5, 11)], block_size_y=[2 ** i for i in range(6)],
                  tile_size_x=[1, 2, 4, 8], tile_size_y=[1, 2, 4, 8], use_shared_mem=[0, 1, 2],
                  loop_unroll_factor_x=[1, 2, 4, 8], loop_unroll_factor_y=[1, 2, 4, 8], use_column=[0, 1],
                  n_y_blocks=[2 ** i for i in range(11)])

    @staticmethod
    def valid(_, c):
        return (32 <= c["block_size_x"] * c["block_size_y"] <= 1024 and c["loop_unroll_factor_x"] <= c["tile_size_x"]
                and c["loop_unroll_factor_y"] <= c["tile_size_y"] and (c["use_column"] or c["n_y_blocks"] == 1)
                and not (c["use_column"] == 0 and c["use_shared_mem"] == 2))

    @staticmethod
    def time(gpu, c):
        x, y, mode = c["block_size_x"], c["block_size_y"], c["use_shared_mem"]
        width, height, work = x * c["tile_size_x"], y * c["tile_size_y"], c["tile_size_x"] * c["tile_size_y"]
        shared = [0, 24 * (width + height), 96 * (width + height)][mode]
        registers = 28 + 5 * work
        blocks = math.ceil(32768 / width) * (c["n_y_blocks"] if c["use_column"] else math.ceil(32768 / height))
        slow = slowness(gpu, x * y, min(registers, 255), shared, work, blocks)
        if slow is None or registers * x * y > 65536:
            return None
        compute = (1 + 0.3 / work + (0.1 if mode == 0 else 0.02 * mode) + 0.05 / c["loop_unroll_factor_x"]
                   + 0.08 / c["loop_unroll_factor_y"])
        return slow * compute + 0.0005 * blocks / 64


class Microhh:
    values = dict(STATIC_STRIDES=[0, 1], TILING_FACTOR_X=[1, 2, 4, 8], TILING_FACTOR_Y=[1, 2, 4, 8],
                  TILING_FACTOR_Z=[1, 2, 4], TILING_STRATEGY=["contiguous", "strided", "mixed"], REWRITE_INTERP=[0, 1],
                  BLOCK_SIZE_X=[16, 32, 64, 128, 256, 512, 1024], BLOCK_SIZE_Y=[1, 2, 4, 8, 16], BLOCK_SIZE_Z=[1, 2, 4],
                  UNROLL=["full", "none"], BLOCKS_PER_MP=[0, 1, 2, 3, 4])

    @staticmethod
    def valid(_, c):
        threads = c["BLOCK_SIZE_X"] * c["BLOCK_SIZE_Y"] * c["BLOCK_SIZE_Z"]
        return (32 <= threads <= 1024 and c["TILING_FACTOR_X"] * c["TILING_FACTOR_Y"] * c["TILING_FACTOR_Z"] <= 16
                and c["BLOCKS_PER_MP"] * threads <= 2048)

    @staticmethod
    def time(gpu, c):
        x, y, z = (c["BLOCK_SIZE_" + axis] for axis in "XYZ")
        tile_x, tile_y, tile_z = (c["TILING_FACTOR_" + axis] for axis in "XYZ")
        work, threads, full = tile_x * tile_y * tile_z, x * y * z, c["UNROLL"] == "full"
        registers = 40 + 4 * work + (10 if full else 0) - 4 * c["REWRITE_INTERP"]
        most = 65536 // (threads * max(1, c["BLOCKS_PER_MP"])) if c["BLOCKS_PER_MP"] else 255
        if min(registers, most) * threads > 65536:
            return None
        blocks = math.ceil(512 / (x * tile_x)) * math.ceil(512 / (y * tile_y)) * math.ceil(512 / (z * tile_z))
        slow = slowness(gpu, threads, min(registers, most), 0, work, blocks)
        if slow is None:
            return None
        halo = (1 + 6 / (y * tile_y)) * (1 + 6 / (z * tile_z)) / 3
        order = {"contiguous": 1 + 0.12 * (tile_x > 1) * math.log2(tile_x), "strided": 1.0, "mixed": 1.04}
        waste = math.ceil(512 / (x * tile_x)) * x * tile_x / 512
        return (slow * (0.5 * halo * order[c["TILING_STRATEGY"]] + 0.4 + 0.1 * (not full) - 0.05 * c["STATIC_STRIDES"])
                * waste * (1 + 0.02 * max(0, registers - most)))


class Nbody:
    values = dict(block_size=[32 * i for i in range(1, 33)], outer_unroll_factor=[1, 2, 4, 8],
                  inner_unroll_factor1=[0, 1, 2, 4, 8, 16, 32], inner_unroll_factor2=[0, 1, 2, 4, 8, 16, 32],
                  use_soa=[0, 1], local_mem=[0, 1], vector_type=[1, 2, 4], layout=["one"])

    @staticmethod
    def valid(_, c):
        return ((c["local_mem"] or c["inner_unroll_factor2"] == 0) and not (c["local_mem"] and c["inner_unroll_factor1"])
                and not (c["use_soa"] == 0 and c["vector_type"] > 1))

    @staticmethod
    def time(gpu, c):
        block, outer, vector = c["block_size"], c["outer_unroll_factor"], c["vector_type"]
        registers = 20 + 8 * outer + c["inner_unroll_factor1"] + c["inner_unroll_factor2"] + 2 * vector
        slow = slowness(gpu, block, registers, 16 * block * c["local_mem"] * vector, outer, math.ceil(131072 / (block * outer)))
        unroll = max(c["inner_unroll_factor1"], c["inner_unroll_factor2"])
        if slow is None or registers * block > 65536 or (unroll and block % unroll):
            return None
        return slow * (1 + 0.3 / (1 + unroll) + 0.35 * (1 - c["local_mem"]) / outer + 0.1 * (1 - c["use_soa"])
                       - 0.04 * math.log2(vector) + 0.08 * (unroll >= 16 and outer >= 4))


SPACES = dict(hotspot=(Hotspot, A), dedispersion=(Dedispersion, B), expdist=(Expdist, C), microhh=(Microhh, A),
              nbody=(Nbody, B), microhhC=(Microhh, C), hotspotB=(Hotspot, B))


def configs(name, kind, gpu):
    """[(values, time in ms or None)]"""
    names = list(kind.values)
    order = random.Random(name)
    pairs = [tuple(sorted(order.sample(names, 2))) for _ in range(6)]
    rows = []
    for values in itertools.product(*kind.values.values()):
        config = dict(zip(names, values))
        if not kind.valid(gpu, config):
            continue
        time = kind.time(gpu, config)
        if time is not None:
            for a, b in pairs:
                time *= math.exp(0.05 * draw(name, a, b, config[a], config[b]))
            time *= math.exp(0.01 * draw(name, *values))
        rows.append((values, time))
    return fewer(name, kind, rows)


def fewer(name, kind, rows):
    """Without some values of the longest parameters, until few enough are left."""
    order, left = random.Random(name + "k"), {each: list(values) for each, values in kind.values.items()}
    while len(rows) > MOST_CONFIGS:
        longest = max(left, key=lambda each: len(left[each]))
        out = order.choice(left[longest])
        left[longest].remove(out)
        at = list(left).index(longest)
        rows = [row for row in rows if row[0][at] != out]
    return rows


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, (kind, gpu) in SPACES.items():
        rows = configs(name, kind, gpu)
        with gzip.open(folder / f"{name}.csv.gz", "wt") as file:
            file.write(",".join(kind.values) + ",time_ms,std_ms,status\n")
            for values, time in rows:
                end = f",{time:.6g},{0.01 * time:.4g},ok\n" if time is not None else ",,,runtime\n"
                file.write(",".join(map(str, values)) + end)
        failed = sum(time is None for _, time in rows)
        print(f"{name}: {len(rows)} configs, {failed / len(rows):.0%} fail")


if __name__ == "__main__":
    main()
