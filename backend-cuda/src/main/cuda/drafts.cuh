// SPDX-License-Identifier: Apache-2.0
// Draft tokens: where an entry starts if the device alone knows it, which guesses it feeds, and which of them count.
#pragma once

#include "forward.cuh"

/** In place of a sampled token: it follows a guess that was wrong, or is at or above the end. */
constexpr int REJECTED = -2;

/** An entry that samples; the host writes these, and bind completes them. */
struct Binding
{
    int firstToken;
    int tokens;
    /** Its places among the sampled tokens: one after each of its last tokens. */
    int firstPlace;
    int places;
    /** Index of its first token and of its start among those that former steps left; -1: the host knows both. */
    int former;
    /** The lowest start; once bound, the start. */
    int start;
    int end;
    /** Index of the guess for the position after the lowest start. */
    int guesses;
};

static_assert(sizeof(Binding) == 32, "the host writes these 32 bytes");

__device__ inline Binding* step_bindings(const unsigned char* step)
{
    return reinterpret_cast<Binding*>(const_cast<unsigned char*>(step) + step_header(step)->bindings);
}

/** Gives the entries that continue former steps their positions and tokens; sampled and starts are [slot][maxTokens]. */
extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_bind(
    unsigned char* step, const int* sampled, const int* starts)
{
    const StepHeader* header = step_header(step);
    Binding* bindings = step_bindings(step);
    const int* guesses = reinterpret_cast<const int*>(bindings + header->bindingCount);
    int* positions = reinterpret_cast<int*>(step + STEP_HEADER_BYTES + 8LL * header->tokens);
    Sampling* sampling = reinterpret_cast<Sampling*>(step + header->feed);
    int* ids = reinterpret_cast<int*>(sampling + header->entries);
#pragma unroll 1
    for (long long i = grid_thread(); i < header->bindingCount; i += grid_threads())
    {
        const Binding binding = bindings[i];
        if (binding.former < 0)
        {
            continue;
        }
        const int start = starts[binding.former];
        const int first = sampled[binding.former];
#pragma unroll 1
        for (int token = 0; token < binding.tokens; token++)
        {
            const int position = start + token;
            const bool computed = position < binding.end;
            positions[binding.firstToken + token] = computed ? position : NOT_COMPUTED;
            ids[binding.firstToken + token] =
                token == 0 || !computed ? first : guesses[binding.guesses + position - binding.start - 1];
            sampling[binding.firstPlace + token].position = position + 1;
        }
        bindings[i].start = start;
    }
}

/**
 * Keeps the tokens of each entry up to the one after the first wrong guess. The last of them and the position after it are
 * left to the entries that continue it. A logit of these tokens that is not a number fails the step.
 */
extern "C" __global__ void __launch_bounds__(MAX_BLOCK_THREADS) decoder_accept(
    const unsigned char* step, int* sampled, int* starts, int maxTokens, char* results, long long resultStride)
{
    const StepHeader* header = step_header(step);
    const int* ids = step_feed(step).ids;
    int* words = reinterpret_cast<int*>(result_slot(step, results, resultStride) + RESULT_HEADER_BYTES);
#pragma unroll 1
    for (long long i = grid_thread(); i < header->bindingCount; i += grid_threads())
    {
        const Binding binding = step_bindings(step)[i];
        int* tokens = words + binding.firstPlace;
        const int before = binding.tokens - binding.places;
        const int most = binding.end - binding.start - before;
        int accepted = 0;
        while (accepted < binding.places && accepted < most &&
            (accepted == 0 || ids[binding.firstToken + before + accepted] == tokens[accepted - 1]))
        {
            accepted++;
        }
        if (accepted > 0 && tokens[accepted - 1] == NOT_SAMPLED)
        {
            report_no_number(step, results, resultStride, LOGITS);
        }
        const long long place = static_cast<long long>(header->slot) * maxTokens + binding.firstPlace;
        // An entry that computes nothing hands on the token that it was to feed.
        const int last = accepted > 0 ? tokens[accepted - 1] : sampled[binding.former];
        starts[place] = binding.start + before + accepted;
        sampled[place] = last == NOT_SAMPLED ? 0 : last;
#pragma unroll 1
        for (int rejected = accepted; rejected < binding.places; rejected++)
        {
            tokens[rejected] = REJECTED;
        }
    }
}
