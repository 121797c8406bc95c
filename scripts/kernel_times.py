# SPDX-License-Identifier: Apache-2.0
"""Predicted times of the steps of a few models, from the way of one warp through each kernel."""

import json
import math
import os
import re
import subprocess
import sys

from kernel_sass import (
    ARCHITECTURE, COPY, GLOBAL, SHARED, Counts, UsageError, Warp, iteration, kernels_of, output_of, reports_of, with_tools)

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
IMAGE = "backend-cuda/src/main/resources/io/signalbox/cuda/kernel/signalbox.fatbin"
TILES = "backend-cuda/src/main/java/io/signalbox/cuda/kernel/TensorTile.java"
# The kernels of the steps of a decoder.
DECODE = r"tensor_.*|decoder_(?!generate).*|route_.*|pack_.*|slot_open|capture_copy"
ASSUMPTIONS = """\
assumptions of --predict:
  The model is OLMoE-1B-7B in bf16 with FAST kernels at context 1,024; all experts are equally probable. With --families,
  a prompt of 2,048 tokens of it, and gpt-oss-20b in MXFP4 and Qwen3-30B-A3B in FP8 and BF16 with EXACT kernels.
  Loads take 263 cycles from the L2 cache and 750 from memory (of 600 to 900); the clock is 1.98 GHz; reads reach
  3.02 (H100) and 4.26 TB/s (H200), as measured; a launch in a graph costs 0.7 us.
  The time of a launch is 0.7 us plus the longer of two times: the time to read its bytes at that rate, and the time of
  one warp for its tasks, times the rounds of blocks that the multiprocessors need.
  Measured times are less the cost of events and of single launches, so that their sum is the time of the graph.
  Not in the model: misses of the instruction cache, barriers, bandwidth of L2 and of shared memory, tensor cores.

exit codes: 0 ok, or skipped without a disassembler; 1 a kernel is over its budget; 2 usage or environment error
"""

# Each token of a decode is at the last position of the context; a token of a prompt is at half of it on average.
CONTEXT, PROMPT = 1024, 2048
BATCHES = (1, 32, 256)


class Model:
    """Sizes of a model, and the kernels of its products: "fast", or the types of its linear layers and its experts."""

    def __init__(self, name, layers, hidden, heads, kv_heads, head, experts, top_k, width, vocabulary, products=("fast", None),
                 window=0, route="softmax_topk"):
        self.name, self.layers, self.hidden, self.heads, self.kv_heads, self.head = name, layers, hidden, heads, kv_heads, head
        self.experts, self.top_k, self.width, self.vocabulary = experts, top_k, width, vocabulary
        self.linear, self.packed = products
        self.window, self.route = window, route

    @property
    def biased(self):
        """Linear layers other than the head have biases, as the experts of the only model with windows."""
        return self.window > 0

    @property
    def fast(self):
        return self.linear == "fast"


OLMOE = Model("OLMoE-1B-7B, FAST", 16, 2048, 16, 16, 128, 64, 8, 1024, 50304)
# Half of the layers have a window.
FAMILIES = (
    Model("gpt-oss-20b in MXFP4, EXACT", 24, 2880, 64, 8, 64, 32, 4, 2880, 201088, ("bf16", "mxfp4"), 128, "topk_softmax"),
    Model("Qwen3-30B-A3B in FP8, EXACT", 48, 2048, 32, 4, 128, 128, 8, 768, 151936, ("fp8", "fp8")),
    Model("Qwen3-30B-A3B in BF16, EXACT", 48, 2048, 32, 4, 128, 128, 8, 768, 151936, ("bf16", "bf16")))
# Bytes of a weight with its share of a scale, and bytes that a lane loads of codes and scales for each weight.
WEIGHT_BYTES = {"bf16": 2, "fp8": 1 + 4 / 128 ** 2, "mxfp4": 0.5 + 1 / 32}
LANES, WARPS, THREADS, TENSOR_THREADS = 32, 8, 256, 128
# Most blocks of a grid, and of a kernel with a block for each row; blocks for copies; tokens of a tile of the exact products.
MOST_BLOCKS, ROWS, COPY_BLOCKS, EXACT_TILE = 1024, 1 << 14, 16, 4
# Tasks of attention up to which decoder_attend_lone_bf16 takes them.
LONE_TASKS = 96
CACHE_CYCLES, MEMORY_CYCLES = 263, 750
# Elements of a head of which a thread of attention loads 16 bytes at a time.
WIDE_HEAD = 128
LAUNCH_MICROS = 0.7
MULTIPROCESSORS, SCHEDULERS, REGISTERS, SHARED_BYTES, MOST_WARPS, MOST_RESIDENT = 132, 4, 65536, 233472, 64, 32
REGISTER_UNIT = 256


class Device:
    def __init__(self, name, gigahertz, terabytes):
        self.name, self.gigahertz, self.terabytes = name, gigahertz, terabytes


DEVICES = (Device("H100", 1.98, 3.02), Device("H200", 1.98, 4.26))


class Phase:
    """A part of a warp's way: so many loads of an opcode by one loop.

    Of the loops with such a load and no other such loop in them, it is the next one ("next"), the last one ("last"), the
    nth (a number), the one with the most such loads ("most"), or with the most waits ("waits"). With "+LDS" it has loads
    from shared memory, too; a phase of LDS has a loop without loads from global memory.
    """

    def __init__(self, which, opcode, loads, memory=False):
        self.which, self.opcode, self.loads, self.memory = which, opcode, loads, memory


class Work:
    """A launch, several times in a step: the grid, the tasks that its blocks share, and the way of a warp through a task."""

    def __init__(self, kernel, launches, tasks, phases, most=MOST_BLOCKS, threads=THREADS, dynamic=0, reads=0, shape=""):
        self.kernel, self.launches, self.tasks, self.phases = kernel, launches, tasks, phases
        self.grid, self.threads, self.dynamic = max(1, min(most, tasks)), threads, dynamic
        self.reads = reads
        self.name = kernel + shape


def whole(count, size):
    return -(-count // size)


def expected(model, batch, width):
    """Experts that a batch chooses, and tiles of so many vectors that they have, if all are equally probable."""
    share = model.top_k / model.experts
    logs = math.log(share), math.log1p(-share)
    hit, tiles = model.experts * (1 - (1 - share) ** batch), 0.0
    for tokens in range(1, batch + 1):
        choose = math.lgamma(batch + 1) - math.lgamma(tokens + 1) - math.lgamma(batch - tokens + 1)
        tiles += model.experts * math.exp(choose + tokens * logs[0] + (batch - tokens) * logs[1]) * whole(tokens, width)
    return hit, tiles


class Tile:
    def __init__(self, vectors, rows, pair_rows, linear, pairs):
        self.vectors, self.rows, self.pair_rows = vectors, rows, pair_rows
        self.linear, self.pairs = linear << 10, pairs << 10


class Image:
    """A kernel image with the sizes of its tiles, of this checkout or of a revision."""

    def __init__(self, program, revision, path, scratch):
        self.revision = revision
        if revision is None:
            with open(os.path.join(ROOT, TILES), encoding="utf-8") as file:
                source = file.read()
        else:
            source = output_of(["git", "-C", ROOT, "show", f"{revision}:{TILES}"])
            path = os.path.join(scratch, "image")
            with open(path, "wb") as file:
                subprocess.run(["git", "-C", ROOT, "show", f"{revision}:{IMAGE}"], stdout=file, check=True)
        with open(path, "rb") as file:
            content = file.read()
        mark = re.search(rb"signalbox_source_([0-9a-f]{16})", content)
        if mark is None:
            raise UsageError(f"{path} is not an image of the kernels: it does not name its sources.")
        self.hash = mark[1].decode()
        self.kernels = kernels_of(program, path, DECODE)
        # One launch for queries, keys and values; norms by blocks; activations in bf16, too.
        self.merged = not self.has("decoder_norm_heads")
        self.resources = {}
        usage = output_of([program, "-arch", ARCHITECTURE, "-res-usage", path], env=with_tools(program))
        for name, registers, shared in re.findall(r"Function (\w+):\s+REG:(\d+) .*?SHARED:(\d+)", usage):
            self.resources[name] = (int(registers), int(shared))
        self.tiles = {}
        for name, sizes in re.findall(r"\b(V\d+)\(([\d, ]+)\)", source):
            numbers = [int(each) for each in sizes.split(",")]
            if len(numbers) == 4:
                numbers.insert(2, numbers[1] // 2 if name == "V64" else numbers[1])
            self.tiles[name] = Tile(*numbers)

    def has(self, kernel):
        return kernel in self.kernels

    def resident(self, work):
        """Blocks of a launch that a multiprocessor holds."""
        registers, shared = self.resources[work.kernel]
        warps = work.threads // LANES
        by_registers = REGISTERS // (whole(registers * LANES, REGISTER_UNIT) * REGISTER_UNIT * warps)
        by_shared = SHARED_BYTES // (shared + work.dynamic) if shared + work.dynamic else MOST_RESIDENT
        return max(1, min(MOST_RESIDENT, MOST_WARPS // warps, by_registers, by_shared))


class Steps:
    """The launches of a step of some tokens, each of which sees so many positions on average."""

    def __init__(self, image, model, tokens, prompt=False):
        self.image, self.model, self.tokens, self.prompt = image, model, tokens, prompt
        self.sampled = 1 if prompt else tokens
        self.elements = whole(tokens * model.hidden, THREADS)
        self.loops = whole(tokens * model.hidden, THREADS * MOST_BLOCKS)

    def name(self):
        return f"prompt of {self.tokens:,}" if self.prompt else f"{self.tokens}"

    def launches(self):
        image, model = self.image, self.model
        last = "decoder_last_experts_norm" if image.has("decoder_experts_norm") else "decoder_last_norm"
        # Kernels that were measured copied blocks first.
        return [
            *([Work("decoder_copy_blocks", 1, COPY_BLOCKS, [])] if image.has("decoder_copy_blocks") else []),
            Work("decoder_embed_bf16", 1, self.elements, [Phase("next", "LDG.E.U16", self.loops, True)],
                 reads=2 * self.tokens * model.hidden),
            *self.norms(),
            *self.queries(),
            *self.attention(),
            self.linear(model.layers, self.tokens, model.hidden, model.heads * model.head),
            self.exact("bf16", model.layers, self.tokens, model.experts, model.hidden),
            Work(f"route_{model.route}_fp32_v{max(1, 1 << (whole(model.experts, LANES) - 1).bit_length())}", model.layers,
                 whole(self.tokens, WARPS), []),
            self.group(),
            *self.experts(),
            *([Work("decoder_combine", model.layers, self.elements, [Phase("most", "LDG.E", 3 * model.top_k * self.loops)])]
              if image.has("decoder_combine") else []),
            self.norm(last, 1, self.sampled),
            # The head is not packed.
            self.linear(1, self.sampled, model.vocabulary, model.hidden) if model.fast else
            self.exact("bf16", 1, self.sampled, model.vocabulary, model.hidden),
            # The first loop leaves out stop tokens, of which there are none.
            Work("decoder_sample", 1, self.sampled, [
                Phase(1 if image.has("decoder_experts_norm") else 0, "LDG.E", model.vocabulary / THREADS)])]

    def norms(self):
        """Norms before attention and before the experts. Those after experts combine their outputs; before, a kernel did."""
        after = self.model.layers - 1 if self.image.has("decoder_experts_norm") else 0
        return [self.norm("decoder_norm", 2 * self.model.layers - after, self.tokens),
                *([self.norm("decoder_experts_norm", after, self.tokens)] if after else [])]

    def norm(self, kernel, launches, rows):
        # Before, a warp normalised a token; now a block does.
        merged, hidden = self.image.merged, self.model.hidden
        lanes = THREADS if merged else LANES
        squares = Phase("next", "LDS", hidden // LANES) if merged else Phase(2, "LDG.E", hidden // lanes)
        # With experts, the loop of the sums is gone through once, and has the loop of the experts in it.
        sums = self.model.top_k * hidden // lanes if "experts" in kernel else 2 * hidden // lanes
        return Work(kernel, launches, rows if merged else whole(rows, WARPS), [
            Phase("next", "LDG.E", sums), squares, Phase("next", "LDG.E", 2 * hidden // lanes)], most=ROWS)

    def queries(self):
        """Queries, keys and values, from their products to the place of keys and values."""
        layers, hidden = self.model.layers, self.model.hidden
        queries, keys = self.model.heads * self.model.head, self.model.kv_heads * self.model.head
        if self.image.merged:
            each = queries // THREADS
            # A layer without norms of queries and keys does less in decoder_place.
            products = [self.linear(layers, self.tokens, queries + 2 * keys, hidden)] if self.model.fast else [
                self.linear(layers, self.tokens, queries, hidden), self.linear(2 * layers, self.tokens, keys, hidden)]
            return [*products, Work("decoder_place_bf16", layers, 3 * self.tokens, [
                Phase("next", "LDG.E+LDS", each), Phase("next", "LDS", queries // LANES),
                Phase("next", "LDG.E", 2 * each), Phase("next", "LDG.E", 2 * each)], most=ROWS)]
        return [
            self.linear(3 * layers, self.tokens, hidden, hidden),
            Work("decoder_norm_heads", 2 * layers, whole(self.tokens, WARPS), [
                Phase("next", "LDG.E", hidden // LANES), Phase("next", "LDG.E", 2 * hidden // LANES)]),
            Work("decoder_place_bf16", layers, self.elements, [Phase("next", "LDG.E", 8 * self.loops)])]

    def experts(self):
        return self.fast_experts() if self.model.fast else self.exact_experts()

    def fast_experts(self):
        model, choices = self.model, self.tokens * self.model.top_k
        tile = self.tile(whole(4 * choices, 3 * model.experts) if self.image.merged else whole(choices, model.experts))
        hit, tiles = expected(model, self.tokens, tile.vectors)
        return [
            Work(f"tensor_expert_up_v{tile.vectors}", model.layers, round(tiles * whole(model.width, tile.pair_rows)),
                 [self.copies(2 * tile.pair_rows, tile.vectors, model.hidden)], threads=TENSOR_THREADS, dynamic=tile.pairs,
                 reads=hit * 2 * model.width * model.hidden * 2),
            Work(f"tensor_expert_down_v{tile.vectors}", model.layers, round(tiles * whole(model.hidden, tile.rows)),
                 [self.copies(tile.rows, tile.vectors, model.width)], threads=TENSOR_THREADS, dynamic=tile.linear,
                 reads=hit * model.width * model.hidden * 2)]

    def exact_experts(self):
        model, packed = self.model, self.model.packed
        hit, tiles = expected(model, self.tokens, EXACT_TILE)
        name = "clamped" if packed == "mxfp4" else "expert"
        reads = hit * model.width * model.hidden * WEIGHT_BYTES[packed]
        return [
            Work(f"decoder_{name}_up_{packed}", model.layers, whole(round(tiles * model.width), WARPS),
                 2 * [self.codes(packed, model.hidden)], reads=2 * reads),
            Work(f"decoder_{name}_down_{packed}", model.layers, whole(round(tiles * model.hidden), WARPS),
                 [self.codes(packed, model.width)], reads=reads)]

    @staticmethod
    def codes(kind, columns):
        """Loads of a lane for a row: a weight or a code of each column, and in MXFP4 a scale of a byte."""
        return Phase("next", "LDG.E.U16" if kind == "bf16" else "LDG.E.U8",
                     columns / LANES * (2 if kind == "mxfp4" else 1), True)

    def tile(self, vectors):
        return self.image.tiles["V8" if vectors <= 8 else "V32" if vectors <= 32 else "V64"]

    def copies(self, rows, vectors, columns):
        """Copies of a thread for a tile: 16 bytes each, of rows in bf16 and of vectors, which were float32 before."""
        size = (2 * rows + (2 if self.image.merged else 4) * vectors) * columns
        return Phase("most", "LDGSTS", size / 16 / TENSOR_THREADS, True)

    def linear(self, launches, vectors, rows, columns):
        if not self.model.fast:
            return self.exact(self.model.linear, launches, vectors, rows, columns)
        tile = self.tile(vectors)
        return Work(f"tensor_linear_v{tile.vectors}", launches, whole(vectors, tile.vectors) * whole(rows, tile.rows),
                    [self.copies(tile.rows, tile.vectors, columns)], most=ROWS if self.image.merged else MOST_BLOCKS,
                    threads=TENSOR_THREADS, dynamic=tile.linear, reads=2 * rows * columns, shape=f", {rows} x {columns}")

    def exact(self, kind, launches, vectors, rows, columns):
        bias = "biased_" if self.model.biased and rows != self.model.vocabulary else ""
        loads = Phase("most", "LDG.E.U8" if kind == "fp8" else "LDG.E.U16", columns // LANES, True)
        return Work(f"decoder_{bias}linear_{kind}", launches, whole(whole(vectors, EXACT_TILE) * rows, WARPS), [loads],
                    reads=WEIGHT_BYTES[kind] * rows * columns, shape=f", {rows} x {columns}")

    def attention(self):
        model, seen = self.model, CONTEXT
        if not model.window:
            return [self.attend("decoder_attend_bf16", model.layers, seen, "")]
        windowed = model.layers // 2
        return [self.attend("decoder_attend_window_bf16", model.layers - windowed, seen, f", {seen} positions"),
                self.attend("decoder_attend_window_bf16", windowed, model.window, f", {model.window} positions")]

    def attend(self, name, launches, seen, shape):
        model = self.model
        if "window" not in name and self.tokens * model.heads <= LONE_TASKS and self.image.has("decoder_attend_lone_bf16"):
            name = "decoder_attend_lone_bf16"
        # A warp has 8 keys at a time: a thread loads 16 bytes 4 times, or 4 bytes 16 times and 4 pairs of the query.
        tiles = whole(seen, 8 * WARPS)
        wide = model.head == WIDE_HEAD and any(
            "LDG.E.128" in each.counts.opcodes and each.counts.opcodes["LDG.E.128"] > 1
            for each in reports_of(self.image.kernels[name], MEMORY_CYCLES))
        # The tokens of a prompt read its keys and values from the cache.
        memory = not self.prompt
        phases = [Phase("most", "LDG.E.128" if wide else "LDG.E.64", model.head / LANES * tiles, memory),
                  Phase("next", "LDG.E", seen / THREADS), Phase("next", "LDG.E", seen / LANES),
                  Phase("next", "LDG.E", seen / THREADS), Phase("most", "LDG.E", 2 * seen / 4, memory)]
        rows = self.tokens if self.prompt else self.tokens * seen
        return Work(name, launches, self.tokens * model.heads, phases, reads=rows * 2 * model.kv_heads * model.head * 2,
                    shape=shape)

    def group(self):
        # Before, a thread counted an expert among a part of the choices; now a warp orders a part of them.
        model, warps = self.model, self.image.has("decoder_attend_lone_bf16")
        choices = self.tokens * model.top_k
        each = whole(choices // WARPS, LANES) if warps else choices * model.experts / THREADS
        return Work("decoder_group", model.layers, 1, [
            Phase("next", "LDG.E", each), Phase("waits", "LDG.E", self.tokens * model.experts / THREADS),
            Phase("last", "LDG.E", each)])


class Way:
    """The way of one warp through a task: cycles in order, waits, and instructions."""

    def __init__(self, image, work):
        kernel = image.kernels[work.kernel]
        self.cycles, self.waits, self.instructions = 0.0, 0.0, 0.0
        chosen, at = [], -1
        for phase in work.phases:
            loop = self.find(kernel, phase, at)
            if loop is None:
                raise UsageError(f"{work.kernel} of {image.hash} has no loop with {phase.opcode}.")
            chosen.append(loop)
            at = loop.address()
            latency = MEMORY_CYCLES if phase.memory else CACHE_CYCLES
            counts = iteration(kernel, loop, latency)
            times = max(1.0, phase.loads / self.count(counts, phase.opcode))
            self.cycles += times * counts.cycles
            self.instructions += times * counts.instructions
            self.waits += times * (counts.waits[GLOBAL] + counts.waits[COPY])
            if counts.loads[COPY]:
                # The first chunk is waited for before the loop.
                self.cycles += latency
                self.waits += 1
        counts = between(kernel, chosen)
        self.cycles += counts.cycles
        self.instructions += counts.instructions
        self.waits += counts.waits[GLOBAL] + counts.waits[COPY]

    @staticmethod
    def count(counts, opcode):
        name = opcode.split("+")[0]
        if name == "LDS" and counts.loads[GLOBAL] + counts.loads[COPY] > 0 or "+" in opcode and not counts.loads[SHARED]:
            return 0
        return sum(number for each, number in counts.opcodes.items() if each == name or
                   name == "LDGSTS" and each.startswith(name))

    def find(self, kernel, phase, at):
        found = []
        for loop in kernel.loops:
            counts = iteration(kernel, loop, CACHE_CYCLES)
            number = self.count(counts, phase.opcode)
            if number:
                found.append((number, counts.waits[GLOBAL], loop))
        inner = [each for each in found if not any(other[2].blocks < each[2].blocks for other in found)]
        if phase.which in ("most", "waits"):
            place = 0 if phase.which == "most" else 1
            return max(inner, key=lambda each: each[place])[2] if inner else None
        if isinstance(phase.which, int):
            return inner[phase.which][2] if phase.which < len(inner) else None
        after = [each[2] for each in inner if each[2].address() > at]
        return after[-1 if phase.which == "last" else 0] if after else None


def between(kernel, chosen):
    """Counts of the shortest way through a kernel that meets the chosen loops, without their iterations."""
    position = {block.index: at for at, block in enumerate(kernel.order)}
    headers = {loop.header.index for loop in chosen}
    inside = set().union(*(loop.blocks for loop in chosen))
    first = kernel.order[0]
    best, former = {first.index: (0, 0)}, {}
    ends = None
    for block in kernel.order:
        if block.index not in best:
            continue
        if not any(position[each.index] > position[block.index] for each in block.next):
            if ends is None or best[block.index] > best[ends.index]:
                ends = block
        for each in block.next:
            if position[each.index] <= position[block.index]:
                continue
            reached = (best[block.index][0] + (each.index in headers),
                       best[block.index][1] - (0 if each.index in inside else len(each.instructions)))
            if each.index not in best or reached > best[each.index]:
                best[each.index], former[each.index] = reached, block
    way = [ends]
    while way[-1].index in former:
        way.append(former[way[-1].index])
    warp, counts = Warp(CACHE_CYCLES), Counts()
    for block in way[::-1]:
        if block.index not in inside:
            for each in block.instructions:
                warp.issue(each, counts, True)
    return counts


class Prediction:
    def __init__(self, image, work, way, device):
        self.resident = image.resident(work)
        rounds = whole(work.tasks, work.grid) * whole(work.grid, MULTIPROCESSORS * self.resident)
        present = min(self.resident, whole(work.grid, MULTIPROCESSORS)) * work.threads / LANES / SCHEDULERS
        cycles = rounds * max(way.cycles, way.instructions * max(1.0, present))
        self.waits = rounds * way.waits
        read = work.reads / device.terabytes / 1e6
        self.micros = LAUNCH_MICROS + max(cycles / device.gigahertz / 1e3, read)


class Measured:
    """Times of a profile: of each launch, without the event after it, and of the step as a graph."""

    def __init__(self, path):
        try:
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
            name = document["devices"][0]["name"]
            sections = {section["name"]: section for section in document["sections"]}
            figures = {each["name"]: each["value"] for each in sections["profile"]["figures"]}
            note = sections["device"]["note"]
        except (OSError, ValueError, LookupError, TypeError):
            raise UsageError(f"{path} is not a file of the section profile of the GPU check.") from None
        self.device = next((each.name for each in DEVICES if each.name in name), None)
        found = re.search(r"kernels of the sources ([0-9a-f]{16})", note)
        self.hash = found[1] if found else None
        self.figures = figures

    def micros(self, batch, kernel, launches):
        """The time of a launch, less what events and single launches add: the sum is then that of the graph."""
        value = self.figures.get(f"{self.step(batch)}: {kernel}: time of each")
        total, graph = self.figures.get(f"{self.step(batch)}: sum of the launches"), self.graph(batch)
        return None if value is None or total is None or graph is None else value - (total - graph) / launches

    def graph(self, batch):
        return self.figures.get(f"{self.step(batch)}: as a graph")

    @staticmethod
    def step(batch):
        return f"{OLMOE.name}, decode of {batch} at context {CONTEXT}"


def predict(image, before, measured):
    measured = {each.device: each for each in measured if matches(each, image)}
    columns = [f"{device.name} predicted, us" for device in DEVICES]
    columns += [f"{device.name} measured, us" for device in DEVICES if device.name in measured]
    print("| batch | kernel | launches | MB read | waits | registers | blocks per SM | " + " | ".join(columns) + " |")
    print("| --- | --- |" + " ---: |" * (5 + len(columns)))
    for batch in BATCHES:
        steps = Steps(image, OLMOE, batch)
        sums, reads = step_rows(steps, measured)
        rows = [("step", steps, sums, reads)]
        if before is not None:
            earlier = Steps(before, OLMOE, batch)
            rows.append((f"step, kernels of {before.revision}", earlier, *step_rows(earlier, {}, False)))
        for title, which, total, read in rows:
            cells = [with_share(total[device.name], read, device) for device in DEVICES]
            if which is steps:
                cells += [with_share(measured[device.name].graph(batch), read, device) for device in DEVICES
                          if device.name in measured]
            else:
                cells += ["" for device in DEVICES if device.name in measured]
            print(f"| {batch} | **{title}** | {launches(which)} | {read / 1e6:,.0f} |  |  |  | " + " | ".join(cells) + " |")
    return 0


def predict_families(image):
    """The steps of each model, and its kernels with a tenth of the time of a step or more."""
    print("| model | step | launches | MB read | " + " | ".join(f"{device.name} predicted, us" for device in DEVICES) +
          " | most of the time on the " + DEVICES[-1].name + " |")
    print("| --- | --- |" + " ---: |" * (2 + len(DEVICES)) + " --- |")
    for model in (OLMOE, *FAMILIES):
        for steps in [*(Steps(image, model, batch) for batch in BATCHES), Steps(image, model, PROMPT, True)]:
            sums, reads = step_rows(steps, {}, False)
            parts = {}
            for work in steps.launches():
                micros = work.launches * Prediction(image, work, Way(image, work), DEVICES[-1]).micros
                parts[work.kernel] = parts.get(work.kernel, 0) + micros
            total = sum(parts.values())
            most = [f"`{name}` {100 * part / total:.0f} %" for name, part in
                    sorted(parts.items(), key=lambda each: -each[1]) if part >= total / 10]
            print(f"| {model.name} | {steps.name()} | {launches(steps)} | {reads / 1e6:,.0f} | " +
                  " | ".join(with_share(sums[device.name], reads, device) for device in DEVICES) +
                  " | " + ", ".join(most) + " |")
    return 0


def launches(steps):
    return sum(work.launches for work in steps.launches())


def step_rows(steps, measured, printed=True):
    image, sums, reads = steps.image, {device.name: 0.0 for device in DEVICES}, 0.0
    for work in steps.launches():
        way = Way(image, work)
        each = {device.name: Prediction(image, work, way, device) for device in DEVICES}
        for name, prediction in each.items():
            sums[name] += work.launches * prediction.micros
        reads += work.launches * work.reads
        if printed:
            any_device = each[DEVICES[0].name]
            cells = [f"{prediction.micros:.1f}" for prediction in each.values()]
            for device in DEVICES:
                if device.name in measured:
                    found = measured[device.name].micros(steps.tokens, work.name, launches(steps))
                    cells.append("" if found is None else f"{found:.1f}")
            print(f"| {steps.tokens} | `{work.name}` | {work.launches} | {work.launches * work.reads / 1e6:,.1f} | "
                  f"{any_device.waits:.0f} | {image.resources[work.kernel][0]} | {any_device.resident} | " +
                  " | ".join(cells) + " |")
    return sums, reads


def with_share(micros, reads, device):
    if micros is None:
        return ""
    return f"{micros:,.0f} ({100 * reads / device.terabytes / 1e6 / micros:.0f} %)"


def matches(measured, image):
    if measured.device is not None and measured.hash == image.hash:
        return True
    print(f"kernel-waits: left out a profile of {measured.device or 'another device'} with kernels of the sources "
          f"{measured.hash}: the image has {image.hash}; --revision names another image.", file=sys.stderr)
    return False
