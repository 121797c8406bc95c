// SPDX-License-Identifier: Apache-2.0
// The kernels of a decoder: docs/cuda.md says what each takes. All loop, so that any grid serves; warps beyond the step's
// tokens find nothing to do, so that a bucket's grid serves all steps of the bucket.
#pragma once

#include "forward.cuh"
#include "attention.cuh"
#include "sampler.cuh"
#include "generated.cuh"
#include "tensor.cuh"
#include "fast.cuh"
#include "drafts.cuh"

/** A block for each token at a time. */
extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_norm(
    const unsigned char* step, float* states, const float* added, const float* weights, int width, float epsilon, int round,
    float* out, unsigned short* narrow)
{
    __shared__ NormMemory memory;
#pragma unroll 1
    for (long long token = blockIdx.x; token < step_header(step)->tokens; token += gridDim.x)
    {
        float* state = states + token * width;
        const GivenValues given = {added == nullptr ? nullptr : added + token * width};
        normalise(state, given, added == nullptr ? nullptr : state, weights, width, epsilon, round,
            row_of({out, narrow}, token, width), memory);
    }
}

/** As decoder_norm, for the last token of each entry, and the states stay as they are. */
extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_last_norm(
    const unsigned char* step, const float* states, const float* added, const float* weights, int width, float epsilon,
    int round, float* out, unsigned short* narrow)
{
    __shared__ NormMemory memory;
#pragma unroll 1
    for (long long entry = blockIdx.x; entry < step_header(step)->entries; entry += gridDim.x)
    {
        const long long from = static_cast<long long>(step_last_token(step, static_cast<int>(entry))) * width;
        const Activations row = row_of({out, narrow}, entry, width);
        normalise(states + from, GivenValues{added + from}, row.values, weights, width, epsilon, round, row, memory);
    }
}

/** Experts of all tokens; outputs are [place][width], weights and places [token][topK], shared [token][width] or null. */
struct ExpertOutputs
{
    const float* outputs;
    const float* weights;
    const int* places;
    int topK;
    int roundProducts;
    const float* shared;
};

/** Those of a token, whose choices go to the block's memory. Every thread of the block calls this. */
__device__ inline GivenByExperts given_by(const ExpertOutputs& all, long long token, int width, Choices& choices)
{
    if (static_cast<int>(threadIdx.x) < all.topK)
    {
        choices.places[threadIdx.x] = all.places[token * all.topK + threadIdx.x];
        choices.weights[threadIdx.x] = kept(all.weights[token * all.topK + threadIdx.x], all.roundProducts);
    }
    __syncthreads();
    return {all.outputs, all.shared == nullptr ? nullptr : all.shared + token * width, choices, all.topK, all.roundProducts};
}

/** As decoder_norm, after a layer with experts. */
extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_experts_norm(
    const unsigned char* step, float* states, const float* outputs, const float* expertWeights, const int* places, int topK,
    int roundProducts, const float* shared, const float* weights, int width, float epsilon, int round, float* out,
    unsigned short* narrow)
{
    __shared__ NormMemory memory;
    __shared__ Choices choices;
    const ExpertOutputs all = {outputs, expertWeights, places, topK, roundProducts, shared};
#pragma unroll 1
    for (long long token = blockIdx.x; token < step_header(step)->tokens; token += gridDim.x)
    {
        float* state = states + token * width;
        normalise(state, given_by(all, token, width, choices), state, weights, width, epsilon, round,
            row_of({out, narrow}, token, width), memory);
    }
}

/** As decoder_last_norm, after a layer with experts. */
extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_last_experts_norm(
    const unsigned char* step, const float* states, const float* outputs, const float* expertWeights, const int* places,
    int topK, int roundProducts, const float* shared, const float* weights, int width, float epsilon, int round, float* out,
    unsigned short* narrow)
{
    __shared__ NormMemory memory;
    __shared__ Choices choices;
    const ExpertOutputs all = {outputs, expertWeights, places, topK, roundProducts, shared};
#pragma unroll 1
    for (long long entry = blockIdx.x; entry < step_header(step)->entries; entry += gridDim.x)
    {
        const long long token = step_last_token(step, static_cast<int>(entry));
        const Activations row = row_of({out, narrow}, entry, width);
        normalise(states + token * width, given_by(all, token, width, choices), row.values, weights, width, epsilon, round,
            row, memory);
    }
}

extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_activate(
    const unsigned char* step, float* gates, const float* others, int width, int round, unsigned short* narrow)
{
    const long long count = static_cast<long long>(step_header(step)->tokens) * width;
#pragma unroll 1
    for (long long i = grid_thread(); i < count; i += grid_threads())
    {
        put({gates, narrow}, i, kept(__fmul_rn(kept(silu(gates[i]), round), others[i]), round));
    }
}

/** Experts of a layer, at most. */
constexpr int MAX_EXPERTS = 512;
/** Choices that a lane loads before it looks at the first. */
constexpr int CHOICES_AHEAD = 8;

/** Shared by the threads of the block that orders choices. */
struct GroupMemory
{
    /** Choices of each expert among those of each warp; then the place of the next one. */
    int counts[MAX_BLOCK_WARPS][MAX_EXPERTS];
    int sums[MAX_BLOCK_WARPS];
    int wrong;
};

/** The lanes whose expert is that of this lane; all lanes take part. */
__device__ inline unsigned lanes_with(int expert, int bits)
{
    unsigned lanes = ALL_LANES;
#pragma unroll 1
    for (int bit = 0; bit < bits; bit++)
    {
        const unsigned set = __ballot_sync(ALL_LANES, (expert >> bit & 1) != 0);
        lanes &= (expert >> bit & 1) != 0 ? set : ~set;
    }
    return lanes;
}

/**
 * Goes through a warp's choices in their order and adds them to the counts of their experts. {@code found(i, count)} has the
 * count before choice i. An id that no expert has is passed over.
 */
template <typename Found>
__device__ inline void count_choices(
    const int* ids, int from, int to, int experts, int* counts, const Found& found)
{
    int bits = 0;
    while (experts >> bits != 0)
    {
        bits++;
    }
#pragma unroll 1
    for (int first = from; first < to; first += CHOICES_AHEAD * WARP_LANES)
    {
        int chosen[CHOICES_AHEAD];
#pragma unroll
        for (int j = 0; j < CHOICES_AHEAD; j++)
        {
            const int i = first + j * WARP_LANES + lane_index();
            chosen[j] = i < to ? ids[i] : experts;
        }
#pragma unroll
        for (int j = 0; j < CHOICES_AHEAD; j++)
        {
            // The same in all lanes.
            if (first + j * WARP_LANES >= to)
            {
                break;
            }
            const bool known = chosen[j] >= 0 && chosen[j] < experts;
            const int expert = known ? chosen[j] : experts;
            const unsigned lanes = lanes_with(expert, bits);
            const int rank = __popc(lanes & ((1u << lane_index()) - 1));
            const int before = known ? counts[expert] : 0;
            __syncwarp();
            if (known && rank == 0)
            {
                counts[expert] = before + __popc(lanes);
            }
            if (known)
            {
                found(first + j * WARP_LANES + lane_index(), before + rank);
            }
            __syncwarp();
        }
    }
}

/** The sum of the values of the threads before this one, in a block of whole warps; the sums of warps are shared. */
__device__ inline int sum_before(int value, int (&sums)[MAX_BLOCK_WARPS])
{
    int upTo = value;
#pragma unroll
    for (int distance = 1; distance < WARP_LANES; distance *= 2)
    {
        const int added = __shfl_up_sync(ALL_LANES, upTo, distance);
        upTo += lane_index() >= distance ? added : 0;
    }
    const int warp = static_cast<int>(threadIdx.x) / WARP_LANES;
    if (lane_index() == WARP_LANES - 1)
    {
        sums[warp] = upTo;
    }
    __syncthreads();
    int before = upTo - value;
#pragma unroll 1
    for (int i = 0; i < warp; i++)
    {
        before += sums[i];
    }
    return before;
}

/** The places of the experts' first choices, and in counts those of each warp's, by a block. */
__device__ inline void place_experts(int experts, int warps, int* starts, GroupMemory& memory)
{
    const int threads = static_cast<int>(blockDim.x);
    const int each = (experts + threads - 1) / threads;
    const int first = static_cast<int>(threadIdx.x) * each;
    const int end = first + each < experts ? first + each : experts;
    int own = 0;
#pragma unroll 1
    for (int expert = first; expert < end; expert++)
    {
#pragma unroll 1
        for (int warp = 0; warp < warps; warp++)
        {
            own += memory.counts[warp][expert];
        }
    }
    int at = sum_before(own, memory.sums);
#pragma unroll 1
    for (int expert = first; expert < end; expert++)
    {
        starts[expert] = at;
#pragma unroll 1
        for (int warp = 0; warp < warps; warp++)
        {
            const int count = memory.counts[warp][expert];
            memory.counts[warp][expert] = at;
            at += count;
        }
    }
}

/**
 * Orders the choices of all tokens by expert, stable and without atomics: starts[e] is where expert e's begin, places[i]
 * where choice i went, tokens[p] the token whose choice is at place p. One block; each warp has a part of the choices. A
 * score that is not a finite number fails the step: the experts of such a token are unknown.
 */
extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_group(
    const unsigned char* step, const int* ids, int topK, int experts, int* starts, int* places, int* tokens,
    const float* logits, int sigmoid, int layer, char* results, long long resultStride)
{
    __shared__ GroupMemory memory;
    const int count = step_header(step)->tokens * topK;
    const int warps = static_cast<int>(blockDim.x) / WARP_LANES;
    const int warp = static_cast<int>(threadIdx.x) / WARP_LANES;
    const int length = (count + warps - 1) / warps;
    const int from = warp * length;
    const int to = from + length < count ? from + length : count;
#pragma unroll 1
    for (int expert = lane_index(); expert < experts; expert += WARP_LANES)
    {
        memory.counts[warp][expert] = 0;
    }
    if (threadIdx.x == 0)
    {
        memory.wrong = 0;
    }
    __syncwarp();
    count_choices(ids, from, to, experts, memory.counts[warp], [](int, int) {});
    __syncthreads();
    place_experts(experts, warps, starts, memory);
    if (has_wrong_score(logits, static_cast<long long>(step_header(step)->tokens) * experts, sigmoid))
    {
        atomicOr(&memory.wrong, 1);
    }
    __syncthreads();
    count_choices(ids, from, to, experts, memory.counts[warp], [&](int i, int place)
    {
        places[i] = place;
        tokens[place] = i / topK;
    });
    if (threadIdx.x == 0)
    {
        starts[experts] = count;
        if (memory.wrong != 0)
        {
            report_no_number(step, results, resultStride, 1 + layer);
        }
    }
}

/** Combine weights of all layers as the norms apply them, to the slot's view; all are [layers][maxTokens][topK]. */
extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_keep_weights(
    const unsigned char* step, const float* weights, int layers, int maxTokens, int topK, int roundProducts,
    float* applied, long long slotStride)
{
    float* view = applied + step_header(step)->slot * slotStride;
    const int row = step_header(step)->tokens * topK;
#pragma unroll 1
    for (long long i = grid_thread(); i < static_cast<long long>(layers) * row; i += grid_threads())
    {
        const long long layer = i / row;
        const long long at = layer * maxTokens * topK + (i - layer * row);
        view[at] = kept(weights[at], roundProducts);
    }
}

/** Samples a token for each entry, a block for each at a time; sampled is [slot][maxTokens]. */
extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS, SAMPLER_BLOCKS) decoder_sample(
    const unsigned char* step, float* logits, int vocabulary, int* sampled, int maxTokens, char* results,
    long long resultStride)
{
    __shared__ SamplerMemory memory;
    const StepHeader* header = step_header(step);
    const Feed feed = step_feed(step);
    int* words = reinterpret_cast<int*>(result_slot(step, results, resultStride) + RESULT_HEADER_BYTES);
#pragma unroll 1
    for (int entry = blockIdx.x; entry < header->entries; entry += gridDim.x)
    {
        float* row = logits + static_cast<long long>(entry) * vocabulary;
        leave_out(step, entry, feed.sampling[entry].position, row);
        const Logits values = {row, vocabulary, feed.sampling[entry].temperature};
        const int token = sample(values, feed.sampling[entry], memory);
        if (header->extraWords != 0 && token != NOT_SAMPLED)
        {
            const LogParts parts = log_parts(values, token, memory);
            if (threadIdx.x == 0)
            {
                words[header->entries + entry] = __float_as_int(parts.difference);
                words[2 * header->entries + entry] = __float_as_int(parts.sum);
            }
        }
        // With draft tokens it is known later whether the token counts.
        if (threadIdx.x == 0 && token == NOT_SAMPLED && header->bindingCount == 0)
        {
            report_no_number(step, results, resultStride, LOGITS);
        }
        if (threadIdx.x == 0)
        {
            // A token that is not sampled fails the step; what follows on it is computed in vain, but within bounds.
            words[entry] = token;
            sampled[static_cast<long long>(header->slot) * maxTokens + entry] = token == NOT_SAMPLED ? 0 : token;
        }
        __syncthreads();
    }
    // Zeros up to the next 64 bytes, which the checksum covers.
#pragma unroll 1
    for (int i = header->entries * (1 + header->extraWords) + static_cast<int>(threadIdx.x);
        blockIdx.x == 0 && i < entry_words(header); i += blockDim.x)
    {
        words[i] = 0;
    }
}

#define SIGNALBOX_DECODER(type, Weight) \
    extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_generate_##type( \
        void* weights, long long count, long long key, float unit) \
    { \
        generate<Weight>(static_cast<Weight*>(weights), count, key, unit); \
    } \
    extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_embed_##type( \
        const unsigned char* step, const void* weights, int hidden, const int* sampled, int round, float* states) \
    { \
        embed<Weight>(step, static_cast<const Weight*>(weights), hidden, sampled, round, states); \
    } \
    extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_linear_##type( \
        const unsigned char* step, const void* weights, int rows, int columns, const float* in, int perEntry, int round, \
        float* out) \
    { \
        const StepHeader* header = step_header(step); \
        linear(PlainMatrices<Weight>{static_cast<const Weight*>(weights)}, NoBias{}, rows, columns, in, \
            perEntry != 0 ? header->entries : header->tokens, out, round); \
    } \
    extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_biased_linear_##type( \
        const unsigned char* step, const void* weights, const float* bias, int rows, int columns, const float* in, \
        int perEntry, int round, float* out) \
    { \
        const StepHeader* header = step_header(step); \
        linear(PlainMatrices<Weight>{static_cast<const Weight*>(weights)}, RowBias{bias}, rows, columns, in, \
            perEntry != 0 ? header->entries : header->tokens, out, round); \
    } \
    extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_expert_up_##type( \
        const unsigned char* step, const void* gates, const void* others, int experts, int width, int hidden, \
        const int* starts, const int* tokens, const float* in, int round, float* inner) \
    { \
        expert_up(PlainMatrices<Weight>{static_cast<const Weight*>(gates)}, \
            PlainMatrices<Weight>{static_cast<const Weight*>(others)}, SiluExperts{}, experts, width, hidden, starts, \
            tokens, in, round, inner); \
    } \
    extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_clamped_up_##type( \
        const unsigned char* step, const void* gates, const void* others, const float* gateBias, const float* otherBias, \
        float limit, int experts, int width, int hidden, const int* starts, const int* tokens, const float* in, int round, \
        float* inner) \
    { \
        expert_up(PlainMatrices<Weight>{static_cast<const Weight*>(gates)}, \
            PlainMatrices<Weight>{static_cast<const Weight*>(others)}, \
            ClampedExperts{gateBias, otherBias, nullptr, limit}, experts, width, hidden, starts, tokens, in, round, \
            inner); \
    } \
    extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_expert_down_##type( \
        const unsigned char* step, const void* weights, int experts, int width, int hidden, const int* starts, \
        const float* inner, int round, float* outputs) \
    { \
        expert_down(PlainMatrices<Weight>{static_cast<const Weight*>(weights)}, SiluExperts{}, experts, width, hidden, \
            starts, inner, round, outputs); \
    } \
    extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_clamped_down_##type( \
        const unsigned char* step, const void* weights, const float* bias, int experts, int width, int hidden, \
        const int* starts, const float* inner, int round, float* outputs) \
    { \
        expert_down(PlainMatrices<Weight>{static_cast<const Weight*>(weights)}, \
            ClampedExperts{nullptr, nullptr, bias, 0.0f}, experts, width, hidden, starts, inner, round, outputs); \
    } \
    extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_place_##type( \
        const unsigned char* step, float* queries, float* keys, const float* values, const float* queryNorm, \
        const float* keyNorm, int perHead, float epsilon, const float* cosines, const float* sines, int heads, \
        int kvHeads, int headSize, int blockSize, float clip, int round, void* keyPool, void* valuePool) \
    { \
        __shared__ NormMemory memory; \
        const Heads shape = {heads, kvHeads, headSize, blockSize, clip, round}; \
        const HeadNorms norms = {queryNorm, keyNorm, perHead, epsilon}; \
        place<Weight>(step, queries, keys, values, norms, cosines, sines, shape, static_cast<Weight*>(keyPool), \
            static_cast<Weight*>(valuePool), memory); \
    }

SIGNALBOX_DECODER(bf16, unsigned short)
SIGNALBOX_DECODER(fp32, float)

/** Matrices in E4M3 take their scales and the size of a block beside their codes. */
extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_linear_fp8(
    const unsigned char* step, const unsigned char* codes, const float* scales, int blockRows, int blockColumns,
    int firstRow, int roundWeights, int rows, int columns, const float* in, int perEntry, int round, float* out)
{
    const StepHeader* header = step_header(step);
    linear(Fp8Matrices{codes, scales, blockRows, blockColumns, firstRow, roundWeights}, NoBias{}, rows, columns, in,
        perEntry != 0 ? header->entries : header->tokens, out, round);
}

extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_biased_linear_fp8(
    const unsigned char* step, const unsigned char* codes, const float* scales, int blockRows, int blockColumns,
    int firstRow, int roundWeights, const float* bias, int rows, int columns, const float* in, int perEntry, int round,
    float* out)
{
    const StepHeader* header = step_header(step);
    linear(Fp8Matrices{codes, scales, blockRows, blockColumns, firstRow, roundWeights}, RowBias{bias}, rows, columns, in,
        perEntry != 0 ? header->entries : header->tokens, out, round);
}

extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_expert_up_fp8(
    const unsigned char* step, const unsigned char* gates, const float* gateScales, const unsigned char* others,
    const float* otherScales, int blockRows, int blockColumns, int firstRow, int roundWeights, int experts, int width,
    int hidden, const int* starts, const int* tokens, const float* in, int round, float* inner)
{
    expert_up(Fp8Matrices{gates, gateScales, blockRows, blockColumns, firstRow, roundWeights},
        Fp8Matrices{others, otherScales, blockRows, blockColumns, firstRow, roundWeights}, SiluExperts{}, experts, width,
        hidden, starts, tokens, in, round, inner);
}

extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_expert_down_fp8(
    const unsigned char* step, const unsigned char* codes, const float* scales, int blockRows, int blockColumns,
    int firstRow, int roundWeights, int experts, int width, int hidden, const int* starts, const float* inner, int round,
    float* outputs)
{
    expert_down(Fp8Matrices{codes, scales, blockRows, blockColumns, firstRow, roundWeights}, SiluExperts{}, experts, width,
        hidden, starts, inner, round, outputs);
}

extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_clamped_up_mxfp4(
    const unsigned char* step, const unsigned char* gates, const unsigned char* gateScales, const unsigned char* others,
    const unsigned char* otherScales, const float* gateBias, const float* otherBias, float limit, int experts, int width,
    int hidden, const int* starts, const int* tokens, const float* in, int round, float* inner)
{
    expert_up(Mxfp4Matrices{gates, gateScales}, Mxfp4Matrices{others, otherScales},
        ClampedExperts{gateBias, otherBias, nullptr, limit}, experts, width, hidden, starts, tokens, in, round, inner);
}

extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_clamped_down_mxfp4(
    const unsigned char* step, const unsigned char* codes, const unsigned char* scales, const float* bias, int experts,
    int width, int hidden, const int* starts, const float* inner, int round, float* outputs)
{
    expert_down(Mxfp4Matrices{codes, scales}, ClampedExperts{nullptr, nullptr, bias, 0.0f}, experts, width, hidden, starts,
        inner, round, outputs);
}

#define SIGNALBOX_ATTEND(name, Cached, blocks, tiles, pieces) \
    extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS, blocks) name( \
        const unsigned char* step, const float* queries, const void* keyPool, const void* valuePool, int heads, \
        int kvHeads, int headSize, int blockSize, float scale, int round, float* scores, int maxPositions, float* mixed, \
        unsigned short* narrow) \
    { \
        __shared__ AttentionMemory memory; \
        const Heads shape = {heads, kvHeads, headSize, blockSize, 0.0f, round}; \
        const Activations target = {mixed, narrow}; \
        attend<Cached, tiles, pieces>(step, queries, static_cast<const Cached*>(keyPool), \
            static_cast<const Cached*>(valuePool), shape, AllPositions{}, scale, scores, maxPositions, memory, target); \
    }

SIGNALBOX_ATTEND(decoder_attend_bf16, unsigned short, ATTENTION_BLOCKS, 1, 1)
SIGNALBOX_ATTEND(decoder_attend_fp32, float, ATTENTION_BLOCKS, 1, 1)
SIGNALBOX_ATTEND(decoder_attend_lone_bf16, unsigned short, 1, LONE_TILES, LONE_PIECES)

/** Attention within a window, 0 meaning all positions, and with sinks, which may be null. */
#define SIGNALBOX_ATTEND_WINDOW(name, Cached) \
    extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS, WINDOW_BLOCKS) name( \
        const unsigned char* step, const float* queries, const void* keyPool, const void* valuePool, int heads, \
        int kvHeads, int headSize, int blockSize, float scale, int round, float* scores, int maxPositions, float* mixed, \
        unsigned short* narrow, int window, const float* sinks) \
    { \
        __shared__ AttentionMemory memory; \
        const Heads shape = {heads, kvHeads, headSize, blockSize, 0.0f, round}; \
        const Activations target = {mixed, narrow}; \
        attend<Cached, 1, 1>(step, queries, static_cast<const Cached*>(keyPool), \
            static_cast<const Cached*>(valuePool), shape, Window{window, sinks}, scale, scores, maxPositions, memory, target); \
    }

SIGNALBOX_ATTEND_WINDOW(decoder_attend_window_bf16, unsigned short)
SIGNALBOX_ATTEND_WINDOW(decoder_attend_window_fp32, float)

#define SIGNALBOX_TENSOR(vectors, linearBlocks, pairBlocks) \
    extern "C" __global__ void __launch_bounds__(TENSOR_THREADS, linearBlocks) tensor_linear_v##vectors( \
        const unsigned char* step, const void* weights0, const void* weights1, const void* weights2, int rows0, int rows1, \
        int rows2, int columns, const unsigned short* in, int perEntry, int round, float* out0, float* out1, float* out2) \
    { \
        const StepHeader* header = step_header(step); \
        const TensorMatrices matrices = {{static_cast<const unsigned short*>(weights0), \
            static_cast<const unsigned short*>(weights1), static_cast<const unsigned short*>(weights2)}, \
            {rows0, rows1, rows2}, {out0, out1, out2}}; \
        tensor_linear<Linear##vectors>( \
            matrices, columns, in, perEntry != 0 ? header->entries : header->tokens, round); \
    } \
    extern "C" __global__ void __launch_bounds__(TENSOR_THREADS, pairBlocks) tensor_expert_up_v##vectors( \
        const unsigned char* step, const void* gates, const void* others, int experts, int width, int hidden, \
        const int* starts, const int* tokens, const unsigned short* in, int round, unsigned short* inner) \
    { \
        tensor_expert_up<Pairs##vectors>(static_cast<const unsigned short*>(gates), \
            static_cast<const unsigned short*>(others), experts, width, hidden, starts, tokens, in, round, inner); \
    } \
    extern "C" __global__ void __launch_bounds__(TENSOR_THREADS, linearBlocks) tensor_expert_down_v##vectors( \
        const unsigned char* step, const void* weights, int experts, int width, int hidden, const int* starts, \
        const unsigned short* inner, int round, float* outputs) \
    { \
        tensor_expert_down<Linear##vectors>( \
            static_cast<const unsigned short*>(weights), experts, width, hidden, starts, inner, round, outputs); \
    }

// Of the last ones a block more would need memory in place of registers.
SIGNALBOX_TENSOR(8, TENSOR_BLOCKS, TENSOR_BLOCKS)
SIGNALBOX_TENSOR(32, TENSOR_BLOCKS, TENSOR_BLOCKS - 1)
SIGNALBOX_TENSOR(64, TENSOR_BLOCKS - 1, TENSOR_BLOCKS - 1)
