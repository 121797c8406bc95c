#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a closed journal as docs/journal.md describes it, with the standard library alone. It checks CRC, sequence, place
and link of each record and the checksum of each step's rows, and prints counts and the digest. Usage: read_journal.py DIR"""
import json
import struct
import sys
from pathlib import Path

M64 = (1 << 64) - 1
P32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
P64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590"
    "e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb4"
    "5931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45"
    "cb3a8f95160428afd7fbcabb4b407e")
KEYS = [struct.unpack_from("<Q", SECRET, i)[0] for i in range(185)]
CRC = list(range(256))
for _ in range(8):
    CRC = [n >> 1 ^ (0x82F63B78 if n & 1 else 0) for n in CRC]


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


def fold(a, b):
    return a * b & M64 ^ a * b >> 64


def avalanche(h, first=37, factor=0x165667919E3779F9):
    h = (h ^ h >> first) * factor & M64
    return h ^ h >> 32


def xxh3(data):  # seed 0, default secret; payloads have 0 or more than 8 bytes
    size, total = len(data), len(data) * P64[0]

    def word(at):
        return struct.unpack_from("<Q", data, at)[0]

    def mix(at, key):
        return fold(word(at) ^ KEYS[key], word(at + 8) ^ KEYS[key + 8])

    if size == 0:
        h = KEYS[56] ^ KEYS[64]
        return avalanche((h ^ h >> 33) * P64[1] & M64, 29, P64[2])
    if size <= 16:
        low, high = word(0) ^ KEYS[24] ^ KEYS[32], word(size - 8) ^ KEYS[40] ^ KEYS[48]
        return avalanche(size + int.from_bytes(low.to_bytes(8, "little"), "big") + high + fold(low, high) & M64)
    if size <= 128:
        total += sum(mix(16 * i, 32 * i) + mix(size - 16 * i - 16, 32 * i + 16) for i in range((size + 31) // 32))
        return avalanche(total & M64)
    if size <= 240:
        total = avalanche(total + sum(mix(16 * i, 16 * i) for i in range(8)) & M64)
        return avalanche(total + sum(mix(16 * i, 16 * i - 125) for i in range(8, size // 16)) + mix(size - 16, 119) & M64)
    lanes = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]]
    for at in [*range(0, (size - 1) // 64 * 64, 64), size - 64]:
        last = at == size - 64
        for i, value in enumerate(struct.unpack_from("<8Q", data, at)):
            mixed = value ^ KEYS[(121 if last else at % 1024 // 8) + 8 * i]
            lanes[i ^ 1] = lanes[i ^ 1] + value & M64
            lanes[i] = lanes[i] + (mixed & 0xFFFFFFFF) * (mixed >> 32) & M64
        if at % 1024 == 960 and not last:
            lanes = [(lane ^ lane >> 47 ^ KEYS[128 + 8 * i]) * P32[0] & M64 for i, lane in enumerate(lanes)]
    folded = sum(fold(lanes[2 * i] ^ KEYS[11 + 16 * i], lanes[2 * i + 1] ^ KEYS[19 + 16 * i]) for i in range(4))
    return avalanche(total + folded & M64)


class Message:  # an SBE message: its fixed block, then groups and variable data in order
    def __init__(self, data):
        block, self.template, schema, version = struct.unpack_from("<4H", data)
        assert (schema, version) == (7201, 5), f"schema {schema}, version {version}"
        self.data, self.at = data, 8 + block

    def fields(self, form):
        return struct.unpack_from("<" + form, self.data, 8)

    def group(self):
        size, count = struct.unpack_from("<HI", self.data, self.at)
        self.at += 6 + size * count
        return count

    def variable(self):
        first = self.at + 4
        self.at = first + struct.unpack_from("<I", self.data, self.at)[0]
        return self.data[first:self.at]


def records(directory, first):
    for segment in [path for path in sorted(directory.glob("segment-*[0-9]")) if int(path.name[8:]) >= first]:
        data, at, number = (segment / "19700101F.cq4").read_bytes(), 0, int(segment.name[8:])
        while at + 4 <= len(data) and (header := struct.unpack_from("<I", data, at)[0]) not in (0, 0xC0000000):
            record = data[at + 4:at + 4 + (header & 0x3FFFFFFF)]
            if not header & 0x40000000:
                magic, size, kind, form, version, crc = struct.unpack_from("<4sIBBHI", record)
                assert (magic, size, form, version) == (b"SJL1", len(record), 0, 5), f"{segment} at {at}: version {version}"
                assert crc == crc32c(record[:12] + bytes(4) + record[16:]), f"{segment} at {at}: CRC"
                assert struct.unpack_from("<Q", record, 56)[0] == number << 40 | at + 4, f"{segment} at {at}: place"
                yield kind, *struct.unpack_from("<QQQ", record, 16), record[64:]
            at = at + 4 + len(record) + 3 & ~3


def read(directory):
    found, counts, beside = dict.fromkeys(("records", "groups", "outputTokens", "rows"), 0), {}, b""
    ahead = begin.read_bytes()[8:] if (begin := directory / "beginning").exists() else bytes(48)  # segments were removed
    first, found["records"], found["groups"], link = struct.unpack_from("<q16xqqQ", ahead)
    for kind, sequence, time, chain, payload in records(directory, first):
        assert sequence == found["records"], f"record {sequence} in the place of {found['records']}"
        if kind not in (4, 5):  # SEAL and CONTINUATION are outside the chain
            link = xxh3(struct.pack("<5Q", link, sequence, kind, time, xxh3(payload)))
            found["records"] += 1
        assert chain == link, f"record {sequence} does not link"
        at, beside = 0 if kind == 2 else len(payload), beside + (Message(payload).variable() if kind == 3 else b"")
        while at < len(payload):
            size = struct.unpack_from("<I", payload, at)[0]
            message = Message(payload[at + 4:at + 4 + size])
            counts[message.template] = counts.get(message.template, 0) + 1
            if message.template == 7:  # D2hComplete
                _, _, _, _, rows, row_bytes, checksum, _, form = message.fields("qqiiiiIqB")
                inside = [message.group() for _ in range(4)] and message.variable()
                taken, beside = (beside, b"") if form == 2 else (inside, beside)
                assert len(taken) == rows * row_bytes and (form == 0 or crc32c(taken) == checksum), f"rows of {sequence}"
                found["rows"] += rows
            elif message.template == 24:  # Commit
                found["outputTokens"] += [message.group() for _ in range(2)][1]
            at += 4 + size
        found["groups"] += kind == 2
    return found | {"messages": {str(template): counts[template] for template in sorted(counts)}, "digest": f"{link:016x}"}


if __name__ == "__main__":
    print(json.dumps(read(Path(sys.argv[1]))))
