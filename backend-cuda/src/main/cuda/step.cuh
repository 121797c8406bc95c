// SPDX-License-Identifier: Apache-2.0
// The step block, the header of a result slot, and the index of a thread. Layouts: docs/cuda.md.
#pragma once

constexpr unsigned ALL_LANES = 0xFFFFFFFFu;
constexpr int WARP_LANES = 32;
/** No kernel is launched with larger blocks; kernels with a warp per token need a multiple of a warp. */
constexpr int MAX_BLOCK_THREADS = 256;
constexpr int MAX_BLOCK_WARPS = MAX_BLOCK_THREADS / WARP_LANES;
constexpr int RESULT_HEADER_BYTES = 64;
constexpr int RESULT_MAGIC = 0x53425831;
constexpr int STEP_HEADER_BYTES = 64;
constexpr int LOGITS = -1;
/** The position of a token at or above the end: it has no keys and values, and reads none. */
constexpr int NOT_COMPUTED = -1;

struct StepHeader
{
    long long step;
    int tokens;
    int entries;
    int slot;
    int rank;
    int epoch;
    int generation;
    long long fingerprint;
    /** Rows of a capture view that the step's kernels may write: those of the bucket that they were launched for. */
    int bucket;
    /** Byte offset of what a decoder needs of the step; 0 if the kernels are those of no decoder. */
    int feed;
    /** Byte offset of the stop tokens that the sampler leaves out; 0 if it leaves out none. */
    int leftOut;
    /** Words of each entry in the result beyond its token: 0, or 2 if log-probabilities are wanted. */
    int extraWords;
    /** Byte offset of the entries that sample, if there may be draft tokens; and their number, otherwise 0. */
    int bindings;
    int bindingCount;
};

static_assert(sizeof(StepHeader) == STEP_HEADER_BYTES, "the host writes these 64 bytes");

struct ResultHeader
{
    long long step;
    int rank;
    int tokens;
    int entries;
    int layers;
    unsigned char topK;
    unsigned char idBytes;
    /** Of a combine weight; 0: the rows have none. */
    unsigned char weightBytes;
    unsigned char extraWords;
    /** The first values that were no finite numbers: 1 + l: scores of the router in MoE layer l; LOGITS; 0: none. */
    int noNumber;
    unsigned long long checksum;
    long long fingerprint;
    int unwritten;
    int bad;
    int generation;
    int magic;
};

static_assert(sizeof(ResultHeader) == RESULT_HEADER_BYTES, "the host reads these 64 bytes");

__device__ inline const StepHeader* step_header(const unsigned char* step)
{
    return reinterpret_cast<const StepHeader*>(step);
}

__device__ inline long long step_request(const unsigned char* step, int token)
{
    return reinterpret_cast<const long long*>(step + STEP_HEADER_BYTES)[token];
}

__device__ inline int step_position(const unsigned char* step, int token)
{
    return reinterpret_cast<const int*>(step + STEP_HEADER_BYTES + 8LL * step_header(step)->tokens)[token];
}

/** The index of the last token of an entry of the plan. */
__device__ inline int step_last_token(const unsigned char* step, int entry)
{
    return reinterpret_cast<const int*>(step + STEP_HEADER_BYTES + 12LL * step_header(step)->tokens)[entry];
}

__device__ inline unsigned char* result_slot(const unsigned char* step, char* results, long long resultStride)
{
    return reinterpret_cast<unsigned char*>(results) + step_header(step)->slot * resultStride;
}

/** Later values follow from the first, which alone is kept. Writers of one kernel agree. */
__device__ inline void report_no_number(const unsigned char* step, char* results, long long resultStride, int what)
{
    ResultHeader* header = reinterpret_cast<ResultHeader*>(result_slot(step, results, resultStride));
    if (header->noNumber == 0)
    {
        header->noNumber = what;
    }
}

__device__ inline long long grid_thread()
{
    return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ inline long long grid_threads()
{
    return static_cast<long long>(gridDim.x) * blockDim.x;
}

__device__ inline int lane_index()
{
    return static_cast<int>(threadIdx.x) % WARP_LANES;
}

/** The token of this warp; the same in all lanes, so that a warp returns as a whole or not at all. */
__device__ inline int warp_token()
{
    return static_cast<int>(grid_thread() / WARP_LANES);
}
