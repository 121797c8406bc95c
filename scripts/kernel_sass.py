# SPDX-License-Identifier: Apache-2.0
"""Loops of kernels, from their machine code (SASS), and the waits of one warp that issues them in order."""

import os
import re
import shutil
import subprocess

ARCHITECTURE = "sm_90"
GLOBAL, COPY, SHARED = "global", "copy", "shared"
KINDS = {"LDG": GLOBAL, "LD": GLOBAL, "LDL": GLOBAL, "ATOM": GLOBAL, "ATOMG": GLOBAL, "LDGSTS": COPY,
         "LDS": SHARED, "LDSM": SHARED, "ATOMS": SHARED}
# Cycles until a result can be used.
SHARED_CYCLES, TENSOR_CYCLES, VARIABLE_CYCLES, FIXED_CYCLES = 30, 33, 24, 5
VARIABLE = {"SHFL", "MUFU", "F2I", "I2F", "F2F", "POPC", "FLO", "BREV", "REDUX", "S2R", "S2UR", "R2UR", "LDC"}
# Cycles that a warp needs to issue an instruction.
ISSUE_CYCLES, MEMORY_ISSUE_CYCLES = 2, 4
# A shorter stall for memory is not a wait.
SHORT_STALL = 8


class UsageError(Exception):
    pass


class Instruction:
    """One instruction, with the registers that it reads and writes."""

    def __init__(self, address, predicate, opcode, text):
        self.address, self.predicate, self.opcode = address, predicate, opcode
        self.base = opcode.split(".")[0]
        self.operands = [part.strip() for part in re.split(r",(?![^\[]*\])", text)] if text else []
        self.kind = KINDS.get(self.base)
        self.width = 4 if ".128" in opcode else 2 if ".64" in opcode else 1
        if self.base == "LDSM":
            self.width = int(opcode.rsplit(".", 1)[1]) if opcode[-1].isdigit() else 1
        narrow = re.search(r"\.[US](8|16)\b", opcode)
        self.bytes = (int(narrow[1]) // 8 if narrow else 4 * self.width) if self.kind in (GLOBAL, COPY) else 0
        self.target = self.jump_target()
        self.written, self.read, self.predicates = self.registers()

    def jump_target(self):
        # BRA.DIV leaves the path only if the lanes of a warp diverged, and comes back.
        if self.base not in ("BRA", "JMP") or ".DIV" in self.opcode:
            return None
        found = [int(part, 16) for part in self.operands if re.fullmatch(r"0x[0-9a-f]+", part)]
        return found[-1] if found else None

    def conditional(self):
        return self.predicate is not None or any(re.fullmatch(r"!?U?P\d", part) for part in self.operands)

    def registers(self):
        rest = list(self.operands)
        written, predicates = [], []
        stores = self.base.startswith("ST") or self.base in ("RED", "REDG", "LDGSTS")
        while rest and re.fullmatch(r"!?U?P[T\d]", rest[0]):
            predicates.append(rest.pop(0).lstrip("!"))
        sets = "SETP" in self.base or self.base in ("PLOP3", "FCHK", "BAR", "R2P")
        match = re.fullmatch(r"R(\d+)(?:\.\w+)*", rest[0]) if rest and not stores and not sets else None
        if match:
            rest.pop(0)
            size = self.width if self.kind else 4 if self.base == "HMMA" else 2 if self.wide() else 1
            written = list(range(int(match[1]), int(match[1]) + size))
            while rest and re.fullmatch(r"!?U?P[T\d]", rest[0]) and self.base in ("IADD3", "LEA", "LOP3", "SHFL"):
                predicates.append(rest.pop(0).lstrip("!"))
        read = []
        for index, operand in enumerate(rest):
            for found in re.finditer(r"(?<![A-Z])R(\d+)(?:\.reuse)?(\.64)?", operand):
                size = 2 if found[2] else self.width if stores and "[" not in operand else 1
                if self.base == "HMMA" and index < 3:
                    size = (4, 2, 4)[index]
                read.extend(range(int(found[1]), int(found[1]) + size))
        return written, read, predicates

    def wide(self):
        return (".WIDE" in self.opcode or "F64" in self.opcode or self.base in ("DADD", "DMUL", "DFMA") or
                self.base == "CS2R" and ".32" not in self.opcode)

    def latency(self):
        if self.kind == SHARED:
            return SHARED_CYCLES
        if self.base == "HMMA":
            return TENSOR_CYCLES
        return VARIABLE_CYCLES if self.base in VARIABLE else FIXED_CYCLES


class Block:
    """Instructions that are always issued together."""

    def __init__(self, index, instructions):
        self.index, self.instructions = index, instructions
        self.next, self.former = [], []
        # The innermost loop that has the block.
        self.loop = None
        self.bytes = sum(each.bytes for each in instructions)


class Loop:
    """A natural loop: a header that dominates the sources of its back edges, and the blocks between them."""

    def __init__(self, header, blocks):
        self.header, self.blocks = header, blocks

    def address(self):
        return self.header.instructions[0].address


class Kernel:
    def __init__(self, name, instructions):
        self.name = name
        self.blocks = blocks_of(instructions)
        self.order = order_of(self.blocks)
        self.loops = loops_of(self.order)
        self.counted = {}

    def path(self, header, within):
        """The way from a block through others, each at most once, that loads most bytes; then the one that is longest."""
        position = {block.index: at for at, block in enumerate(self.order)}
        start = position[header.index]
        best = {header.index: (header.bytes, len(header.instructions))}
        former, last = {}, header
        for block in self.order[start:]:
            if block.index not in best:
                continue
            ends = not any(position.get(each.index, -1) > position[block.index] and each.index in within
                           for each in block.next)
            if ends and (best[block.index] > best[last.index] or last is header):
                last = block
            for each in block.next:
                if each.index not in within or position[each.index] <= position[block.index]:
                    continue
                reached = (best[block.index][0] + each.bytes, best[block.index][1] + len(each.instructions))
                if each.index not in best or reached > best[each.index]:
                    best[each.index], former[each.index] = reached, block
        way = [last]
        while way[-1].index in former:
            way.append(former[way[-1].index])
        return way[::-1]


def blocks_of(instructions):
    starts = {instructions[0].address}
    for at, each in enumerate(instructions):
        if each.target is not None:
            starts.add(each.target)
        if (each.target is not None or each.base in ("EXIT", "RET", "BRX", "JMX")) and at + 1 < len(instructions):
            starts.add(instructions[at + 1].address)
    blocks, by_start = [], {}
    for each in instructions:
        if each.address in starts:
            blocks.append(Block(len(blocks), []))
            by_start[each.address] = blocks[-1]
        blocks[-1].instructions.append(each)
    for at, block in enumerate(blocks):
        block.bytes = sum(each.bytes for each in block.instructions)
        last = block.instructions[-1]
        falls = not (last.base in ("EXIT", "RET", "BRX", "JMX") or last.target is not None) or last.conditional()
        after = [by_start[last.target]] if last.target in by_start else []
        if falls and at + 1 < len(blocks):
            after.append(blocks[at + 1])
        for each in after:
            if each not in block.next:
                block.next.append(each)
                each.former.append(block)
    return blocks


def order_of(blocks):
    """The reachable blocks in reverse postorder."""
    seen, order = {blocks[0].index}, []
    stack = [(blocks[0], iter(blocks[0].next))]
    while stack:
        block, rest = stack[-1]
        following = next(rest, None)
        if following is None:
            order.append(block)
            stack.pop()
        elif following.index not in seen:
            seen.add(following.index)
            stack.append((following, iter(following.next)))
    return order[::-1]


def loops_of(order):
    position = {block.index: at for at, block in enumerate(order)}
    above = {order[0].index: order[0].index}
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            found = None
            for former in block.former:
                if former.index not in above:
                    continue
                found = former.index if found is None else common(above, position, found, former.index)
            if above.get(block.index) != found:
                above[block.index] = found
                changed = True
    bodies = {}
    by_index = {block.index: block for block in order}
    for block in order:
        for header in block.next:
            if header.index in position and dominates(above, header.index, block.index):
                body = bodies.setdefault(header.index, {header.index})
                stack = [block]
                while stack:
                    each = stack.pop()
                    if each.index not in body and each.index in position:
                        body.add(each.index)
                        stack.extend(each.former)
    loops = [Loop(by_index[header], body) for header, body in bodies.items()]
    for loop in sorted(loops, key=lambda each: -len(each.blocks)):
        for index in loop.blocks:
            by_index[index].loop = loop
    return sorted(loops, key=Loop.address)


def common(above, position, one, other):
    while one != other:
        while position[one] > position[other]:
            one = above[one]
        while position[other] > position[one]:
            other = above[other]
    return one


def dominates(above, one, other):
    while other != one and above[other] != other:
        other = above[other]
    return other == one


class Counts:
    """Loads and waits of one pass over some instructions."""

    def __init__(self):
        self.cycles = 0
        self.instructions = 0
        self.loads = {GLOBAL: 0, COPY: 0, SHARED: 0}
        self.waits = {GLOBAL: 0, COPY: 0, SHARED: 0}
        # Loads by opcode.
        self.opcodes = {}


class Warp:
    """Issues instructions in order; each waits until its registers are ready."""

    def __init__(self, latency):
        self.latency = latency
        self.now = 0
        # Of a register: when it is ready, the kind of its load, whether the load counts, the predicate of the load.
        self.ready = {}
        self.versions = {}
        self.copies, self.groups = None, []

    def issue(self, each, counts, own):
        due, kind, counted = self.now, None, False
        for register in set(each.read + each.written):
            at, what, mine, predicate = self.ready.get(register, (0, None, False, None))
            if at > due and not self.excluded(each, predicate):
                due, kind, counted = at, what, mine
        if each.base == "DEPBAR" and len(each.operands) > 1:
            open_groups = int(each.operands[1], 16)
            for at in self.groups[:len(self.groups) - open_groups]:
                if at[0] > due:
                    due, kind, counted = at[0], COPY, at[1]
            self.groups = self.groups[max(0, len(self.groups) - open_groups):]
        if kind is not None and counted and due - self.now > SHORT_STALL:
            counts.waits[kind] += 1
        begin = self.now
        self.now = due + (MEMORY_ISSUE_CYCLES if each.kind else ISSUE_CYCLES)
        counts.cycles += self.now - begin
        counts.instructions += 1
        self.note(each, counts, own)

    def note(self, each, counts, own):
        for predicate in each.predicates:
            self.versions[predicate] = self.versions.get(predicate, 0) + 1
        slow = each.kind == GLOBAL
        guard = None if each.predicate is None else (each.predicate, self.versions.get(each.predicate.lstrip("!"), 0))
        at = self.now + (self.latency if slow else each.latency())
        for register in each.written:
            self.ready[register] = (at, each.kind, own, guard)
        if each.kind and own:
            counts.loads[each.kind] += 1
            counts.opcodes[each.opcode] = counts.opcodes.get(each.opcode, 0) + 1
        if each.kind == COPY:
            self.copies = (self.now + self.latency, own)
        elif each.base == "LDGDEPBAR":
            self.groups.append(self.copies or (0, own))
            self.copies = None

    def excluded(self, each, guard):
        """Whether only one of the load and this instruction takes place, as their predicates say."""
        if guard is None or each.predicate is None:
            return False
        name = each.predicate.lstrip("!")
        return (guard[0].lstrip("!") == name and guard[0] != each.predicate and
                guard[1] == self.versions.get(name, 0))


def iteration(kernel, loop, latency):
    """Counts of one iteration after two others; inner loops are passed once, and their loads do not count."""
    key = (loop.address(), latency)
    if key not in kernel.counted:
        kernel.counted[key] = count_iteration(kernel, loop, latency)
    return kernel.counted[key]


def count_iteration(kernel, loop, latency):
    way = kernel.path(loop.header, loop.blocks)
    warp = Warp(latency)
    for _ in range(3):
        counts = Counts()
        for block in way:
            for each in block.instructions:
                warp.issue(each, counts, block.loop is loop)
    return counts


def disassembler():
    return shutil.which(os.environ.get("CUOBJDUMP") or "cuobjdump")


def output_of(command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    if result.returncode != 0:
        said = (result.stderr or result.stdout).strip().splitlines()
        raise UsageError(f"{os.path.basename(command[0])} failed: {said[-1] if said else 'no message'}")
    return result.stdout


def kernels_of(program, image, pattern):
    text = output_of([program, "-arch", ARCHITECTURE, "-sass", image], env=with_tools(program))
    kernels = {}
    for part in re.split(r"\n\s*Function : ", text)[1:]:
        name, _, body = part.partition("\n")
        if not re.fullmatch(pattern, name.strip()):
            continue
        found = re.finditer(r"^\s+/\*([0-9a-f]{4,})\*/\s+(?:@(!?U?P[T\d]+)\s+)?(\S+)[ \t]*(.*?)\s*;", body, re.MULTILINE)
        instructions = [Instruction(int(each[1], 16), each[2], each[3], each[4]) for each in found]
        if instructions:
            kernels[name.strip()] = Kernel(name.strip(), instructions)
    if not kernels:
        raise UsageError(f"{image} has no code for {ARCHITECTURE} of a kernel that matches {pattern}.")
    return kernels


def with_tools(program):
    """The disassembler calls nvdisasm, which is next to it or on the PATH."""
    path = os.pathsep.join((os.path.dirname(os.path.realpath(program)), os.environ.get("PATH", "")))
    return dict(os.environ, PATH=path)


class LoopReport:
    def __init__(self, kernel, loop, latency):
        self.address = loop.address()
        self.counts = iteration(kernel, loop, latency)
        self.loads = self.counts.loads[GLOBAL] + self.counts.loads[COPY]
        self.waits = self.counts.waits[GLOBAL] + self.counts.waits[COPY]


def reports_of(kernel, latency):
    return [LoopReport(kernel, loop, latency) for loop in kernel.loops]


def share_of(reports):
    """Waits per load of a kernel, over one iteration of each of its loops."""
    loads = sum(each.loads for each in reports)
    return sum(each.waits for each in reports) / loads if loads else 0.0
