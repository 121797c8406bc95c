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
/** Positions whose values a thread loads before it adds the first. */
constexpr int VALUES_AHEAD = 16;
/** Pairs of elements that a thread loads before it turns the first. */
constexpr int PAIRS_AHEAD = 4;
/** Blocks at a time on a multiprocessor, as far as registers decide. */
constexpr int ATTENTION_BLOCKS = 4;
/** Tiles of keys and pieces of values that a thread loads at a time, if there are no more tasks than multiprocessors. */
constexpr int LONE_TILES = 4;
constexpr int LONE_PIECES = 4;
constexpr int WARP_KEYS = 2 * KEYS;
/** Blocks at a time on a multiprocessor, with windows and sinks. */
constexpr int WINDOW_BLOCKS = 3;

/** A token sees its position and those before it. */
struct AllPositions
{
    __device__ int first(int) const
    {
        return 0;
    }

    __device__ bool hasSinks() const
    {
        return false;
    }

    __device__ float sink(int) const
    {
        return 0.0f;
    }
};

/** A token sees so many positions, its own included, 0 meaning all; a head's sink joins its softmax if there are any. */
struct Window
{
    int positions;
    const float* sinks;

    /** Of {@code seen} positions, the first that the last one sees. */
    __device__ int first(int seen) const
    {
        return positions == 0 || seen <= positions ? 0 : seen - positions;
    }

    __device__ bool hasSinks() const
    {
        return sinks != nullptr;
    }

    __device__ float sink(int head) const
    {
        return sinks[head];
    }
};

/** Shared by the threads of a block. */
struct AttentionMemory
{
    float largest[MAX_BLOCK_WARPS];
    float total;
    float2 parts[MAX_BLOCK_THREADS];
    float4 query[32];
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

/** Elements i and i + half of a head, and the angle by which they are turned. */
struct Pair
{
    float x;
    float y;
    float cosine;
    float sine;
};

/** The elements after rotation. */
__device__ inline float2 turned(const Pair& pair, const Heads& shape)
{
    const float x = clipped(pair.x, shape);
    const float y = clipped(pair.y, shape);
    const int round = shape.round;
    const float first = __fadd_rn(kept(__fmul_rn(x, pair.cosine), round), kept(__fmul_rn(-y, pair.sine), round));
    const float second = __fadd_rn(kept(__fmul_rn(y, pair.cosine), round), kept(__fmul_rn(x, pair.sine), round));
    return {kept(first, round), kept(second, round)};
}

/** The slot of a position in the pool of a layer: block times block size, plus the place in the block. */
__device__ inline long long kv_slot(const int* table, int position, int blockSize)
{
    return static_cast<long long>(table[position / blockSize]) * blockSize + position % blockSize;
}

/** The norms of queries and keys; both weights are null if there are none. */
struct HeadNorms
{
    const float* queries;
    const float* keys;
    /** 0: all heads of a token are one vector; otherwise each head is one. */
    int perHead;
    float epsilon;
};

/** Normalises the heads of a token in place, by a block. */
__device__ inline void normalise_heads(
    float* vectors, int heads, const float* weights, const HeadNorms& norms, const Heads& shape, NormMemory& memory)
{
    if (weights == nullptr)
    {
        return;
    }
    if (norms.perHead == 0)
    {
        const Activations target = {vectors, nullptr};
        normalise(
            vectors, GivenValues{nullptr}, nullptr, weights, heads * shape.headSize, norms.epsilon, shape.round, target, memory);
        return;
    }
#pragma unroll 1
    for (int head = static_cast<int>(threadIdx.x) / WARP_LANES; head < heads;
        head += static_cast<int>(blockDim.x) / WARP_LANES)
    {
        normalise_by_warp(vectors + head * shape.headSize, weights, shape.headSize, norms.epsilon, shape.round);
    }
    __syncthreads();
}

/** Turns the heads of a token, by a block; {@code put(i, value)} takes each element. */
template <typename Put>
__device__ inline void turn_heads(
    const float* vectors, int heads, const float* cosines, const float* sines, const Heads& shape, const Put& put)
{
    const int half = shape.headSize / 2;
    const int threads = static_cast<int>(blockDim.x);
#pragma unroll 1
    for (int from = static_cast<int>(threadIdx.x); from < heads * half; from += PAIRS_AHEAD * threads)
    {
        Pair pairs[PAIRS_AHEAD];
#pragma unroll
        for (int j = 0; j < PAIRS_AHEAD; j++)
        {
            const int i = from + j * threads < heads * half ? from + j * threads : from;
            const float* head = vectors + i / half * shape.headSize + i % half;
            pairs[j] = {head[0], head[half], cosines[i % half], sines[i % half]};
        }
#pragma unroll
        for (int j = 0; j < PAIRS_AHEAD; j++)
        {
            const int i = from + j * threads;
            if (i < heads * half)
            {
                const float2 pair = turned(pairs[j], shape);
                put(i / half * shape.headSize + i % half, pair.x);
                put(i / half * shape.headSize + i % half + half, pair.y);
            }
        }
    }
}

/** Queries, keys and values of a token, each by a block. */
template <typename Cached>
__device__ inline void place(
    const unsigned char* step, float* queries, float* keys, const float* values, const HeadNorms& norms,
    const float* cosines, const float* sines, const Heads& shape, Cached* keyPool, Cached* valuePool, NormMemory& memory)
{
    const Feed feed = step_feed(step);
    const int half = shape.headSize / 2;
    const int kvWidth = shape.kvHeads * shape.headSize;
#pragma unroll 1
    for (int task = static_cast<int>(blockIdx.x); task < 3 * step_header(step)->tokens; task += gridDim.x)
    {
        const int token = task / 3;
        const int position = step_position(step, token);
        if (position == NOT_COMPUTED)
        {
            continue;
        }
        const float* cosine = cosines + static_cast<long long>(position) * half;
        const float* sine = sines + static_cast<long long>(position) * half;
        const long long cached = kv_slot(feed.blocks + feed.tables[token], position, shape.blockSize) * kvWidth;
        if (task % 3 == 0)
        {
            float* own = queries + static_cast<long long>(token) * shape.heads * shape.headSize;
            normalise_heads(own, shape.heads, norms.queries, norms, shape, memory);
            turn_heads(own, shape.heads, cosine, sine, shape, [&](int i, float value) { own[i] = value; });
        }
        else if (task % 3 == 1)
        {
            float* own = keys + static_cast<long long>(token) * kvWidth;
            normalise_heads(own, shape.kvHeads, norms.keys, norms, shape, memory);
            turn_heads(own, shape.kvHeads, cosine, sine, shape,
                [&](int i, float value) { store(keyPool + cached + i, value); });
        }
        else
        {
            const float* own = values + static_cast<long long>(token) * kvWidth;
#pragma unroll 4
            for (int i = static_cast<int>(threadIdx.x); i < kvWidth; i += blockDim.x)
            {
                store(valuePool + cached + i, clipped(own[i], shape));
            }
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
#pragma unroll(sizeof(Cached) == 2 ? 2 : 1)
    for (int i = lane_index() % HALF_WARP * 2; i < headSize; i += WARP_LANES)
    {
        const float2 asked = *reinterpret_cast<const float2*>(query + i);
        float2 pair[KEYS];
#pragma unroll
        for (int t = 0; t < KEYS; t++)
        {
            pair[t] = pair_of(key[t] + i);
        }
#pragma unroll
        for (int t = 0; t < KEYS; t++)
        {
            lanes[t].x = __fadd_rn(lanes[t].x, __fmul_rn(pair[t].x, asked.x));
            lanes[t].y = __fadd_rn(lanes[t].y, __fmul_rn(pair[t].y, asked.y));
        }
    }
    return lane_sums(lanes);
}

/** Heads of 128 elements in bf16: four threads have the 32 lanes of a key, eight each, and read 16 bytes at a time. */
constexpr int WIDE_HEAD = 128;
constexpr int WIDE_ROUNDS = WIDE_HEAD / WARP_LANES;

/** The part of a key that a thread multiplies. */
struct WideKey
{
    uint4 raw[WIDE_ROUNDS];
};

/** Begins to load the part of key lane / 4 of some neighbouring keys, of which there are {@code count}. */
__device__ inline WideKey wide_key(const unsigned short* keys, int stride, int count)
{
    const int place = lane_index() / 4;
    const unsigned short* key = keys + static_cast<long long>(place < count ? place : 0) * stride + lane_index() % 4 * 8;
    WideKey own;
#pragma unroll
    for (int s = 0; s < WIDE_ROUNDS; s++)
    {
        own.raw[s] = *reinterpret_cast<const uint4*>(key + WARP_LANES * s);
    }
    return own;
}

/** The product of a query with key lane / 4. */
__device__ inline float product_of(const WideKey& key, const float4* asked)
{
    float lanes[8];
#pragma unroll
    for (int j = 0; j < 8; j++)
    {
        lanes[j] = 0.0f;
    }
#pragma unroll
    for (int s = 0; s < WIDE_ROUNDS; s++)
    {
        const unsigned words[4] = {key.raw[s].x, key.raw[s].y, key.raw[s].z, key.raw[s].w};
        const float4 low = asked[8 * s + lane_index() % 4 * 2];
        const float4 high = asked[8 * s + lane_index() % 4 * 2 + 1];
        const float part[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
        for (int j = 0; j < 8; j++)
        {
            const float value = __uint_as_float(j % 2 == 0 ? words[j / 2] << 16 : words[j / 2] & 0xFFFF0000u);
            lanes[j] = __fadd_rn(lanes[j], __fmul_rn(value, part[j]));
        }
    }
#pragma unroll
    for (int distance = 2; distance > 0; distance /= 2)
    {
#pragma unroll
        for (int j = 0; j < 8; j++)
        {
            lanes[j] = __fadd_rn(lanes[j], __shfl_xor_sync(ALL_LANES, lanes[j], distance));
        }
    }
#pragma unroll
    for (int half = 4; half > 0; half /= 2)
    {
#pragma unroll
        for (int j = 0; j < half; j++)
        {
            lanes[j] = __fadd_rn(lanes[j], lanes[j + half]);
        }
    }
    return lanes[0];
}

/** Neighbouring keys of a block of the pool, from one position on. */
template <typename Cached>
struct KeyTile
{
    const Cached* keys;
    int first;
    /** Keys; 0: the tile is not there, and its first key is that of another one. */
    int count;
};

/** The products of the keys of some tiles, of which all are loaded before the first is used. */
template <int Tiles>
__device__ inline void wide_products(
    const float4* asked, const KeyTile<unsigned short> (&tiles)[Tiles], int stride, float (&sums)[Tiles])
{
    WideKey keys[Tiles];
#pragma unroll
    for (int t = 0; t < Tiles; t++)
    {
        keys[t] = wide_key(tiles[t].keys, stride, tiles[t].count);
    }
#pragma unroll
    for (int t = 0; t < Tiles; t++)
    {
        sums[t] = product_of(keys[t], asked);
    }
}

template <int Tiles>
__device__ inline void wide_products(const float4*, const KeyTile<float> (&)[Tiles], int, float (&)[Tiles])
{
}

/** Tile {@code index} of a sequence, in block {@code id} of the pool; it is empty if there are fewer. */
template <typename Cached>
__device__ inline KeyTile<Cached> key_tile(
    const Cached* keys, int id, int index, int tiles, int positions, const Heads& shape)
{
    const int tilesOfBlock = (shape.blockSize + WARP_KEYS - 1) / WARP_KEYS;
    const int within = index % tilesOfBlock * WARP_KEYS;
    const int first = index / tilesOfBlock * shape.blockSize + within;
    const int rest = shape.blockSize - within < positions - first ? shape.blockSize - within : positions - first;
    const long long slot = static_cast<long long>(id) * shape.blockSize + (index < tiles ? within : 0);
    return {keys + slot * (shape.kvHeads * shape.headSize), first, index < tiles ? rest : 0};
}

/** The blocks of a warp's next tiles; for a tile that is not there, the pool's first block. */
template <int Tiles>
__device__ inline void tile_blocks(
    const int* table, int index, int tiles, int warps, int blockSize, int (&ids)[Tiles])
{
    const int tilesOfBlock = (blockSize + WARP_KEYS - 1) / WARP_KEYS;
#pragma unroll
    for (int t = 0; t < Tiles; t++)
    {
        const int tile = index + t * warps;
        ids[t] = tile < tiles ? table[tile / tilesOfBlock] : 0;
    }
}

/**
 * The scaled products of a query with the keys of the positions from {@code first} on, by a block; returns the largest. The
 * tile of the first one may begin before it.
 */
template <typename Cached, int Tiles>
__device__ inline float scores_of(
    const float* query, const Cached* keys, const int* table, int first, int positions, const Heads& shape, float scale,
    float* scores, AttentionMemory& memory)
{
    const int stride = shape.kvHeads * shape.headSize;
    const int size = shape.blockSize;
    const int tiles = positions / size * ((size + WARP_KEYS - 1) / WARP_KEYS) + (positions % size + WARP_KEYS - 1) / WARP_KEYS;
    const int skipped = first / size * ((size + WARP_KEYS - 1) / WARP_KEYS) + first % size / WARP_KEYS;
    const int warps = static_cast<int>(blockDim.x) / WARP_LANES;
    const int warp = static_cast<int>(threadIdx.x) / WARP_LANES;
    float largest = negative_infinity();
    const bool wide = sizeof(Cached) == 2 && shape.headSize == WIDE_HEAD;
    if (wide && threadIdx.x < 32)
    {
        memory.query[threadIdx.x] = reinterpret_cast<const float4*>(query)[threadIdx.x];
    }
    __syncthreads();
    int ids[Tiles];
    tile_blocks(table, skipped + warp, tiles, warps, size, ids);
#pragma unroll 1
    for (int index = skipped + warp; index < tiles; index += Tiles * warps)
    {
        KeyTile<Cached> tile[Tiles];
        float sums[Tiles];
#pragma unroll
        for (int t = 0; t < Tiles; t++)
        {
            tile[t] = key_tile<Cached>(keys, ids[t], index + t * warps, tiles, positions, shape);
        }
        // The next blocks are known before the keys of these have arrived.
        tile_blocks(table, index + Tiles * warps, tiles, warps, size, ids);
        if (wide)
        {
            wide_products(memory.query, tile, stride, sums);
        }
#pragma unroll
        for (int t = 0; t < Tiles; t++)
        {
            const float sum = wide ? sums[t] :
                products_of_keys<Cached>(query, tile[t].keys, stride, tile[t].count, shape.headSize);
            const float score = kept(__fmul_rn(kept(sum, shape.round), scale), shape.round);
            if (lane_index() / KEYS < tile[t].count && tile[t].first + lane_index() / KEYS >= first)
            {
                largest = larger(largest, score);
                if (lane_index() % KEYS == 0)
                {
                    scores[tile[t].first + lane_index() / KEYS] = score;
                }
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

/**
 * Turns the scores of a block's task from {@code first} on into shares; the sum is that of one warp, as if the scores before
 * were 0. A sink is added to it last, and with it the differences from the largest are rounded.
 */
template <typename Sight>
__device__ inline void softmax(
    float* scores, int first, int count, float largest, const Sight& sight, int head, int round, AttentionMemory& memory)
{
    const int inner = sight.hasSinks() ? round : 0;
#pragma unroll 1
    for (int i = first + static_cast<int>(threadIdx.x); i < count; i += blockDim.x)
    {
        scores[i] = power(kept(__fsub_rn(scores[i], largest), inner));
    }
    __syncthreads();
    if (threadIdx.x < WARP_LANES)
    {
        float sum = 0.0f;
#pragma unroll 8
        for (int i = first / WARP_LANES * WARP_LANES + lane_index(); i < count; i += WARP_LANES)
        {
            sum = i >= first ? __fadd_rn(sum, scores[i]) : sum;
        }
        sum = warp_sum(sum);
        if (sight.hasSinks())
        {
            sum = __fadd_rn(sum, power(kept(__fsub_rn(sight.sink(head), largest), round)));
        }
        if (lane_index() == 0)
        {
            memory.total = sum;
        }
    }
    __syncthreads();
    const float total = memory.total;
#pragma unroll 1
    for (int i = first + static_cast<int>(threadIdx.x); i < count; i += blockDim.x)
    {
        scores[i] = kept(__fdiv_rn(scores[i], total), round);
    }
    __syncthreads();
}

/**
 * Adds the values of some pieces of {@code Count} neighbouring positions times their shares: all are loaded before the first
 * is used.
 */
template <int Pieces, int Count, typename Cached>
__device__ inline void add_values(const float* shares, const Cached* const (&values)[Pieces], int stride, float2& sum)
{
    float2 pair[Pieces * Count];
    float share[Pieces * Count];
#pragma unroll
    for (int i = 0; i < Pieces * Count; i++)
    {
        pair[i] = pair_of(values[i / Count] + i % Count * static_cast<long long>(stride));
        share[i] = shares[i];
    }
#pragma unroll
    for (int i = 0; i < Pieces * Count; i++)
    {
        sum.x = __fadd_rn(sum.x, __fmul_rn(share[i], pair[i].x));
        sum.y = __fadd_rn(sum.y, __fmul_rn(share[i], pair[i].y));
    }
}

/** The sum of the values of some positions times their shares, for two elements of a head. */
template <typename Cached, int Pieces>
__device__ inline float2 segment_sum(
    const float* shares, const Cached* values, const int* table, int first, int end, const Heads& shape)
{
    const int stride = shape.kvHeads * shape.headSize;
    float2 sum = {0.0f, 0.0f};
    int position = first;
    // Pieces begin at multiples of their length: no window does so with several of them.
    if (Pieces > 1 && shape.blockSize % VALUES_AHEAD == 0)
    {
#pragma unroll 1
        for (; position + Pieces * VALUES_AHEAD <= end; position += Pieces * VALUES_AHEAD)
        {
            const Cached* pieces[Pieces];
#pragma unroll
            for (int i = 0; i < Pieces; i++)
            {
                pieces[i] = values + kv_slot(table, position + i * VALUES_AHEAD, shape.blockSize) * stride;
            }
            add_values<Pieces, VALUES_AHEAD>(shares + position, pieces, stride, sum);
        }
    }
    int block = position / shape.blockSize;
    int id = position < end ? table[block] : 0;
#pragma unroll 1
    while (position < end)
    {
        const int begin = block * shape.blockSize;
        const int stop = end - begin < shape.blockSize ? end : begin + shape.blockSize;
        const Cached* value[1] = {
            values + (static_cast<long long>(id) * shape.blockSize + (position - begin)) * stride};
        block++;
        // The next block is known before the values of this one have arrived.
        id = stop < end ? table[block] : id;
#pragma unroll 1
        for (; position + VALUES_AHEAD <= stop; position += VALUES_AHEAD, value[0] += VALUES_AHEAD * stride)
        {
            add_values<1, VALUES_AHEAD>(shares + position, value, stride, sum);
        }
#pragma unroll 1
        for (; position + KEYS <= stop; position += KEYS, value[0] += KEYS * stride)
        {
            add_values<1, KEYS>(shares + position, value, stride, sum);
        }
#pragma unroll 1
        for (; position < stop; position++, value[0] += stride)
        {
            add_values<1, 1>(shares + position, value, stride, sum);
        }
    }
    return sum;
}

/**
 * The sum of the values of the positions from {@code begin} on times their shares, by a block, which computes several segments
 * at a time.
 */
template <typename Cached, int Pieces>
__device__ inline void mix_values(
    const float* shares, const Cached* values, const int* table, int begin, int positions, const Heads& shape,
    AttentionMemory& memory, const Activations& mixed, long long at)
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
        for (int before = begin / SEGMENT; before < segments; before += together)
        {
            const int count = segments - before < together ? segments - before : together;
            if (own < count)
            {
                const int first = (before + own) * SEGMENT;
                memory.parts[thread] = segment_sum<Cached, Pieces>(shares, values + element, table,
                    first < begin ? begin : first, positions - first < SEGMENT ? positions : first + SEGMENT, shape);
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
            put(mixed, at + element, kept(sum.x, shape.round));
            put(mixed, at + element + 1, kept(sum.y, shape.round));
        }
    }
}

/** Attention of all heads of all tokens, a block for each at a time; scores has a row for each block of the grid. */
template <typename Cached, int Tiles, int Pieces, typename Sight>
__device__ inline void attend(
    const unsigned char* step, const float* queries, const Cached* keys, const Cached* values, const Heads& shape,
    const Sight& sight, float scale, float* scores, int maxPositions, AttentionMemory& memory, const Activations& mixed)
{
    float* own = scores + static_cast<long long>(blockIdx.x) * maxPositions;
#pragma unroll 1
    for (long long task = blockIdx.x; task < static_cast<long long>(step_header(step)->tokens) * shape.heads;
        task += gridDim.x)
    {
        const Feed feed = step_feed(step);
        const int token = static_cast<int>(task / shape.heads);
        const int head = static_cast<int>(task % shape.heads);
        const int kvHead = head / (shape.heads / shape.kvHeads) * shape.headSize;
        const int* table = feed.blocks + feed.tables[token];
        const int positions = step_position(step, token) + 1;
        const int first = sight.first(positions);
        const float score = scores_of<Cached, Tiles>(
            queries + task * shape.headSize, keys + kvHead, table, first, positions, shape, scale, own, memory);
        const float largest = sight.hasSinks() ? larger(score, sight.sink(head)) : score;
        softmax(own, first, positions, largest, sight, head, shape.round, memory);
        mix_values<Cached, Pieces>(
            own, values + kvHead, table, first, positions, shape, memory, mixed, task * shape.headSize);
    }
}
