// SPDX-License-Identifier: Apache-2.0
// The parts of a decoder's forward pass, with the bits of io.signalbox.model.forward: sums have 32 lanes, one for each
// thread of a warp, and every operation is rounded by itself. Activations are float32, [token][element]; a model in bf16
// rounds them to bf16 at the points that Precision.java names.
#pragma once

#include "step.cuh"
#include "arithmetic.cuh"

/** Tokens with which a warp multiplies a weight that it has loaded. */
constexpr int TILE = 4;
/** Positions whose values attention adds one after the other; the sums of segments follow in their order. */
constexpr int SEGMENT = 256;

/** How an entry samples its token; a temperature below 1e-6 takes the most probable one. */
struct Sampling
{
    float temperature;
    int topK;
    float topP;
    /** Of the token that is sampled. */
    int position;
    long long seed;
};

static_assert(sizeof(Sampling) == 24, "the host writes these 24 bytes");

/** The first tokens of a block that another one receives. */
struct BlockCopy
{
    int from;
    int to;
    int tokens;
};

static_assert(sizeof(BlockCopy) == 12, "the host writes these 12 bytes");

/** The needs of a decoder beyond positions, at header->feed in the step block. */
struct Feed
{
    const Sampling* sampling;
    /** Token ids; -1 - i: element i of the sampled tokens on the device. */
    const int* ids;
    /** For each token, where its sequence's block table begins in blocks. */
    const int* tables;
    const BlockCopy* copies;
    const int* blocks;
};

__device__ inline Feed step_feed(const unsigned char* step)
{
    const StepHeader* header = step_header(step);
    const Sampling* sampling = reinterpret_cast<const Sampling*>(step + header->feed);
    const int* words = reinterpret_cast<const int*>(sampling + header->entries);
    const BlockCopy* copies = reinterpret_cast<const BlockCopy*>(words + 2 * header->tokens);
    return {sampling, words, words + header->tokens, copies, reinterpret_cast<const int*>(copies + header->copies)};
}

__device__ inline long long grid_warp()
{
    return grid_thread() / WARP_LANES;
}

__device__ inline long long grid_warps()
{
    return grid_threads() / WARP_LANES;
}

/** Copies tokens from one slot of a pool on to another one on; a token's bytes are whole pairs. */
__device__ inline void copy_tokens(char* pool, long long from, long long to, int tokens, int bytes)
{
    const unsigned short* source = reinterpret_cast<const unsigned short*>(pool + from * bytes);
    unsigned short* target = reinterpret_cast<unsigned short*>(pool + to * bytes);
#pragma unroll 1
    for (long long i = grid_thread(); i < static_cast<long long>(tokens) * bytes / 2; i += grid_threads())
    {
        target[i] = source[i];
    }
}

/** To the nearest bf16, ties to even; NaN stays NaN. */
__device__ inline float nearest_bf16(float value)
{
    const unsigned bits = __float_as_uint(value);
    const unsigned rounded = value != value ? bits | 0x400000u : bits + 0x7FFFu + (bits >> 16 & 1u);
    return __uint_as_float(rounded & 0xFFFF0000u);
}

__device__ inline float kept(float value, int round)
{
    return round == 0 ? value : nearest_bf16(value);
}

__device__ inline void store(float* to, float value)
{
    *to = value;
}

/** The value has the bits of a bf16. */
__device__ inline void store(unsigned short* to, float value)
{
    *to = static_cast<unsigned short>(__float_as_uint(value) >> 16);
}

/** e^x, which is NaN for NaN. */
__device__ inline float power(float x)
{
    return x == x ? exponential(x) : x;
}

/** x times its sigmoid. */
__device__ inline float silu(float x)
{
    return __fdiv_rn(x, __fadd_rn(1.0f, power(-x)));
}

/** Adds the products of a row of weights with the vectors of a tile, in all lanes. */
template <typename Weight>
__device__ inline void multiply(const Weight* weights, int columns, const float* const (&in)[TILE], float (&sums)[TILE])
{
#pragma unroll
    for (int t = 0; t < TILE; t++)
    {
        sums[t] = 0.0f;
    }
#pragma unroll 4
    for (int i = lane_index(); i < columns; i += WARP_LANES)
    {
        const float weight = to_float(weights[i]);
#pragma unroll
        for (int t = 0; t < TILE; t++)
        {
            sums[t] = __fadd_rn(sums[t], __fmul_rn(weight, in[t][i]));
        }
    }
#pragma unroll
    for (int t = 0; t < TILE; t++)
    {
        sums[t] = warp_sum(sums[t]);
    }
}

/** A linear layer: out[vector][row] for {@code count} vectors. One warp computes a row for a tile of them. */
template <typename Weight>
__device__ inline void linear(
    const Weight* weights, int rows, int columns, const float* in, int count, float* out, int round)
{
    const long long tiles = (count + TILE - 1) / TILE;
#pragma unroll 1
    for (long long task = grid_warp(); task < rows * tiles; task += grid_warps())
    {
        // Neighbouring warps have neighbouring rows of one tile.
        const int row = static_cast<int>(task % rows);
        const int first = static_cast<int>(task / rows) * TILE;
        const float* vectors[TILE];
        float sums[TILE];
#pragma unroll
        for (int t = 0; t < TILE; t++)
        {
            vectors[t] = in + static_cast<long long>(first + t < count ? first + t : first) * columns;
        }
        multiply<Weight>(weights + static_cast<long long>(row) * columns, columns, vectors, sums);
#pragma unroll
        for (int t = 0; t < TILE; t++)
        {
            if (lane_index() == t && first + t < count)
            {
                out[static_cast<long long>(first + t) * rows + row] = kept(sums[t], round);
            }
        }
    }
}

/** 1 / sqrt(mean of squares + epsilon), of a sum over a warp. */
__device__ inline float norm_factor(float squares, int width, float epsilon)
{
    const float mean = __fdiv_rn(warp_sum(squares), static_cast<float>(width));
    return __fdiv_rn(1.0f, __fsqrt_rn(__fadd_rn(mean, epsilon)));
}

/** RMSNorm of a vector, by one warp; {@code in} and {@code out} may be the same. */
__device__ inline void normalise(const float* in, const float* weights, int width, float epsilon, int round, float* out)
{
    float squares = 0.0f;
#pragma unroll 1
    for (int i = lane_index(); i < width; i += WARP_LANES)
    {
        squares = __fadd_rn(squares, __fmul_rn(in[i], in[i]));
    }
    const float factor = norm_factor(squares, width, epsilon);
#pragma unroll 1
    for (int i = lane_index(); i < width; i += WARP_LANES)
    {
        out[i] = kept(__fmul_rn(weights[i], kept(__fmul_rn(in[i], factor), round)), round);
    }
}

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

template <typename Cached>
__device__ inline void place_token(
    const unsigned char* step, int token, float* queries, const float* keys, const float* values,
    const float* cosines, const float* sines, const Heads& shape, Cached* keyPool, Cached* valuePool)
{
    const Feed feed = step_feed(step);
    const int position = step_position(step, token);
    const int half = shape.headSize / 2;
    const int kvWidth = shape.kvHeads * shape.headSize;
    const float* cosine = cosines + static_cast<long long>(position) * half;
    const float* sine = sines + static_cast<long long>(position) * half;
    const long long cached = kv_slot(feed.blocks + feed.tables[token], position, shape.blockSize) * kvWidth;
#pragma unroll 1
    for (int i = lane_index(); i < shape.heads * half; i += WARP_LANES)
    {
        float* head = queries + (static_cast<long long>(token) * shape.heads + i / half) * shape.headSize;
        const float2 pair = turned(head, i % half, cosine, sine, shape);
        head[i % half] = pair.x;
        head[half + i % half] = pair.y;
    }
#pragma unroll 1
    for (int i = lane_index(); i < shape.kvHeads * half; i += WARP_LANES)
    {
        const long long at = static_cast<long long>(i / half) * shape.headSize + i % half;
        const float* head = keys + static_cast<long long>(token) * kvWidth + i / half * shape.headSize;
        const float2 pair = turned(head, i % half, cosine, sine, shape);
        store(keyPool + cached + at, pair.x);
        store(keyPool + cached + at + half, pair.y);
    }
#pragma unroll 1
    for (int i = lane_index(); i < kvWidth; i += WARP_LANES)
    {
        store(valuePool + cached + i, clipped(values[static_cast<long long>(token) * kvWidth + i], shape));
    }
}

/** The scaled products of a query with the keys of all positions; returns the largest. */
template <typename Cached>
__device__ inline float scores_of(
    const float* query, const Cached* keys, const int* table, int positions, const Heads& shape, float scale, float* scores)
{
    const int stride = shape.kvHeads * shape.headSize;
    float largest = negative_infinity();
#pragma unroll 1
    for (int first = 0; first < positions; first += shape.blockSize)
    {
        const Cached* key = keys + static_cast<long long>(*table++) * shape.blockSize * stride;
        const int end = positions - first < shape.blockSize ? positions : first + shape.blockSize;
#pragma unroll 1
        for (int position = first; position < end; position++, key += stride)
        {
            float sum = 0.0f;
#pragma unroll 1
            for (int i = lane_index(); i < shape.headSize; i += WARP_LANES)
            {
                sum = __fadd_rn(sum, __fmul_rn(to_float(key[i]), query[i]));
            }
            const float score = kept(__fmul_rn(kept(warp_sum(sum), shape.round), scale), shape.round);
            largest = score > largest || score != score ? score : largest;
            if (position % WARP_LANES == lane_index())
            {
                scores[position] = score;
            }
        }
    }
    return largest;
}

/** Each lane turns the scores that it wrote into shares. */
__device__ inline void softmax(float* scores, int count, float largest, int round)
{
    float sum = 0.0f;
#pragma unroll 1
    for (int i = lane_index(); i < count; i += WARP_LANES)
    {
        scores[i] = power(__fsub_rn(scores[i], largest));
        sum = __fadd_rn(sum, scores[i]);
    }
    const float total = warp_sum(sum);
#pragma unroll 1
    for (int i = lane_index(); i < count; i += WARP_LANES)
    {
        scores[i] = kept(__fdiv_rn(scores[i], total), round);
    }
    __syncwarp();
}

/** The sum of the values of all positions times their shares; each lane has some elements of the head. */
template <typename Cached>
__device__ inline void mix_values(
    const float* shares, const Cached* values, const int* table, int positions, const Heads& shape, float* mixed)
{
    const int stride = shape.kvHeads * shape.headSize;
#pragma unroll 1
    for (int i = lane_index(); i < shape.headSize; i += WARP_LANES)
    {
        float sum = 0.0f;
        float part = 0.0f;
#pragma unroll 1
        for (int first = 0; first < positions; first += shape.blockSize)
        {
            const long long block = table[first / shape.blockSize];
            const Cached* value = values + block * shape.blockSize * stride + i;
            const int end = positions - first < shape.blockSize ? positions : first + shape.blockSize;
#pragma unroll 1
            for (int position = first; position < end; position++, value += stride)
            {
                if (position % SEGMENT == 0)
                {
                    sum = __fadd_rn(sum, part);
                    part = 0.0f;
                }
                part = __fadd_rn(part, __fmul_rn(shares[position], to_float(*value)));
            }
        }
        mixed[i] = kept(__fadd_rn(sum, part), shape.round);
    }
}

/** The states of tokens are the rows of their ids. */
template <typename Weight>
__device__ inline void embed(
    const unsigned char* step, const Weight* weights, int hidden, const int* sampled, int round, float* states)
{
    const Feed feed = step_feed(step);
    const long long count = static_cast<long long>(step_header(step)->tokens) * hidden;
#pragma unroll 1
    for (long long i = grid_thread(); i < count; i += grid_threads())
    {
        const int given = feed.ids[i / hidden];
        const int id = given >= 0 ? given : sampled[-1 - given];
        states[i] = kept(to_float(weights[static_cast<long long>(id) * hidden + i % hidden]), round);
    }
}

/** Attention of all heads of all tokens, a warp for each at a time; scores has a row for each warp of the grid. */
template <typename Cached>
__device__ inline void attend(
    const unsigned char* step, const float* queries, const Cached* keys, const Cached* values, const Heads& shape,
    float scale, float* scores, int maxPositions, float* mixed)
{
    float* own = scores + grid_warp() * maxPositions;
#pragma unroll 1
    for (long long task = grid_warp(); task < static_cast<long long>(step_header(step)->tokens) * shape.heads;
        task += grid_warps())
    {
        const Feed feed = step_feed(step);
        const int token = static_cast<int>(task / shape.heads);
        const int head = static_cast<int>(task % shape.heads) / (shape.heads / shape.kvHeads) * shape.headSize;
        const int* table = feed.blocks + feed.tables[token];
        const int positions = step_position(step, token) + 1;
        const float largest =
            scores_of<Cached>(queries + task * shape.headSize, keys + head, table, positions, shape, scale, own);
        softmax(own, positions, largest, shape.round);
        mix_values<Cached>(own, values + head, table, positions, shape, mixed + task * shape.headSize);
        __syncwarp();
    }
}

/** Some choices of one expert, which a warp multiplies at a time. */
struct ExpertTile
{
    int expert;
    int first;
    int end;
};

/** Tile {@code index} of all experts' tiles in order; expert is -1 behind the last one. */
__device__ inline ExpertTile expert_tile(const int* starts, int experts, long long index)
{
    long long before = 0;
#pragma unroll 1
    for (int expert = 0; expert < experts; expert++)
    {
        const int count = starts[expert + 1] - starts[expert];
        const long long tiles = (count + TILE - 1) / TILE;
        if (index < before + tiles)
        {
            return {expert, starts[expert] + static_cast<int>(index - before) * TILE, starts[expert + 1]};
        }
        before += tiles;
    }
    return {-1, 0, 0};
}

/** inner[place][row] = silu(gate) * up, of the tokens that chose the expert. */
template <typename Weight>
__device__ inline void expert_up(
    const Weight* gates, const Weight* others, int experts, int width, int hidden, const int* starts, const int* tokens,
    const float* in, int round, float* inner)
{
#pragma unroll 1
    for (long long task = grid_warp();; task += grid_warps())
    {
        const ExpertTile tile = expert_tile(starts, experts, task / width);
        if (tile.expert < 0)
        {
            return;
        }
        const int row = static_cast<int>(task % width);
        const long long at = (static_cast<long long>(tile.expert) * width + row) * hidden;
        const float* vectors[TILE];
        float gate[TILE];
        float other[TILE];
#pragma unroll
        for (int t = 0; t < TILE; t++)
        {
            const int place = tile.first + t < tile.end ? tile.first + t : tile.first;
            vectors[t] = in + static_cast<long long>(tokens[place]) * hidden;
        }
        multiply<Weight>(gates + at, hidden, vectors, gate);
        multiply<Weight>(others + at, hidden, vectors, other);
#pragma unroll
        for (int t = 0; t < TILE; t++)
        {
            if (lane_index() == t && tile.first + t < tile.end)
            {
                const float activated = kept(silu(kept(gate[t], round)), round);
                inner[static_cast<long long>(tile.first + t) * width + row] =
                    kept(__fmul_rn(activated, kept(other[t], round)), round);
            }
        }
    }
}

/** outputs[place][row], of the experts' inner values. */
template <typename Weight>
__device__ inline void expert_down(
    const Weight* weights, int experts, int width, int hidden, const int* starts, const float* inner, int round,
    float* outputs)
{
#pragma unroll 1
    for (long long task = grid_warp();; task += grid_warps())
    {
        const ExpertTile tile = expert_tile(starts, experts, task / hidden);
        if (tile.expert < 0)
        {
            return;
        }
        const int row = static_cast<int>(task % hidden);
        const float* vectors[TILE];
        float sums[TILE];
#pragma unroll
        for (int t = 0; t < TILE; t++)
        {
            vectors[t] = inner + static_cast<long long>(tile.first + t < tile.end ? tile.first + t : tile.first) * width;
        }
        multiply<Weight>(weights + (static_cast<long long>(tile.expert) * hidden + row) * width, width, vectors, sums);
#pragma unroll
        for (int t = 0; t < TILE; t++)
        {
            if (lane_index() == t && tile.first + t < tile.end)
            {
                outputs[static_cast<long long>(tile.first + t) * hidden + row] = kept(sums[t], round);
            }
        }
    }
}
