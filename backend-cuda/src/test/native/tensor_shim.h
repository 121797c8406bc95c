// SPDX-License-Identifier: Apache-2.0
// The functions of tensor.cuh: which lane has which element is that of the PTX ISA (matrix fragments of mma.m16n8k16, and
// ldmatrix). A copy lands when it is waited for, not before; until then its place holds bytes of no meaning.
#pragma once

#include "block.h"

#include <cstdint>
#include <cstring>

namespace emulated
{
// A lane's part in a product of tiles; its sums are replaced.
struct ProductLane : Joint
{
    std::uint32_t left[4];
    std::uint32_t right[2];
    float sums[4];
};

// A lane's part in a load of four tiles of 8 x 8 elements.
struct LoadLane : Joint
{
    const void* row;
    void (*read)(const void* row, std::uint32_t (&words)[4]);
    std::uint32_t loaded[4];
};

// Sums of 16 products each, added one after the other in the order of columns. A device's order is not documented.
EMULATED_VISIBLE void multiply_lanes(Joint* const (&lanes)[WARP_SIZE]);

// Each lane gets two neighbouring elements of each tile: of row lane / 4.
EMULATED_VISIBLE void load_lanes(Joint* const (&lanes)[WARP_SIZE]);

// Compiled with the kernels, so that the access is checked as theirs are.
inline void read_row(const void* row, std::uint32_t (&words)[4])
{
    const uint4 pieces = *static_cast<const uint4*>(row);
    std::memcpy(words, &pieces, sizeof(words));
}

inline std::uint32_t nearest_bf16_bits(const float value)
{
    const std::uint32_t raw = bits<std::uint32_t>(value);
    return value != value ? 0x7FFFU : (raw + 0x7FFFU + (raw >> 16 & 1U)) >> 16;
}
}

inline void multiply_tile(
    float (&sums)[4], const unsigned (&left)[4], const unsigned right0, const unsigned right1, EMULATED_SITE)
{
    emulated::ProductLane lane;
    lane.act = &emulated::multiply_lanes;
    std::memcpy(lane.left, left, sizeof(left));
    lane.right[0] = right0;
    lane.right[1] = right1;
    std::memcpy(lane.sums, sums, sizeof(sums));
    emulated::here.engine->together(emulated::Collective::multiply_tile, lane, file, line);
    std::memcpy(sums, lane.sums, sizeof(sums));
}

inline void load_tile(unsigned (&left)[4], const void* row, EMULATED_SITE)
{
    emulated::LoadLane lane;
    lane.act = &emulated::load_lanes;
    lane.row = row;
    lane.read = &emulated::read_row;
    emulated::here.engine->together(emulated::Collective::load_tile, lane, file, line);
    std::memcpy(left, lane.loaded, sizeof(left));
}

inline void copy_async(void* shared, const void* global, const bool there)
{
    emulated::here.engine->require_shared(shared, "cp.async");
    const uint4 content = there ? *static_cast<const uint4*>(global) : uint4{0, 0, 0, 0};
    std::uint64_t words[2];
    std::memcpy(words, &content, sizeof(words));
    *static_cast<uint4*>(shared) = uint4{0xA5A5A5A5U, 0xA5A5A5A5U, 0xA5A5A5A5U, 0xA5A5A5A5U};
    emulated::here.engine->copy_later(shared, words);
}

inline void commit_copies()
{
    emulated::here.engine->commit_copies();
}

template<int Open>
inline void await_copies()
{
    emulated::here.engine->await_copies(Open);
}

inline unsigned bf16_pair(const float first, const float second)
{
    return emulated::nearest_bf16_bits(first) | emulated::nearest_bf16_bits(second) << 16;
}
