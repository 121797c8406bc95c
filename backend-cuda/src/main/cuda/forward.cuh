// SPDX-License-Identifier: Apache-2.0
// The parts of a decoder's forward pass, with the bits of io.signalbox.model.forward: sums have 32 lanes, one for each
// thread of a warp, and every operation is rounded by itself. Activations are float32, [token][element]; a model in bf16
// rounds them to bf16 at the points that Precision.java names.
#pragma once

#include "step.cuh"
#include "arithmetic.cuh"
#include "capture.cuh"

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

/** The needs of a decoder beyond positions, at header->feed in the step block. */
struct Feed
{
    const Sampling* sampling;
    /** Token ids; -1 - i: element i of the sampled tokens on the device. */
    const int* ids;
    /** For each token, where its sequence's block table begins in blocks. */
    const int* tables;
    const int* blocks;
};

__device__ inline Feed step_feed(const unsigned char* step)
{
    const StepHeader* header = step_header(step);
    const Sampling* sampling = reinterpret_cast<const Sampling*>(step + header->feed);
    const int* words = reinterpret_cast<const int*>(sampling + header->entries);
    return {sampling, words, words + header->tokens, words + 2 * header->tokens};
}

__device__ inline long long grid_warp()
{
    return grid_thread() / WARP_LANES;
}

__device__ inline long long grid_warps()
{
    return grid_threads() / WARP_LANES;
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

/** As the rounding of a norm: only its result is rounded, and not the vector before its weights. */
constexpr int ROUND_ONCE = 2;

/** x times its sigmoid. */
__device__ inline float silu(float x)
{
    return __fdiv_rn(x, __fadd_rn(1.0f, power(-x)));
}

/** Weights of matrices of one size, a matrix after the other and row by row, which are stored one by one. */
template <typename Weight>
struct PlainMatrices
{
    struct Row
    {
        const Weight* weights;

        __device__ float at(int i) const
        {
            return to_float(weights[i]);
        }
    };

    const Weight* weights;

    __device__ Row row(int matrix, int row, int rows, int columns) const
    {
        return {weights + (static_cast<long long>(matrix) * rows + row) * columns};
    }
};

/** The value of an E4M3 code that is not NaN, exactly: its bits are those of a float32 whose exponent is 120 too low. */
__device__ inline float of_e4m3(unsigned char code)
{
    const unsigned magnitude = code & 0x7Fu;
    return __fmul_rn(__uint_as_float((code & 0x80u) << 24 | magnitude << 20), power_of_two(120));
}

/** The same in E4M3, with a scale for each block of rows and columns; a product with its scale is a weight. */
struct Fp8Matrices
{
    struct Row
    {
        const unsigned char* codes;
        const float* scales;
        unsigned blockColumns;
        int round;

        __device__ float at(int i) const
        {
            return kept(__fmul_rn(of_e4m3(codes[i]), scales[static_cast<unsigned>(i) / blockColumns]), round);
        }
    };

    const unsigned char* codes;
    /** Of each matrix, [blocks of rows][blocks of columns]. */
    const float* scales;
    int blockRows;
    int blockColumns;
    /** Row 0 of a matrix in its first block. */
    int firstRow;
    /** Whether weights are rounded to bf16. */
    int round;

    __device__ Row row(int matrix, int row, int rows, int columns) const
    {
        const int down = (firstRow + rows + blockRows - 1) / blockRows;
        const int across = (columns + blockColumns - 1) / blockColumns;
        return {codes + (static_cast<long long>(matrix) * rows + row) * columns,
            scales + (static_cast<long long>(matrix) * down + (firstRow + row) / blockRows) * across,
            static_cast<unsigned>(blockColumns), round};
    }
};

/** The value of an E2M1 code, exactly: its bits are those of a float32 whose exponent is 126 too low. */
__device__ inline float of_e2m1(unsigned code)
{
    return __fmul_rn(__uint_as_float((code & 8u) << 28 | (code & 7u) << 22), power_of_two(126));
}

/** 2^(scale - 127), the least of which is subnormal. */
__device__ inline float of_e8m0(unsigned char scale)
{
    return __uint_as_float(scale == 0 ? 0x400000u : static_cast<unsigned>(scale) << 23);
}

/** Columns of a block of MXFP4. */
constexpr int MXFP4_COLUMNS = 32;

/** The same in MXFP4: a byte has the codes of two columns, the first one in its lower half; a block is in one row. */
struct Mxfp4Matrices
{
    struct Row
    {
        const unsigned char* codes;
        const unsigned char* scales;

        __device__ float at(int i) const
        {
            const unsigned code = codes[i / 2] >> i % 2 * 4;
            return __fmul_rn(of_e2m1(code), of_e8m0(scales[i / MXFP4_COLUMNS]));
        }
    };

    const unsigned char* codes;
    const unsigned char* scales;

    __device__ Row row(int matrix, int row, int rows, int columns) const
    {
        const long long at = static_cast<long long>(matrix) * rows + row;
        return {codes + at * (columns / 2), scales + at * (columns / MXFP4_COLUMNS)};
    }
};

/** Adds the products of a row of weights with the vectors of a tile, in all lanes. */
template <typename Row>
__device__ inline void multiply(const Row& weights, int columns, const float* const (&in)[TILE], float (&sums)[TILE])
{
#pragma unroll
    for (int t = 0; t < TILE; t++)
    {
        sums[t] = 0.0f;
    }
#pragma unroll 4
    for (int i = lane_index(); i < columns; i += WARP_LANES)
    {
        const float weight = weights.at(i);
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

/** The bias of a linear layer that has none. */
struct NoBias
{
    __device__ float plus(float sum, int) const
    {
        return sum;
    }
};

/** A value for each row, which is added to its products. */
struct RowBias
{
    const float* values;

    __device__ float plus(float sum, int row) const
    {
        return __fadd_rn(sum, values[row]);
    }
};

/** A linear layer: out[vector][row] for {@code count} vectors. One warp computes a row for a tile of them. */
template <typename Matrices, typename Bias>
__device__ inline void linear(
    const Matrices& weights, const Bias& bias, int rows, int columns, const float* in, int count, float* out, int round)
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
        multiply(weights.row(0, row, rows, columns), columns, vectors, sums);
#pragma unroll
        for (int t = 0; t < TILE; t++)
        {
            if (lane_index() == t && first + t < count)
            {
                out[static_cast<long long>(first + t) * rows + row] = kept(bias.plus(sums[t], row), round);
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

/** Elements of a vector whose squares a block keeps at a time. */
constexpr int NORM_ELEMENTS = AHEAD * MAX_BLOCK_THREADS;

/** Shared by the threads of a block that normalises a vector. */
struct NormMemory
{
    float squares[NORM_ELEMENTS];
    float factor;
};

/** Activations in float32 and, for products on tensor cores, in bf16, to which they are rounded then; otherwise null. */
struct Activations
{
    float* values;
    unsigned short* narrow;
};

__device__ inline Activations row_of(const Activations& all, long long row, int width)
{
    return {all.values + row * width, all.narrow == nullptr ? nullptr : all.narrow + row * width};
}

__device__ inline void put(const Activations& row, long long i, float value)
{
    row.values[i] = value;
    if (row.narrow != nullptr)
    {
        store(row.narrow + i, value);
    }
}

/** What a layer without experts gives to the state of a token; null if there is none. */
struct GivenValues
{
    const float* values;

    __device__ bool nothing() const
    {
        return values == nullptr;
    }

    __device__ float element(int i, int width) const
    {
        return values != nullptr && i < width ? values[i] : 0.0f;
    }

    __device__ void combine(int, int, int, float (&)[AHEAD]) const
    {
    }
};

/** Experts whose outputs a thread loads before it adds the first. */
constexpr int EXPERTS_AHEAD = 4;

/** The experts of a token, shared by the threads of a block. */
struct Choices
{
    int places[MAX_TOP_K];
    float weights[MAX_TOP_K];
};

/** The outputs of a token's experts in the order of the choice, and then the shared experts' values, which may be null. */
struct GivenByExperts
{
    const float* outputs;
    const float* shared;
    const Choices& choices;
    int topK;
    int roundProducts;

    __device__ bool nothing() const
    {
        return false;
    }

    /** Of the shared experts. */
    __device__ float element(int i, int width) const
    {
        return shared != nullptr && i < width ? shared[i] : 0.0f;
    }

    /** Adds the outputs before a thread's elements, as share_squares has them. */
    __device__ void combine(int first, int width, int round, float (&elements)[AHEAD]) const
    {
        float sum[AHEAD] = {};
#pragma unroll 1
        for (int from = 0; from < topK; from += EXPERTS_AHEAD)
        {
            const float* rows[EXPERTS_AHEAD];
            float weights[EXPERTS_AHEAD];
            float output[EXPERTS_AHEAD][AHEAD];
#pragma unroll
            for (int k = 0; k < EXPERTS_AHEAD; k++)
            {
                const int choice = from + k < topK ? from + k : topK - 1;
                rows[k] = outputs + static_cast<long long>(choices.places[choice]) * width;
                weights[k] = choices.weights[choice];
            }
#pragma unroll
            for (int k = 0; k < EXPERTS_AHEAD; k++)
            {
#pragma unroll
                for (int j = 0; j < AHEAD; j++)
                {
                    const int i = first + static_cast<int>(threadIdx.x) + j * static_cast<int>(blockDim.x);
                    output[k][j] = i < width ? rows[k][i] : 0.0f;
                }
            }
#pragma unroll
            for (int k = 0; k < EXPERTS_AHEAD; k++)
            {
#pragma unroll
                for (int j = 0; j < AHEAD; j++)
                {
                    const float product = kept(__fmul_rn(output[k][j], weights[k]), roundProducts);
                    const float more = from + k == 0 ? product : __fadd_rn(sum[j], product);
                    sum[j] = from + k < topK ? more : sum[j];
                }
            }
        }
#pragma unroll
        for (int j = 0; j < AHEAD; j++)
        {
            const float rounded = kept(sum[j], round);
            elements[j] = shared == nullptr ? rounded : kept(__fadd_rn(rounded, elements[j]), round);
        }
    }
};

/**
 * Adds a piece of a vector and of what a layer gives, and shares the squares of the sums. Each thread has each element
 * whose distance from its first is a multiple of the block's threads.
 */
template <typename Given>
__device__ inline void share_squares(
    const float* in, const Given& given, int first, int width, int round, float* sums, NormMemory& memory)
{
    const int threads = static_cast<int>(blockDim.x);
    float sum[AHEAD];
    float more[AHEAD];
#pragma unroll
    for (int j = 0; j < AHEAD; j++)
    {
        const int i = first + static_cast<int>(threadIdx.x) + j * threads;
        sum[j] = i < width ? in[i] : 0.0f;
        more[j] = given.element(i, width);
    }
    given.combine(first, width, round, more);
#pragma unroll
    for (int j = 0; j < AHEAD; j++)
    {
        const int at = static_cast<int>(threadIdx.x) + j * threads;
        if (!given.nothing())
        {
            sum[j] = kept(__fadd_rn(sum[j], more[j]), round);
        }
        if (sums != nullptr && first + at < width)
        {
            sums[first + at] = sum[j];
        }
        memory.squares[at] = __fmul_rn(sum[j], sum[j]);
    }
}

/** Elements from, from + threads, ... times the factor and their weights; a thread reads elements that it has written. */
__device__ inline void scale_by(
    const float* in, const float* weights, float factor, int from, int threads, int width, int round, const Activations& out)
{
    const int inner = round == ROUND_ONCE ? 0 : round;
#pragma unroll 1
    for (int first = from; first < width; first += AHEAD * threads)
    {
        float value[AHEAD];
        float scale[AHEAD];
#pragma unroll
        for (int j = 0; j < AHEAD; j++)
        {
            const int i = first + j * threads;
            value[j] = i < width ? in[i] : 0.0f;
            scale[j] = i < width ? weights[i] : 0.0f;
        }
#pragma unroll
        for (int j = 0; j < AHEAD; j++)
        {
            if (first + j * threads < width)
            {
                put(out, first + j * threads,
                    kept(__fmul_rn(scale[j], kept(__fmul_rn(value[j], factor), inner)), round));
            }
        }
    }
}

/**
 * RMSNorm, by a block, of the sum of a vector and of what a layer gives; the place of the sum is null if that is nothing.
 * The squares are added as one warp would add them: lane l those of elements l, l + 32, ..., in their order.
 */
template <typename Given>
__device__ inline void normalise(
    const float* in, const Given& given, float* sums, const float* weights, int width, float epsilon, int round,
    const Activations& out, NormMemory& memory)
{
    const int threads = static_cast<int>(blockDim.x);
    float squares = 0.0f;
#pragma unroll 1
    for (int first = 0; first < width; first += AHEAD * threads)
    {
        share_squares(in, given, first, width, round, sums, memory);
        __syncthreads();
        if (threadIdx.x < WARP_LANES)
        {
            const int count = width - first < AHEAD * threads ? width - first : AHEAD * threads;
#pragma unroll 8
            for (int i = lane_index(); i < count; i += WARP_LANES)
            {
                squares = __fadd_rn(squares, memory.squares[i]);
            }
        }
        __syncthreads();
    }
    if (threadIdx.x < WARP_LANES)
    {
        const float factor = norm_factor(squares, width, epsilon);
        if (lane_index() == 0)
        {
            memory.factor = factor;
        }
    }
    __syncthreads();
    scale_by(given.nothing() ? in : sums, weights, memory.factor, static_cast<int>(threadIdx.x), threads, width, round, out);
    __syncthreads();
}

/** RMSNorm of a short vector in place, by one warp. */
__device__ inline void normalise_by_warp(float* vector, const float* weights, int width, float epsilon, int round)
{
    float squares = 0.0f;
#pragma unroll 8
    for (int i = lane_index(); i < width; i += WARP_LANES)
    {
        squares = __fadd_rn(squares, __fmul_rn(vector[i], vector[i]));
    }
    scale_by(vector, weights, norm_factor(squares, width, epsilon), lane_index(), WARP_LANES, width, round,
        {vector, nullptr});
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

/** Tile {@code index} of all experts' tiles in order; expert is -1 after the last one. */
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

/** Experts whose products have no biases; a gate is replaced by its SiLU times the other half. */
struct SiluExperts
{
    __device__ float inner(int, int, int, float gate, float other, int round) const
    {
        return kept(__fmul_rn(kept(silu(kept(gate, round)), round), kept(other, round)), round);
    }

    __device__ float output(int, int, int, float sum, int round) const
    {
        return kept(sum, round);
    }
};

/** Factor of a clamped gate within its sigmoid. */
constexpr float STEEPNESS = 1.702f;

/**
 * Experts whose rounded products get biases, [expert][row]. A gate is replaced by (other + 1) * gate * sigmoid(1.702 * gate),
 * with the gate clamped to at most the limit and the other half to its magnitude.
 */
struct ClampedExperts
{
    const float* gateBias;
    const float* otherBias;
    const float* outputBias;
    float limit;

    __device__ static float biased(const float* bias, int expert, int row, int rows, float product, int round)
    {
        return kept(__fadd_rn(kept(product, round), bias[static_cast<long long>(expert) * rows + row]), round);
    }

    __device__ float inner(int expert, int row, int rows, float gateSum, float otherSum, int round) const
    {
        const float wide = biased(gateBias, expert, row, rows, gateSum, round);
        const float free = biased(otherBias, expert, row, rows, otherSum, round);
        // NaN is below no limit, and stays.
        const float gate = wide > limit ? limit : wide;
        const float other = free > limit ? limit : free < -limit ? -limit : free;
        const float steep = kept(__fmul_rn(STEEPNESS, gate), round);
        const float open = kept(__fdiv_rn(1.0f, __fadd_rn(1.0f, power(-steep))), round);
        return kept(__fmul_rn(kept(__fadd_rn(other, 1.0f), round), kept(__fmul_rn(gate, open), round)), round);
    }

    __device__ float output(int expert, int row, int rows, float sum, int round) const
    {
        return biased(outputBias, expert, row, rows, sum, round);
    }
};

/** inner[place][row], of the tokens that chose the expert. */
template <typename Matrices, typename Experts>
__device__ inline void expert_up(
    const Matrices& gates, const Matrices& others, const Experts& form, int experts, int width, int hidden, const int* starts, const int* tokens,
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
        const auto gateRow = gates.row(tile.expert, row, width, hidden);
        const auto otherRow = others.row(tile.expert, row, width, hidden);
        const float* vectors[TILE];
        float gate[TILE];
        float other[TILE];
#pragma unroll
        for (int t = 0; t < TILE; t++)
        {
            const int place = tile.first + t < tile.end ? tile.first + t : tile.first;
            vectors[t] = in + static_cast<long long>(tokens[place]) * hidden;
        }
        multiply(gateRow, hidden, vectors, gate);
        multiply(otherRow, hidden, vectors, other);
#pragma unroll
        for (int t = 0; t < TILE; t++)
        {
            if (lane_index() == t && tile.first + t < tile.end)
            {
                inner[static_cast<long long>(tile.first + t) * width + row] =
                    form.inner(tile.expert, row, width, gate[t], other[t], round);
            }
        }
    }
}

/** outputs[place][row], of the experts' inner values. */
template <typename Matrices, typename Experts>
__device__ inline void expert_down(
    const Matrices& weights, const Experts& form, int experts, int width, int hidden, const int* starts, const float* inner, int round,
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
        multiply(weights.row(tile.expert, row, hidden, width), width, vectors, sums);
#pragma unroll
        for (int t = 0; t < TILE; t++)
        {
            if (lane_index() == t && tile.first + t < tile.end)
            {
                outputs[static_cast<long long>(tile.first + t) * hidden + row] =
                    form.output(tile.expert, row, hidden, sums[t], round);
            }
        }
    }
}
