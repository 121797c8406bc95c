// SPDX-License-Identifier: Apache-2.0
// The capture view of a slot and the result that is copied to the host.
#pragma once

#include "step.cuh"

constexpr short NOT_WRITTEN = -1;
constexpr int NOT_SAMPLED = -1;
constexpr unsigned NOT_WRITTEN_PAIR = 0xFFFFFFFFu;
constexpr unsigned CHECKSUM_SALT = 0x9E3779B9u;
constexpr unsigned long long CHECKSUM_FACTOR = 0xD1B54A32D192ED03ull;
/** Ids that one block packs at a time: whole words whatever the size of an id. */
constexpr int PACK_IDS = 2048;
constexpr int WEIGHT_BYTES = 4;
/** One lane holds each choice of a set, so that no set is larger. */
constexpr int MAX_TOP_K = WARP_LANES;

/** Counts that a thread, then a block, adds to the header of a result slot. */
struct PackCounts
{
    unsigned long long checksum;
    int unwritten;
    int bad;
};

/** The part of one 32-bit word in the checksum. Any order of summing gives the same total. */
__device__ inline unsigned long long checksum_part(unsigned word, long long index)
{
    return (word ^ CHECKSUM_SALT) * (2ull * static_cast<unsigned long long>(index) + 1ull) * CHECKSUM_FACTOR;
}

/** Words of a result before its rows, in whole 64-byte lines: the words of the entries. */
__device__ inline int entry_words(const StepHeader* step)
{
    return (step->entries * (1 + step->extraWords) + 15) / 16 * 16;
}

__device__ inline PackCounts warp_counts(PackCounts counts)
{
    for (int offset = WARP_LANES / 2; offset > 0; offset /= 2)
    {
        counts.checksum += __shfl_xor_sync(ALL_LANES, counts.checksum, offset);
        counts.unwritten += __shfl_xor_sync(ALL_LANES, counts.unwritten, offset);
        counts.bad += __shfl_xor_sync(ALL_LANES, counts.bad, offset);
    }
    return counts;
}

/** Adds a block's counts to the header, once per block. Every thread of the block calls this. */
__device__ inline void add_counts(PackCounts counts, PackCounts* warps, ResultHeader* header)
{
    counts = warp_counts(counts);
    if (lane_index() == 0)
    {
        warps[threadIdx.x / WARP_LANES] = counts;
    }
    __syncthreads();
    if (threadIdx.x != 0)
    {
        return;
    }
#pragma unroll 1
    for (unsigned warp = 1; warp < blockDim.x / WARP_LANES; warp++)
    {
        counts.checksum += warps[warp].checksum;
        counts.unwritten += warps[warp].unwritten;
        counts.bad += warps[warp].bad;
    }
    atomicAdd(&header->checksum, counts.checksum);
    if (counts.unwritten != 0)
    {
        atomicAdd(&header->unwritten, counts.unwritten);
    }
    if (counts.bad != 0)
    {
        atomicAdd(&header->bad, counts.bad);
    }
}

/** A block fills values with -1: 16 bytes at a time, and one by one before and after the aligned part. */
__device__ inline void fill_not_written(short* view, int count)
{
    const int misaligned = static_cast<int>(reinterpret_cast<unsigned long long>(view) / sizeof(short) % 8);
    int head = (8 - misaligned) % 8;
    head = head < count ? head : count;
    const int vectors = (count - head) / 8;
    const uint4 pattern = {NOT_WRITTEN_PAIR, NOT_WRITTEN_PAIR, NOT_WRITTEN_PAIR, NOT_WRITTEN_PAIR};
    uint4* aligned = reinterpret_cast<uint4*>(view + head);
#pragma unroll 1
    for (int i = threadIdx.x; i < vectors; i += blockDim.x)
    {
        aligned[i] = pattern;
    }
    const int tail = head + vectors * 8;
#pragma unroll 1
    for (int i = threadIdx.x; i < head + count - tail; i += blockDim.x)
    {
        view[i < head ? i : tail + i - head] = NOT_WRITTEN;
    }
}

/** Writes the fields of the header that the blocks of a launch do not add up; those are zero since the slot was opened. */
__device__ inline void write_header(
    ResultHeader* header, const StepHeader* step, int layers, int topK, int idBytes, int weightBytes)
{
    header->step = step->step;
    header->rank = step->rank;
    header->tokens = step->tokens;
    header->entries = step->entries;
    header->layers = layers;
    header->topK = static_cast<unsigned char>(topK);
    header->idBytes = static_cast<unsigned char>(idBytes);
    header->weightBytes = static_cast<unsigned char>(weightBytes);
    header->extraWords = static_cast<unsigned char>(step->extraWords);
    header->fingerprint = step->fingerprint;
    header->generation = step->generation;
    header->magic = RESULT_MAGIC;
}

/** The ids of a slot's capture view, and its sizes. */
struct CaptureView
{
    const short* ids;
    int layers;
    int maxTokens;
    int topK;
};

/** The place in a view of element {@code index} of the step in token-major order [n][L][K]. */
__device__ inline long long captured_place(const CaptureView& view, unsigned index)
{
    const unsigned set = index / view.topK;
    const unsigned k = index - set * view.topK;
    const unsigned token = set / view.layers;
    const unsigned layer = set - token * view.layers;
    return (static_cast<long long>(layer) * view.maxTokens + token) * view.topK + k;
}

/** Id {@code index} of the step in token-major order. */
__device__ inline short captured_id(const CaptureView& view, unsigned index)
{
    return view.ids[captured_place(view, index)];
}

/** A byte of the step's rows with combine weights: a token's ids, then the weights of these. */
__device__ inline unsigned row_byte(const CaptureView& view, const float* weights, int idBytes, long long at)
{
    const int ids = view.layers * view.topK;
    const int rowBytes = ids * (idBytes + WEIGHT_BYTES);
    const unsigned token = static_cast<unsigned>(at / rowBytes);
    const int place = static_cast<int>(at - static_cast<long long>(token) * rowBytes);
    const int after = place - ids * idBytes;
    if (after < 0)
    {
        const unsigned id = static_cast<unsigned short>(captured_id(view, token * ids + place / idBytes));
        return id >> 8 * (place % idBytes) & 0xFFu;
    }
    const float weight = weights[captured_place(view, token * ids + after / WEIGHT_BYTES)];
    return __float_as_uint(weight) >> 8 * (after % WEIGHT_BYTES) & 0xFFu;
}

/** Counts an id that is missing, out of range or a repetition within its set, which starts at {@code setStart}. */
__device__ inline void check_id(const short* ids, int setStart, int at, int experts, PackCounts& counts)
{
    const short id = ids[at];
    if (id == NOT_WRITTEN)
    {
        counts.unwritten++;
        return;
    }
    bool bad = id < 0 || id >= experts;
#pragma unroll 1
    for (int i = setStart; i < at; i++)
    {
        bad = bad || ids[i] == id;
    }
    counts.bad += bad ? 1 : 0;
}

/** Packs ids into a word, the first in the lowest bits; bytes after the last id are zero. */
__device__ inline unsigned pack_word(const short* ids, int count, int idBytes)
{
    const unsigned mask = idBytes == 1 ? 0xFFu : 0xFFFFu;
    unsigned word = 0;
    for (int i = 0; i < count; i++)
    {
        word |= (static_cast<unsigned>(ids[i]) & mask) << (8 * idBytes * i);
    }
    return word;
}
