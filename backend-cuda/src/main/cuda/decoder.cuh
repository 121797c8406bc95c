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

/** Copies keys and values of all layers; bytes are those of one token in one layer. */
extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_copy_blocks(
    const unsigned char* step, char* keys, char* values, int layers, int blocks, int blockSize, int keyBytes, int valueBytes)
{
    const Feed feed = step_feed(step);
#pragma unroll 1
    for (int i = 0; i < step_header(step)->copies * layers; i++)
    {
        const BlockCopy copy = feed.copies[i / layers];
        const long long pool = static_cast<long long>(i % layers) * blocks;
        copy_tokens(keys, (pool + copy.from) * blockSize, (pool + copy.to) * blockSize, copy.tokens, keyBytes);
        copy_tokens(values, (pool + copy.from) * blockSize, (pool + copy.to) * blockSize, copy.tokens, valueBytes);
    }
}

extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_norm(
    const unsigned char* step, float* states, const float* added, const float* weights, int width, float epsilon, int round,
    float* out)
{
#pragma unroll 1
    for (long long token = grid_warp(); token < step_header(step)->tokens; token += grid_warps())
    {
        float* state = states + token * width;
        if (added != nullptr)
        {
            add_vectors(state, added + token * width, width, round, state);
        }
        normalise(state, weights, width, epsilon, round, out + token * width);
    }
}

extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_last_norm(
    const unsigned char* step, const float* states, const float* added, const float* weights, int width, float epsilon,
    int round, float* out)
{
#pragma unroll 1
    for (long long entry = grid_warp(); entry < step_header(step)->entries; entry += grid_warps())
    {
        const long long from = static_cast<long long>(step_last_token(step, static_cast<int>(entry))) * width;
        float* row = out + entry * width;
        add_vectors(states + from, added + from, width, round, row);
        normalise(row, weights, width, epsilon, round, row);
    }
}

extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_norm_heads(
    const unsigned char* step, float* heads, int perToken, int width, const float* weights, float epsilon, int round)
{
    const long long count = static_cast<long long>(step_header(step)->tokens) * perToken;
#pragma unroll 1
    for (long long head = grid_warp(); head < count; head += grid_warps())
    {
        normalise(heads + head * width, weights, width, epsilon, round, heads + head * width);
    }
}

extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_activate(
    const unsigned char* step, float* gates, const float* others, int width, int round)
{
    const long long count = static_cast<long long>(step_header(step)->tokens) * width;
#pragma unroll 1
    for (long long i = grid_thread(); i < count; i += grid_threads())
    {
        gates[i] = kept(__fmul_rn(kept(silu(gates[i]), round), others[i]), round);
    }
}

/** Choices that a thread loads before it looks at the first. */
constexpr int CHOICES_AHEAD = 8;

/** Calls {@code found(i)} for each choice of the given ones that is one of the given experts, in their order. */
template <typename Found>
__device__ inline void find_choices(const int* ids, int from, int to, int first, int end, const Found& found)
{
#pragma unroll 1
    for (int i = from; i < to; i += CHOICES_AHEAD)
    {
        int chosen[CHOICES_AHEAD];
#pragma unroll
        for (int j = 0; j < CHOICES_AHEAD; j++)
        {
            chosen[j] = i + j < to ? ids[i + j] : -1;
        }
#pragma unroll
        for (int j = 0; j < CHOICES_AHEAD; j++)
        {
            if (chosen[j] >= first && chosen[j] < end)
            {
                found(i + j);
            }
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

/**
 * Orders the choices of all tokens by expert, stable and without atomics: starts[e] is where expert e's begin, places[i]
 * where choice i went, tokens[p] whose choice is at place p. One block: each thread serves some experts, or an expert for a
 * part of the choices. A score that is no finite number fails the step: nobody knows which experts such a token has.
 */
extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_group(
    const unsigned char* step, const int* ids, int topK, int experts, int* starts, int* places, int* tokens,
    const float* logits, int sigmoid, int layer, char* results, long long resultStride)
{
    __shared__ int sums[MAX_BLOCK_WARPS];
    __shared__ int wrong;
    const int count = step_header(step)->tokens * topK;
    const int threads = static_cast<int>(blockDim.x);
    const int thread = static_cast<int>(threadIdx.x);
    const int each = (experts + threads - 1) / threads;
    const int parts = experts < threads ? threads / experts : 1;
    const int first = thread / parts * each;
    const int end = first + each < experts ? first + each : experts;
    const int length = (count + parts - 1) / parts;
    const int from = thread % parts * length;
    const int to = from + length < count ? from + length : count;
    int own = 0;
    if (first < end)
    {
        find_choices(ids, from, to, first, end, [&](int) { own++; });
    }
    if (thread == 0)
    {
        wrong = 0;
    }
    int at = sum_before(own, sums);
    if (has_wrong_score(logits, static_cast<long long>(step_header(step)->tokens) * experts, sigmoid))
    {
        atomicOr(&wrong, 1);
    }
#pragma unroll 1
    for (int expert = first; expert < end; expert++)
    {
        if (thread % parts == 0)
        {
            starts[expert] = at;
        }
        find_choices(ids, from, to, expert, expert + 1, [&](int i)
        {
            places[i] = at;
            tokens[at] = i / topK;
            at++;
        });
    }
    __syncthreads();
    if (thread == 0)
    {
        starts[experts] = count;
        if (wrong != 0)
        {
            report_no_number(step, results, resultStride, 1 + layer);
        }
    }
}

/** Combine weights of all layers as decoder_combine applies them, to the slot's view; all are [layers][maxTokens][topK]. */
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

/** Sums of the experts' outputs in the order of the choice, then the output of the shared experts, which may be null. */
extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_combine(
    const unsigned char* step, const float* outputs, const float* weights, const int* places, int topK, int hidden,
    int roundProducts, const float* shared, int round, float* out)
{
    const long long count = static_cast<long long>(step_header(step)->tokens) * hidden;
#pragma unroll 1
    for (long long i = grid_thread(); i < count; i += grid_threads())
    {
        const long long choices = i / hidden * topK;
        float sum = 0.0f;
#pragma unroll 4
        for (int k = 0; k < topK; k++)
        {
            const float output = outputs[static_cast<long long>(places[choices + k]) * hidden + i % hidden];
            const float product = kept(__fmul_rn(output, kept(weights[choices + k], roundProducts)), roundProducts);
            sum = k == 0 ? product : __fadd_rn(sum, product);
        }
        const float rounded = kept(sum, round);
        out[i] = shared == nullptr ? rounded : kept(__fadd_rn(rounded, shared[i]), round);
    }
}

/** Samples a token for each entry, a block for each at a time; sampled is [slot][maxTokens]. */
extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS, SAMPLER_BLOCKS) decoder_sample(
    const unsigned char* step, const float* logits, int vocabulary, int* sampled, int maxTokens, char* results,
    long long resultStride)
{
    __shared__ SamplerMemory memory;
    const StepHeader* header = step_header(step);
    const Feed feed = step_feed(step);
    int* words = reinterpret_cast<int*>(result_slot(step, results, resultStride) + RESULT_HEADER_BYTES);
#pragma unroll 1
    for (int entry = blockIdx.x; entry < header->entries; entry += gridDim.x)
    {
        const Logits values = {
            logits + static_cast<long long>(entry) * vocabulary, vocabulary, feed.sampling[entry].temperature};
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
        linear<Weight>(static_cast<const Weight*>(weights), rows, columns, in, \
            perEntry != 0 ? header->entries : header->tokens, out, round); \
    } \
    extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_expert_up_##type( \
        const unsigned char* step, const void* gates, const void* others, int experts, int width, int hidden, \
        const int* starts, const int* tokens, const float* in, int round, float* inner) \
    { \
        expert_up<Weight>(static_cast<const Weight*>(gates), static_cast<const Weight*>(others), experts, width, hidden, \
            starts, tokens, in, round, inner); \
    } \
    extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_expert_down_##type( \
        const unsigned char* step, const void* weights, int experts, int width, int hidden, const int* starts, \
        const float* inner, int round, float* outputs) \
    { \
        expert_down<Weight>( \
            static_cast<const Weight*>(weights), experts, width, hidden, starts, inner, round, outputs); \
    } \
    extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_place_##type( \
        const unsigned char* step, float* queries, const float* keys, const float* values, const float* cosines, \
        const float* sines, int heads, int kvHeads, int headSize, int blockSize, float clip, int round, void* keyPool, \
        void* valuePool) \
    { \
        const Heads shape = {heads, kvHeads, headSize, blockSize, clip, round}; \
        place<Weight>(step, queries, keys, values, cosines, sines, shape, static_cast<Weight*>(keyPool), \
            static_cast<Weight*>(valuePool)); \
    } \
    extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS, ATTENTION_BLOCKS) decoder_attend_##type( \
        const unsigned char* step, const float* queries, const void* keyPool, const void* valuePool, int heads, \
        int kvHeads, int headSize, int blockSize, float scale, int round, float* scores, int maxPositions, float* mixed) \
    { \
        __shared__ AttentionMemory memory; \
        const Heads shape = {heads, kvHeads, headSize, blockSize, 0.0f, round}; \
        attend<Weight>(step, queries, static_cast<const Weight*>(keyPool), static_cast<const Weight*>(valuePool), shape, \
            scale, scores, maxPositions, memory, mixed); \
    }

SIGNALBOX_DECODER(bf16, unsigned short)
SIGNALBOX_DECODER(fp32, float)

#define SIGNALBOX_TENSOR(vectors, pairBlocks) \
    extern "C" __global__ void __launch_bounds__(TENSOR_THREADS, TENSOR_BLOCKS) tensor_linear_v##vectors( \
        const unsigned char* step, const void* weights, int rows, int columns, const float* in, int perEntry, int round, \
        float* out) \
    { \
        const StepHeader* header = step_header(step); \
        tensor_linear<Linear##vectors>(static_cast<const unsigned short*>(weights), rows, columns, in, \
            perEntry != 0 ? header->entries : header->tokens, round, out); \
    } \
    extern "C" __global__ void __launch_bounds__(TENSOR_THREADS, pairBlocks) tensor_expert_up_v##vectors( \
        const unsigned char* step, const void* gates, const void* others, int experts, int width, int hidden, \
        const int* starts, const int* tokens, const float* in, int round, float* inner) \
    { \
        tensor_expert_up<Pairs##vectors>(static_cast<const unsigned short*>(gates), \
            static_cast<const unsigned short*>(others), experts, width, hidden, starts, tokens, in, round, inner); \
    } \
    extern "C" __global__ void __launch_bounds__(TENSOR_THREADS, TENSOR_BLOCKS) tensor_expert_down_v##vectors( \
        const unsigned char* step, const void* weights, int experts, int width, int hidden, const int* starts, \
        const float* inner, int round, float* outputs) \
    { \
        tensor_expert_down<Linear##vectors>( \
            static_cast<const unsigned short*>(weights), experts, width, hidden, starts, inner, round, outputs); \
    }

// Of the last one a block more would need memory in place of registers.
SIGNALBOX_TENSOR(8, TENSOR_BLOCKS)
SIGNALBOX_TENSOR(32, TENSOR_BLOCKS)
SIGNALBOX_TENSOR(64, TENSOR_BLOCKS - 1)
