// SPDX-License-Identifier: Apache-2.0
// The parts of a decoder's forward pass, with the bits of io.signalbox.model.forward: sums have 32 lanes, one for each
// thread of a warp, and every operation is rounded by itself. Activations are float32, [token][element]; a model in bf16
// rounds them to bf16 at the points that Precision.java names.
#pragma once

#include "step.cuh"
#include "arithmetic.cuh"

/** Tokens with which a warp multiplies a weight that it has loaded. */
constexpr int TILE = 4;
/** Elements of a vector that a lane loads before it uses the first. */
constexpr int AHEAD = 8;

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
#pragma unroll 8
    for (int i = lane_index(); i < width; i += WARP_LANES)
    {
        squares = __fadd_rn(squares, __fmul_rn(in[i], in[i]));
    }
    const float factor = norm_factor(squares, width, epsilon);
#pragma unroll 1
    for (int first = lane_index(); first < width; first += AHEAD * WARP_LANES)
    {
        float scaled[AHEAD];
#pragma unroll
        for (int j = 0; j < AHEAD; j++)
        {
            const int i = first + j * WARP_LANES;
            scaled[j] = i < width ? kept(__fmul_rn(weights[i], kept(__fmul_rn(in[i], factor), round)), round) : 0.0f;
        }
#pragma unroll
        for (int j = 0; j < AHEAD; j++)
        {
            if (first + j * WARP_LANES < width)
            {
                out[first + j * WARP_LANES] = scaled[j];
            }
        }
    }
}

/** The sum of two vectors, by one warp, of which each lane has the elements that it has in normalise(). */
__device__ inline void add_vectors(const float* state, const float* added, int width, int round, float* sums)
{
#pragma unroll 1
    for (int first = lane_index(); first < width; first += AHEAD * WARP_LANES)
    {
        float sum[AHEAD];
#pragma unroll
        for (int j = 0; j < AHEAD; j++)
        {
            const int i = first + j * WARP_LANES;
            sum[j] = i < width ? kept(__fadd_rn(state[i], added[i]), round) : 0.0f;
        }
#pragma unroll
        for (int j = 0; j < AHEAD; j++)
        {
            if (first + j * WARP_LANES < width)
            {
                sums[first + j * WARP_LANES] = sum[j];
            }
        }
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
