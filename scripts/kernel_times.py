# SPDX-License-Identifier: Apache-2.0
"""Predicted times of the decode steps of OLMoE-1B-7B, from the way of one warp through each kernel."""

import json
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
  The model is OLMoE-1B-7B in bf16 with FAST kernels at context 1,024; all experts are equally probable.
  Loads take 263 cycles from the L2 cache and 750 from memory (of 600 to 900); the clock is 1.98 GHz; reads reach
  3.02 (H100) and 4.26 TB/s (H200), as measured; a launch in a graph costs 0.7 us.
  The time of a launch is 0.7 us plus the longer of two times: the time to read its bytes at that rate, and the time of
  one warp for its tasks, times the rounds of blocks that the multiprocessors need.
  Measured times are less the cost of events and of single launches, so that their sum is the time of the graph.
  Not in the model: misses of the instruction cache, barriers, bandwidth of L2 and of shared memory, tensor cores.

exit codes: 0 ok, or skipped without a disassembler; 1 a kernel is over its budget; 2 usage or environment error
"""

# A decode of OLMoE-1B-7B, FAST kernels, each token at the last position of the context.
LAYERS, HIDDEN, HEADS, HEAD, EXPERTS, TOP_K, WIDTH, VOCABULARY, CONTEXT = 16, 2048, 16, 128, 64, 8, 1024, 50304, 1024
BATCHES = (1, 32, 256)
LANES, WARPS, THREADS, TENSOR_THREADS = 32, 8, 256, 128
# Most blocks of a grid, and of a kernel with a block for each row; blocks for copies; tokens of a tile of the router.
MOST_BLOCKS, ROWS, COPY_BLOCKS, ROUTER_TILE = 1024, 1 << 14, 16, 4
# Tasks of attention up to which decoder_attend_lone_bf16 takes them.
LONE_TASKS = 96
CACHE_CYCLES, MEMORY_CYCLES = 263, 750
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


def expected(batch, width):
    """Experts that a batch chooses, and tiles of so many vectors that they have, if all are equally probable."""
    share, probability, tiles = TOP_K / EXPERTS, (1 - TOP_K / EXPERTS) ** batch, 0.0
    hit = EXPERTS * (1 - probability)
    for tokens in range(1, batch + 1):
        probability *= (batch - tokens + 1) / tokens * share / (1 - share)
        tiles += EXPERTS * probability * whole(tokens, width)
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

    def step(self, batch):
        """The launches of a step."""
        loops = whole(batch * HIDDEN, THREADS * MOST_BLOCKS)
        elements = whole(batch * HIDDEN, THREADS)
        scores = Phase("most", "LDG.E.U16", HIDDEN // LANES, True)
        # Kernels that were measured copied blocks first.
        return [
            *([Work("decoder_copy_blocks", 1, COPY_BLOCKS, [])] if self.has("decoder_copy_blocks") else []),
            Work("decoder_embed_bf16", 1, elements, [Phase("next", "LDG.E.U16", loops, True)], reads=2 * batch * HIDDEN),
            *self.norms(batch),
            *self.queries(batch, elements, loops),
            self.attend(batch),
            self.linear(LAYERS, batch, HIDDEN),
            Work("decoder_linear_bf16", LAYERS, whole(whole(batch, ROUTER_TILE) * EXPERTS, WARPS), [scores],
                 reads=2 * EXPERTS * HIDDEN, shape=f", {EXPERTS} x {HIDDEN}"),
            Work("route_softmax_topk_fp32_v2", LAYERS, whole(batch, WARPS), []),
            self.group(batch),
            *self.experts(batch),
            *([Work("decoder_combine", LAYERS, elements, [Phase("most", "LDG.E", 3 * TOP_K * loops)])]
              if self.has("decoder_combine") else []),
            self.norm("decoder_last_experts_norm" if self.has("decoder_experts_norm") else "decoder_last_norm", 1, batch),
            self.linear(1, batch, VOCABULARY),
            # The first loop leaves out stop tokens, of which there are none.
            Work("decoder_sample", 1, batch, [
                Phase(1 if self.has("decoder_experts_norm") else 0, "LDG.E", VOCABULARY / THREADS)])]

    def norms(self, batch):
        """Norms before attention and before the experts. Those after experts combine their outputs; before, a kernel did."""
        after = LAYERS - 1 if self.has("decoder_experts_norm") else 0
        return [self.norm("decoder_norm", 2 * LAYERS - after, batch),
                *([self.norm("decoder_experts_norm", after, batch)] if after else [])]

    def norm(self, kernel, launches, batch):
        # Before, a warp normalised a token; now a block does.
        lanes = THREADS if self.merged else LANES
        squares = Phase("next", "LDS", HIDDEN // LANES) if self.merged else Phase(2, "LDG.E", HIDDEN // lanes)
        # With experts, the loop of the sums is gone through once, and has the loop of the experts in it.
        sums = TOP_K * HIDDEN // lanes if "experts" in kernel else 2 * HIDDEN // lanes
        return Work(kernel, launches, batch if self.merged else whole(batch, WARPS), [
            Phase("next", "LDG.E", sums), squares, Phase("next", "LDG.E", 2 * HIDDEN // lanes)], most=ROWS)

    def queries(self, batch, elements, loops):
        """Queries, keys and values, from their products to the place of keys and values."""
        if self.merged:
            each = HIDDEN // THREADS
            return [
                self.linear(LAYERS, batch, 3 * HIDDEN),
                Work("decoder_place_bf16", LAYERS, 3 * batch, [
                    Phase("next", "LDG.E+LDS", each), Phase("next", "LDS", HIDDEN // LANES),
                    Phase("next", "LDG.E", 2 * each), Phase("next", "LDG.E", 2 * each)], most=ROWS)]
        return [
            self.linear(3 * LAYERS, batch, HIDDEN),
            Work("decoder_norm_heads", 2 * LAYERS, whole(batch, WARPS), [
                Phase("next", "LDG.E", HIDDEN // LANES), Phase("next", "LDG.E", 2 * HIDDEN // LANES)]),
            Work("decoder_place_bf16", LAYERS, elements, [Phase("next", "LDG.E", 8 * loops)])]

    def experts(self, batch):
        choices = batch * TOP_K
        tile = self.tile(whole(4 * choices, 3 * EXPERTS) if self.merged else whole(choices, EXPERTS))
        hit, tiles = expected(batch, tile.vectors)
        return [
            Work(f"tensor_expert_up_v{tile.vectors}", LAYERS, round(tiles * whole(WIDTH, tile.pair_rows)),
                 [self.copies(2 * tile.pair_rows, tile.vectors, HIDDEN)], threads=TENSOR_THREADS, dynamic=tile.pairs,
                 reads=hit * 2 * WIDTH * HIDDEN * 2),
            Work(f"tensor_expert_down_v{tile.vectors}", LAYERS, round(tiles * whole(HIDDEN, tile.rows)),
                 [self.copies(tile.rows, tile.vectors, WIDTH)], threads=TENSOR_THREADS, dynamic=tile.linear,
                 reads=hit * WIDTH * HIDDEN * 2)]

    def tile(self, vectors):
        return self.tiles["V8" if vectors <= 8 else "V32" if vectors <= 32 else "V64"]

    def copies(self, rows, vectors, columns):
        """Copies of a thread for a tile: 16 bytes each, of rows in bf16 and of vectors, which were float32 before."""
        size = (2 * rows + (2 if self.merged else 4) * vectors) * columns
        return Phase("most", "LDGSTS", size / 16 / TENSOR_THREADS, True)

    def linear(self, launches, batch, rows):
        tile = self.tile(batch)
        return Work(f"tensor_linear_v{tile.vectors}", launches, whole(batch, tile.vectors) * whole(rows, tile.rows),
                    [self.copies(tile.rows, tile.vectors, HIDDEN)], most=ROWS if self.merged else MOST_BLOCKS,
                    threads=TENSOR_THREADS, dynamic=tile.linear, reads=2 * rows * HIDDEN, shape=f", {rows} x {HIDDEN}")

    def attend(self, batch):
        name = "decoder_attend_bf16"
        if batch * HEADS <= LONE_TASKS and self.has("decoder_attend_lone_bf16"):
            name = "decoder_attend_lone_bf16"
        # A warp has 8 keys at a time: a thread loads 16 bytes 4 times, or 4 bytes 16 times and 4 pairs of the query.
        tiles = CONTEXT // 8 // WARPS
        wide = any("LDG.E.128" in each.counts.opcodes and each.counts.opcodes["LDG.E.128"] > 1
                   for each in reports_of(self.kernels[name], MEMORY_CYCLES))
        phases = [Phase("most", "LDG.E.128" if wide else "LDG.E.64", 4 * tiles, True),
                  Phase("next", "LDG.E", CONTEXT / THREADS), Phase("next", "LDG.E", CONTEXT / LANES),
                  Phase("next", "LDG.E", CONTEXT / THREADS), Phase("most", "LDG.E", 2 * CONTEXT / 4, True)]
        return Work(name, LAYERS, batch * HEADS, phases, reads=batch * CONTEXT * 2 * HEADS * HEAD * 2)

    def group(self, batch):
        # Before, a thread counted an expert among a part of the choices; now a warp orders a part of them.
        warps = self.has("decoder_attend_lone_bf16")
        choices = whole(batch * TOP_K // WARPS, LANES) if warps else batch * TOP_K * EXPERTS / THREADS
        return Work("decoder_group", LAYERS, 1, [
            Phase("next", "LDG.E", choices), Phase("waits", "LDG.E", batch * EXPERTS / THREADS),
            Phase("last", "LDG.E", choices)])

    def resident(self, work):
        """Blocks of a launch that a multiprocessor holds."""
        registers, shared = self.resources[work.kernel]
        warps = work.threads // LANES
        by_registers = REGISTERS // (whole(registers * LANES, REGISTER_UNIT) * REGISTER_UNIT * warps)
        by_shared = SHARED_BYTES // (shared + work.dynamic) if shared + work.dynamic else MOST_RESIDENT
        return max(1, min(MOST_RESIDENT, MOST_WARPS // warps, by_registers, by_shared))


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
        return f"OLMoE-1B-7B, FAST, decode of {batch} at context {CONTEXT}"


def predict(image, before, measured):
    measured = {each.device: each for each in measured if matches(each, image)}
    columns = [f"{device.name} predicted, us" for device in DEVICES]
    columns += [f"{device.name} measured, us" for device in DEVICES if device.name in measured]
    print("| batch | kernel | launches | MB read | waits | registers | blocks per SM | " + " | ".join(columns) + " |")
    print("| --- | --- |" + " ---: |" * (5 + len(columns)))
    for batch in BATCHES:
        sums, reads = step_rows(image, batch, measured)
        rows = [("step", image, sums, reads)]
        if before is not None:
            earlier, earlier_reads = step_rows(before, batch, {}, False)
            rows.append((f"step, kernels of {before.revision}", before, earlier, earlier_reads))
        for title, which, total, read in rows:
            cells = [with_share(total[device.name], read, device) for device in DEVICES]
            if which is image:
                cells += [with_share(measured[device.name].graph(batch), read, device) for device in DEVICES
                          if device.name in measured]
            else:
                cells += ["" for device in DEVICES if device.name in measured]
            launches = sum(work.launches for work in which.step(batch))
            print(f"| {batch} | **{title}** | {launches} | {read / 1e6:,.0f} |  |  |  | " + " | ".join(cells) + " |")
    return 0


def step_rows(image, batch, measured, printed=True):
    sums, reads = {device.name: 0.0 for device in DEVICES}, 0.0
    launches = sum(work.launches for work in image.step(batch))
    for work in image.step(batch):
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
                    found = measured[device.name].micros(batch, work.name, launches)
                    cells.append("" if found is None else f"{found:.1f}")
            print(f"| {batch} | `{work.name}` | {work.launches} | {work.launches * work.reads / 1e6:,.1f} | "
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
