// SPDX-License-Identifier: Apache-2.0
// All kernels; docs/cuda.md says what each takes and does. kernels.def lists their names.
#include "step.cuh"
#include "arithmetic.cuh"
#include "router.cuh"
#include "capture.cuh"
#include "synthetic.cuh"
#include "decoder.cuh"

#ifdef SIGNALBOX_SOURCE_SYMBOL
// Every image carries the hash of its sources as the name of a symbol; scripts/build-kernels gives it.
extern "C" __device__ int SIGNALBOX_SOURCE_SYMBOL = 1;
#endif

extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) slot_open(
    const unsigned char* step, short* capture, long long slotStride, char* results, long long resultStride, int layers,
    int maxTokens, int topK)
{
    const StepHeader* header = step_header(step);
    if (capture != nullptr)
    {
        short* view = capture + header->slot * slotStride;
#pragma unroll 1
        for (int layer = blockIdx.x; layer < layers; layer += gridDim.x)
        {
            fill_not_written(view + static_cast<long long>(layer) * maxTokens * topK, header->bucket * topK);
        }
    }
    if (blockIdx.x != 0)
    {
        return;
    }
    // The header, and the places of as many sampled tokens as a step can have: the next use may have more entries than this
    // one, and the rows of this one are in their places. A step without rows has written none; if such a step loads the
    // kernels, the first real step may be in the slot already.
    int* words = reinterpret_cast<int*>(result_slot(step, results, resultStride));
#pragma unroll 1
    for (int i = threadIdx.x; i < RESULT_HEADER_BYTES / 4; i += blockDim.x)
    {
        words[i] = 0;
    }
    if (header->bucket > 0)
    {
        const int pairs = static_cast<int>(sizeof(int) / sizeof(short));
        fill_not_written(reinterpret_cast<short*>(words + RESULT_HEADER_BYTES / 4), maxTokens * pairs);
    }
}

extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) logits_seeded(
    const unsigned char* step, void* logits, int type, int experts, int layer, long long seed, int levels)
{
    const int token = warp_token();
    if (token >= step_header(step)->tokens)
    {
        return;
    }
    const unsigned long long key = place_key(seed, step_request(step, token), step_position(step, token));
    const long long row = static_cast<long long>(token) * experts;
#pragma unroll 1
    for (int expert = lane_index(); expert < experts; expert += WARP_LANES)
    {
        const float logit = seeded_logit(key, layer, expert, levels);
        if (type == 0)
        {
            static_cast<unsigned short*>(logits)[row + expert] =
                static_cast<unsigned short>(__float_as_uint(logit) >> 16);
        }
        else
        {
            static_cast<float*>(logits)[row + expert] = logit;
        }
    }
}

extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) capture_copy(
    const unsigned char* step, const int* ids, int layers, int maxTokens, int topK, short* captureLayer,
    long long slotStride)
{
    short* view = captureLayer + step_header(step)->slot * slotStride;
    const int rowIds = step_header(step)->tokens * topK;
#pragma unroll 1
    for (long long i = grid_thread(); i < static_cast<long long>(layers) * rowIds; i += grid_threads())
    {
        const unsigned layer = static_cast<unsigned>(i) / rowIds;
        const long long at = static_cast<long long>(layer) * maxTokens * topK + (i - static_cast<long long>(layer) * rowIds);
        view[at] = static_cast<short>(ids[at]);
    }
}

extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) pack_rows(
    const unsigned char* step, const short* capture, long long slotStride, int layers, int maxTokens, int topK,
    int experts, int idBytes, char* results, long long resultStride)
{
    // A set that starts in the block before is read from its start, since repetitions are looked for within it.
    __shared__ short ids[PACK_IDS + MAX_TOP_K];
    __shared__ PackCounts warps[MAX_BLOCK_WARPS];
    const StepHeader* header = step_header(step);
    const int total = capture == nullptr ? 0 : header->tokens * layers * topK;
    if (blockIdx.x != 0 && static_cast<long long>(blockIdx.x) * PACK_IDS >= total)
    {
        return;
    }
    const CaptureView view = {capture + header->slot * slotStride, layers, maxTokens, topK};
    unsigned char* result = result_slot(step, results, resultStride);
    const int firstWord = entry_words(header);
    unsigned* words = reinterpret_cast<unsigned*>(result + RESULT_HEADER_BYTES) + firstWord;
    const int idsPerWord = 4 / idBytes;
    PackCounts counts = {0, 0, 0};
    if (grid_thread() == 0)
    {
        write_header(reinterpret_cast<ResultHeader*>(result), header, capture == nullptr ? 0 : layers, topK, idBytes, 0);
    }
    // The sampled tokens, which a kernel of the step has left there.
#pragma unroll 1
    for (int i = threadIdx.x; blockIdx.x == 0 && i < firstWord; i += blockDim.x)
    {
        counts.checksum += checksum_part(words[i - firstWord], i);
    }
#pragma unroll 1
    for (int start = blockIdx.x * PACK_IDS; start < total; start += gridDim.x * PACK_IDS)
    {
        const int end = total - start < PACK_IDS ? total : start + PACK_IDS;
        const int first = start - start % topK;
#pragma unroll 1
        for (int i = first + static_cast<int>(threadIdx.x); i < end; i += blockDim.x)
        {
            ids[i - first] = captured_id(view, i);
        }
        __syncthreads();
#pragma unroll 1
        for (int i = start + static_cast<int>(threadIdx.x); i < end; i += blockDim.x)
        {
            check_id(ids, i - i % topK - first, i - first, experts, counts);
        }
#pragma unroll 1
        for (int i = start + static_cast<int>(threadIdx.x) * idsPerWord; i < end; i += blockDim.x * idsPerWord)
        {
            const int word = i / idsPerWord;
            words[word] = pack_word(ids + (i - first), end - i < idsPerWord ? end - i : idsPerWord, idBytes);
            counts.checksum += checksum_part(words[word], firstWord + word);
        }
        __syncthreads();
    }
    add_counts(counts, warps, reinterpret_cast<ResultHeader*>(result));
}

/** As pack_rows, for rows that have combine weights: bytes of a row are in no whole words, so each is looked up. */
extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) pack_weighted_rows(
    const unsigned char* step, const short* capture, const float* weights, long long slotStride, int layers, int maxTokens,
    int topK, int experts, int idBytes, char* results, long long resultStride)
{
    __shared__ PackCounts warps[MAX_BLOCK_WARPS];
    const StepHeader* header = step_header(step);
    const CaptureView view = {capture + header->slot * slotStride, layers, maxTokens, topK};
    const float* applied = weights + header->slot * slotStride;
    const int ids = header->tokens * layers * topK;
    const long long bytes = static_cast<long long>(ids) * (idBytes + WEIGHT_BYTES);
    unsigned char* result = result_slot(step, results, resultStride);
    const int firstWord = entry_words(header);
    unsigned* words = reinterpret_cast<unsigned*>(result + RESULT_HEADER_BYTES);
    PackCounts counts = {0, 0, 0};
    if (grid_thread() == 0)
    {
        write_header(reinterpret_cast<ResultHeader*>(result), header, layers, topK, idBytes, WEIGHT_BYTES);
    }
#pragma unroll 1
    for (int i = threadIdx.x; blockIdx.x == 0 && i < firstWord; i += blockDim.x)
    {
        counts.checksum += checksum_part(words[i], i);
    }
#pragma unroll 1
    for (long long i = grid_thread(); i < ids; i += grid_threads())
    {
        const int place = static_cast<int>(captured_place(view, static_cast<unsigned>(i)));
        check_id(view.ids, place - static_cast<int>(i % topK), place, experts, counts);
    }
#pragma unroll 1
    for (long long word = grid_thread(); 4 * word < bytes; word += grid_threads())
    {
        unsigned value = 0;
#pragma unroll 1
        for (int i = 0; i < 4 && 4 * word + i < bytes; i++)
        {
            value |= row_byte(view, applied, idBytes, 4 * word + i) << 8 * i;
        }
        words[firstWord + word] = value;
        counts.checksum += checksum_part(value, firstWord + word);
    }
    add_counts(counts, warps, reinterpret_cast<ResultHeader*>(result));
}

extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) sample_seeded(
    const unsigned char* step, long long seed, char* results, long long resultStride)
{
    const int entries = step_header(step)->entries;
    const int count = entry_words(step_header(step));
    unsigned* words = reinterpret_cast<unsigned*>(result_slot(step, results, resultStride) + RESULT_HEADER_BYTES);
#pragma unroll 1
    for (long long entry = grid_thread(); entry < count; entry += grid_threads())
    {
        unsigned word = 0;
        if (entry < entries)
        {
            const int last = step_last_token(step, static_cast<int>(entry));
            word = seeded_token(seed, step_request(step, last), step_position(step, last) + 1);
        }
        words[entry] = word;
    }
}

extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) stream_bytes(
    const unsigned char* step, const uint4* source, long long bytes, unsigned* sink)
{
    const long long count = bytes / static_cast<long long>(sizeof(uint4));
    unsigned seen = static_cast<unsigned>(step_header(step)->generation);
#pragma unroll 1
    for (long long start = grid_thread(); start < count; start += 4 * grid_threads())
    {
#pragma unroll
        for (int i = 0; i < 4; i++)
        {
            const long long at = start + i * grid_threads();
            if (at < count)
            {
                const uint4 value = source[at];
                seen ^= value.x ^ value.y ^ value.z ^ value.w;
            }
        }
    }
    // The bytes read must have an effect that the compiler cannot rule out; the branch is almost never taken.
    if (seen == CHECKSUM_SALT)
    {
        *sink = seen;
    }
}

#define SIGNALBOX_ROUTE(mode, MODE, type, Logit, V) \
    extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) route_##mode##_##type##_v##V( \
        const unsigned char* step, const void* logits, const float* bias, int experts, int topK, int groups, \
        int topGroups, int renormalise, float scale, int* ids, float* weights, short* captureLayer, \
        long long slotStride) \
    { \
        const RouterShape shape = {experts, topK, groups, topGroups, renormalise, scale}; \
        route<MODE, Logit, V>(step, logits, bias, shape, ids, weights, captureLayer, slotStride); \
    }

// The largest size serves all numbers of experts: this form is not made for speed.
#define SIGNALBOX_OPAQUE(mode, MODE, type, Logit) \
    extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) opaque_##mode##_##type( \
        const unsigned char* step, const void* logits, const float* bias, int experts, int topK, int groups, \
        int topGroups, int renormalise, float scale, const float* expertOutputs, int width, float* mixed) \
    { \
        const RouterShape shape = {experts, topK, groups, topGroups, renormalise, scale}; \
        route_and_mix<MODE, Logit, 16>(step, logits, bias, shape, expertOutputs, width, mixed); \
    }

#define SIGNALBOX_ROUTER(mode, MODE, type, Logit) \
    SIGNALBOX_ROUTE(mode, MODE, type, Logit, 1) \
    SIGNALBOX_ROUTE(mode, MODE, type, Logit, 2) \
    SIGNALBOX_ROUTE(mode, MODE, type, Logit, 4) \
    SIGNALBOX_ROUTE(mode, MODE, type, Logit, 8) \
    SIGNALBOX_ROUTE(mode, MODE, type, Logit, 16) \
    SIGNALBOX_OPAQUE(mode, MODE, type, Logit)

SIGNALBOX_ROUTER(softmax_topk, SOFTMAX_TOPK, bf16, unsigned short)
SIGNALBOX_ROUTER(softmax_topk, SOFTMAX_TOPK, fp32, float)
SIGNALBOX_ROUTER(topk_softmax, TOPK_SOFTMAX, bf16, unsigned short)
SIGNALBOX_ROUTER(topk_softmax, TOPK_SOFTMAX, fp32, float)
SIGNALBOX_ROUTER(sigmoid_bias, SIGMOID_BIAS, bf16, unsigned short)
SIGNALBOX_ROUTER(sigmoid_bias, SIGMOID_BIAS, fp32, float)
