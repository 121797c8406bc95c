// SPDX-License-Identifier: Apache-2.0
// Attention, with keys and values in blocks of a pool. Every sum has the order of AttentionPass.java: a score 32 lanes, as a
// warp would have them; the sum of shares 32 lanes, too; a mixed value position after position within a segment, then the
// segments. All else is free, and chosen so that the loads of many positions are under way at a time.
#pragma once

#include "forward.cuh"

/** Positions whose values attention adds one after the other; the sums of segments follow in their order. */
constexpr int SEGMENT = 256;
/** Keys of which a thread has two lanes of the sums each; half a warp has all lanes. */
constexpr int KEYS = 4;
constexpr int HALF_WARP = WARP_LANES / 2;
/** Blocks at a time on a multiprocessor, as far as registers decide. */
constexpr int ATTENTION_BLOCKS = 4;
constexpr int WARP_KEYS = 2 * KEYS;

/** Shared by the threads of a block. */
struct AttentionMemory
{
    float largest[MAX_BLOCK_WARPS];
    float total;
    float2 parts[MAX_BLOCK_THREADS];
};

/** Queries and keys of a token's heads are clipped and turned; keys and values go to their place in the block. */
struct Heads
{
    int heads;
    int kvHeads;
    int headSize;
    int blockSize;
    /** 0: not clipped. */
    float clip;
    int round;
};

__device__ inline float clipped(float value, const Heads& shape)
{
    if (!(shape.clip > 0.0f))
    {
        return value;
    }
    const float upper = value > shape.clip ? shape.clip : value;
    return kept(upper < -shape.clip ? -shape.clip : upper, shape.round);
}

/** Elements i and i + half of a head after rotation. */
__device__ inline float2 turned(const float* head, int i, const float* cosines, const float* sines, const Heads& shape)
{
    const int half = shape.headSize / 2;
    const float x = clipped(head[i], shape);
    const float y = clipped(head[half + i], shape);
    const int round = shape.round;
    const float first = __fadd_rn(kept(__fmul_rn(x, cosines[i]), round), kept(__fmul_rn(-y, sines[i]), round));
    const float second = __fadd_rn(kept(__fmul_rn(y, cosines[i]), round), kept(__fmul_rn(x, sines[i]), round));
    return {kept(first, round), kept(second, round)};
}

/** The slot of a position in the pool of a layer: block times block size, plus the place in the block. */
__device__ inline long long kv_slot(const int* table, int position, int blockSize)
{
    return static_cast<long long>(table[position / blockSize]) * blockSize + position % blockSize;
}

/** By a thread for each pair of a query or a key, and for each value. */
template <typename Cached>
__device__ inline void place(
    const unsigned char* step, float* queries, const float* keys, const float* values, const float* cosines,
    const float* sines, const Heads& shape, Cached* keyPool, Cached* valuePool)
{
    const Feed feed = step_feed(step);
    const int half = shape.headSize / 2;
    const int kvWidth = shape.kvHeads * shape.headSize;
    const int queryPairs = shape.heads * half;
    const int pairs = queryPairs + shape.kvHeads * half;
    const long long each = pairs + kvWidth;
#pragma unroll 1
    for (long long i = grid_thread(); i < step_header(step)->tokens * each; i += grid_threads())
    {
        const int token = static_cast<int>(i / each);
        const int item = static_cast<int>(i - token * each);
        const int position = step_position(step, token);
        if (position == NOT_COMPUTED)
        {
            continue;
        }
        const float* cosine = cosines + static_cast<long long>(position) * half;
        const float* sine = sines + static_cast<long long>(position) * half;
        const long long cached = kv_slot(feed.blocks + feed.tables[token], position, shape.blockSize) * kvWidth;
        if (item < queryPairs)
        {
            float* head = queries + (static_cast<long long>(token) * shape.heads + item / half) * shape.headSize;
            const float2 pair = turned(head, item % half, cosine, sine, shape);
            head[item % half] = pair.x;
            head[half + item % half] = pair.y;
        }
        else if (item < pairs)
        {
            const int key = (item - queryPairs) / half * shape.headSize;
            const int at = (item - queryPairs) % half;
            const float2 pair =
                turned(keys + static_cast<long long>(token) * kvWidth + key, at, cosine, sine, shape);
            store(keyPool + cached + key + at, pair.x);
            store(keyPool + cached + key + at + half, pair.y);
        }
        else
        {
            const int at = item - pairs;
            store(valuePool + cached + at, clipped(values[static_cast<long long>(token) * kvWidth + at], shape));
        }
    }
}

/** Two neighbouring elements, of which the first has an even index. */
__device__ inline float2 pair_of(const unsigned short* at)
{
    const unsigned both = *reinterpret_cast<const unsigned*>(at);
    return {__uint_as_float(both << 16), __uint_as_float(both & 0xFFFF0000u)};
}

__device__ inline float2 pair_of(const float* at)
{
    return *reinterpret_cast<const float2*>(at);
}

/** Any NaN is the largest. */
__device__ inline float larger(float largest, float score)
{
    return score > largest || score != score ? score : largest;
}

/** Adds to the sums of this thread those that another one gives. */
__device__ inline float2 exchanged(float2 own, float2 given, int distance)
{
    return {__fadd_rn(own.x, __shfl_xor_sync(ALL_LANES, given.x, distance)),
        __fadd_rn(own.y, __shfl_xor_sync(ALL_LANES, given.y, distance))};
}

/**
 * The sums of 32 lanes in the order of warp_sum(), of which a thread of half a warp has lanes 2 i and 2 i + 1 for each key.
 * The result is that of key lane / 4 of the warp's: a thread keeps half of its keys and gives the others away.
 */
__device__ inline float lane_sums(const float2 (&lanes)[KEYS])
{
    static_assert(KEYS == 4, "four threads are left for each key");
    const bool upper = (lane_index() & 8) != 0;
    const bool odd = (lane_index() & 4) != 0;
    const float2 first = exchanged(upper ? lanes[2] : lanes[0], upper ? lanes[0] : lanes[2], 8);
    const float2 second = exchanged(upper ? lanes[3] : lanes[1], upper ? lanes[1] : lanes[3], 8);
    float2 sum = exchanged(odd ? second : first, odd ? first : second, 4);
    sum = exchanged(sum, sum, 2);
    sum = exchanged(sum, sum, 1);
    return __fadd_rn(sum.x, sum.y);
}

/** The products of a query with some neighbouring keys, of which there are {@code count}; that of key lane / 4. */
template <typename Cached>
__device__ inline float products_of_keys(
    const float* query, const Cached* keys, int stride, int count, int headSize)
{
    const Cached* key[KEYS];
    float2 lanes[KEYS];
#pragma unroll
    for (int t = 0; t < KEYS; t++)
    {
        const int place = lane_index() / HALF_WARP * KEYS + t;
        key[t] = keys + static_cast<long long>(place < count ? place : 0) * stride;
        lanes[t] = {0.0f, 0.0f};
    }
#pragma unroll 2
    for (int i = lane_index() % HALF_WARP * 2; i < headSize; i += WARP_LANES)
    {
        const float2 asked = *reinterpret_cast<const float2*>(query + i);
#pragma unroll
        for (int t = 0; t < KEYS; t++)
        {
            const float2 pair = pair_of(key[t] + i);
            lanes[t].x = __fadd_rn(lanes[t].x, __fmul_rn(pair.x, asked.x));
            lanes[t].y = __fadd_rn(lanes[t].y, __fmul_rn(pair.y, asked.y));
        }
    }
    return lane_sums(lanes);
}

/** The scaled products of a query with the keys of all positions, by a block; returns the largest. */
template <typename Cached>
__device__ inline float scores_of(
    const float* query, const Cached* keys, const int* table, int positions, const Heads& shape, float scale, float* scores,
    AttentionMemory& memory)
{
    const int stride = shape.kvHeads * shape.headSize;
    const int size = shape.blockSize;
    const int tilesOfBlock = (size + WARP_KEYS - 1) / WARP_KEYS;
    const int tiles = positions / size * tilesOfBlock + (positions % size + WARP_KEYS - 1) / WARP_KEYS;
    const int warps = static_cast<int>(blockDim.x) / WARP_LANES;
    const int warp = static_cast<int>(threadIdx.x) / WARP_LANES;
    float largest = negative_infinity();
#pragma unroll 1
    for (int tile = warp; tile < tiles; tile += warps)
    {
        const int block = tile / tilesOfBlock;
        const int within = tile % tilesOfBlock * WARP_KEYS;
        const int first = block * size + within;
        const int rest = size - within < positions - first ? size - within : positions - first;
        const float sum = products_of_keys<Cached>(
            query, keys + (static_cast<long long>(table[block]) * size + within) * stride, stride, rest, shape.headSize);
        const float score = kept(__fmul_rn(kept(sum, shape.round), scale), shape.round);
        if (lane_index() / KEYS < rest)
        {
            largest = larger(largest, score);
            if (lane_index() % KEYS == 0)
            {
                scores[first + lane_index() / KEYS] = score;
            }
        }
    }
#pragma unroll
    for (int distance = HALF_WARP; distance >= KEYS; distance /= 2)
    {
        largest = larger(largest, __shfl_xor_sync(ALL_LANES, largest, distance));
    }
    if (lane_index() == 0)
    {
        memory.largest[warp] = largest;
    }
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < warps; i++)
    {
        largest = larger(largest, memory.largest[i]);
    }
    return largest;
}

/** Turns the scores of a block's task into shares; the sum is that of one warp. */
__device__ inline void softmax(float* scores, int count, float largest, int round, AttentionMemory& memory)
{
#pragma unroll 1
    for (int i = threadIdx.x; i < count; i += blockDim.x)
    {
        scores[i] = power(__fsub_rn(scores[i], largest));
    }
    __syncthreads();
    if (threadIdx.x < WARP_LANES)
    {
        float sum = 0.0f;
#pragma unroll 8
        for (int i = lane_index(); i < count; i += WARP_LANES)
        {
            sum = __fadd_rn(sum, scores[i]);
        }
        sum = warp_sum(sum);
        if (lane_index() == 0)
        {
            memory.total = sum;
        }
    }
    __syncthreads();
    const float total = memory.total;
#pragma unroll 1
    for (int i = threadIdx.x; i < count; i += blockDim.x)
    {
        scores[i] = kept(__fdiv_rn(scores[i], total), round);
    }
    __syncthreads();
}

/** The sum of the values of some positions times their shares, for two elements of a head. */
template <typename Cached>
__device__ inline float2 segment_sum(
    const float* shares, const Cached* values, const int* table, int first, int end, const Heads& shape)
{
    const int stride = shape.kvHeads * shape.headSize;
    float2 sum = {0.0f, 0.0f};
    int position = first;
#pragma unroll 1
    for (int block = first / shape.blockSize; position < end; block++)
    {
        const int begin = block * shape.blockSize;
        const int stop = end - begin < shape.blockSize ? end : begin + shape.blockSize;
        const long long slot = static_cast<long long>(table[block]) * shape.blockSize + (position - begin);
        const Cached* value = values + slot * stride;
#pragma unroll 8
        for (; position < stop; position++, value += stride)
        {
            const float2 pair = pair_of(value);
            const float share = shares[position];
            sum.x = __fadd_rn(sum.x, __fmul_rn(share, pair.x));
            sum.y = __fadd_rn(sum.y, __fmul_rn(share, pair.y));
        }
    }
    return sum;
}

/** The sum of the values of all positions times their shares, by a block, which computes several segments at a time. */
template <typename Cached>
__device__ inline void mix_values(
    const float* shares, const Cached* values, const int* table, int positions, const Heads& shape, AttentionMemory& memory,
    float* mixed)
{
    const int threads = static_cast<int>(blockDim.x);
    const int thread = static_cast<int>(threadIdx.x);
    const int pairs = shape.headSize / 2;
    const int segments = (positions + SEGMENT - 1) / SEGMENT;
#pragma unroll 1
    for (int from = 0; from < pairs; from += threads)
    {
        const int width = pairs - from < threads ? pairs - from : threads;
        const int together = threads / width;
        const int own = thread / width;
        const int element = 2 * (from + thread % width);
        float2 sum = {0.0f, 0.0f};
#pragma unroll 1
        for (int before = 0; before < segments; before += together)
        {
            const int count = segments - before < together ? segments - before : together;
            if (own < count)
            {
                const int first = (before + own) * SEGMENT;
                memory.parts[thread] = segment_sum<Cached>(shares, values + element, table, first,
                    positions - first < SEGMENT ? positions : first + SEGMENT, shape);
            }
            __syncthreads();
#pragma unroll 1
            for (int i = 0; own == 0 && i < count; i++)
            {
                const float2 part = memory.parts[i * width + thread];
                sum = {__fadd_rn(sum.x, part.x), __fadd_rn(sum.y, part.y)};
            }
            __syncthreads();
        }
        if (own == 0)
        {
            mixed[element] = kept(sum.x, shape.round);
            mixed[element + 1] = kept(sum.y, shape.round);
        }
    }
}

/** Attention of all heads of all tokens, a block for each at a time; scores has a row for each block of the grid. */
template <typename Cached>
__device__ inline void attend(
    const unsigned char* step, const float* queries, const Cached* keys, const Cached* values, const Heads& shape,
    float scale, float* scores, int maxPositions, AttentionMemory& memory, float* mixed)
{
    float* own = scores + static_cast<long long>(blockIdx.x) * maxPositions;
#pragma unroll 1
    for (long long task = blockIdx.x; task < static_cast<long long>(step_header(step)->tokens) * shape.heads;
        task += gridDim.x)
    {
        const Feed feed = step_feed(step);
        const int token = static_cast<int>(task / shape.heads);
        const int head = static_cast<int>(task % shape.heads) / (shape.heads / shape.kvHeads) * shape.headSize;
        const int* table = feed.blocks + feed.tables[token];
        const int positions = step_position(step, token) + 1;
        const float largest =
            scores_of<Cached>(queries + task * shape.headSize, keys + head, table, positions, shape, scale, own, memory);
        softmax(own, positions, largest, shape.round, memory);
        mix_values<Cached>(own, values + head, table, positions, shape, memory, mixed + task * shape.headSize);
    }
}
