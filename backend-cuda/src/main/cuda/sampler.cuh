// SPDX-License-Identifier: Apache-2.0
// The choice of the next token by one block, with the result of TokenSampler.java. Shares are integers, so that their sums
// do not depend on who adds what when.
#pragma once

#include "step.cuh"
#include "arithmetic.cuh"
#include "capture.cuh"
#include "forward.cuh"
#include "router.cuh"

constexpr float LEAST_TEMPERATURE = 1e-6f;
constexpr int DIGIT_BITS = 8;
constexpr int DIGITS = 1 << DIGIT_BITS;
constexpr unsigned long long GOLDEN_GAMMA = 0x9E3779B97F4A7C15ULL;

/** The logits of an entry, of which values are the quotients with the temperature. */
struct Logits
{
    const float* row;
    int count;
    float temperature;

    __device__ bool greedy() const
    {
        return temperature < LEAST_TEMPERATURE;
    }

    __device__ float value(int id) const
    {
        return greedy() ? row[id] : __fdiv_rn(row[id], temperature);
    }
};

/** The tokens that stay: those of a higher rank, and the first ones of this rank by id. */
struct Kept
{
    unsigned rank;
    int equals;
};

struct SamplerMemory
{
    long long sums[DIGITS];
    int counts[MAX_BLOCK_THREADS];
    long long masses[MAX_BLOCK_THREADS];
    unsigned best;
    int bestId;
    int wrong;
    Kept kept;
    int token;
};

/** In units of 2^-32 of the most probable token's; equal infinities differ by nothing. */
__device__ inline long long share_of(float value, float largest)
{
    return static_cast<long long>(__fmul_rn(exponential_below(value, largest), 4294967296.0f));
}

__device__ inline unsigned long long mixed_bits(unsigned long long z)
{
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
    return z ^ z >> 31;
}

/** The most probable token and its rank to the block's memory, of equal ones the lowest id. */
__device__ inline void find_best(const Logits& logits, SamplerMemory& memory)
{
    if (threadIdx.x == 0)
    {
        memory.best = NO_RANK;
        memory.bestId = NOTHING;
        memory.wrong = 0;
    }
    __syncthreads();
    unsigned best = NO_RANK;
    int id = NOTHING;
    int wrong = 0;
#pragma unroll 4
    for (int i = threadIdx.x; i < logits.count; i += blockDim.x)
    {
        const float value = logits.value(i);
        wrong |= value != value ? 1 : 0;
        const unsigned rank = rank_of(value);
        id = rank > best ? i : id;
        best = rank > best ? rank : best;
    }
    atomicMax(&memory.best, best);
    atomicOr(&memory.wrong, wrong);
    __syncthreads();
    if (best == memory.best)
    {
        atomicMin(&memory.bestId, id);
    }
    __syncthreads();
}

/** Whether a token is of the first {@code equals} ones of its rank; equalsBefore counts those of lower ids. */
__device__ inline bool stays(unsigned rank, const Kept& kept, int equalsBefore)
{
    return rank > kept.rank || (rank == kept.rank && equalsBefore < kept.equals);
}

/** Sums of counts, or of the shares of candidates, of the ranks that begin with the given digits, by the next digit. */
__device__ inline void sum_digits(
    const Logits& logits, float largest, const Kept* candidates, unsigned prefix, int shift, SamplerMemory& memory)
{
    for (int i = threadIdx.x; i < DIGITS; i += blockDim.x)
    {
        memory.sums[i] = 0;
    }
    __syncthreads();
    const unsigned known = shift == 32 - DIGIT_BITS ? 0 : ~0u << (shift + DIGIT_BITS);
#pragma unroll 1
    for (int i = threadIdx.x; i < logits.count; i += blockDim.x)
    {
        const float value = logits.value(i);
        const unsigned rank = rank_of(value);
        // Of candidates of the last rank all are counted here; a rank's own number is bounded when it is chosen.
        if ((rank & known) == (prefix & known) && (candidates == nullptr || rank >= candidates->rank))
        {
            const long long part = candidates == nullptr ? 1 : share_of(value, largest);
            atomicAdd(reinterpret_cast<unsigned long long*>(&memory.sums[rank >> shift & (DIGITS - 1)]),
                static_cast<unsigned long long>(part));
        }
    }
    __syncthreads();
}

/** The rank at which tokens counted from the highest on reach {@code wanted}, and how many of this rank it takes. */
__device__ inline void keep_first(const Logits& logits, int wanted, SamplerMemory& memory)
{
    unsigned prefix = 0;
    long long before = 0;
#pragma unroll 1
    for (int shift = 32 - DIGIT_BITS; shift >= 0; shift -= DIGIT_BITS)
    {
        sum_digits(logits, 0.0f, nullptr, prefix, shift, memory);
        int digit = DIGITS - 1;
        while (digit > 0 && before + memory.sums[digit] < wanted)
        {
            before += memory.sums[digit--];
        }
        prefix |= static_cast<unsigned>(digit) << shift;
        __syncthreads();
    }
    if (threadIdx.x == 0)
    {
        memory.kept = {prefix, static_cast<int>(wanted - before)};
    }
    __syncthreads();
}

/** All shares of the tokens that stay, and by thread those of its run of ids, with the counts of the last rank's tokens. */
__device__ inline long long sum_kept(const Logits& logits, float largest, SamplerMemory& memory)
{
    const int run = (logits.count + static_cast<int>(blockDim.x) - 1) / static_cast<int>(blockDim.x);
    const int from = static_cast<int>(threadIdx.x) * run;
    const int end = from + run < logits.count ? from + run : logits.count;
    const Kept kept = memory.kept;
    int equals = 0;
#pragma unroll 1
    for (int i = from; i < end; i++)
    {
        equals += rank_of(logits.value(i)) == kept.rank ? 1 : 0;
    }
    memory.counts[threadIdx.x] = equals;
    __syncthreads();
    int seen = 0;
#pragma unroll 1
    for (int i = 0; i < static_cast<int>(threadIdx.x); i++)
    {
        seen += memory.counts[i];
    }
    long long mass = 0;
#pragma unroll 1
    for (int i = from; i < end; i++)
    {
        const float value = logits.value(i);
        const unsigned rank = rank_of(value);
        mass += stays(rank, kept, seen) ? share_of(value, largest) : 0;
        seen += rank == kept.rank ? 1 : 0;
    }
    memory.masses[threadIdx.x] = mass;
    __syncthreads();
    long long all = 0;
#pragma unroll 1
    for (int i = 0; i < static_cast<int>(blockDim.x); i++)
    {
        all += memory.masses[i];
    }
    return all;
}

/** Narrows the candidates, those that stay so far, to the first ones whose shares reach top-p of all. */
__device__ inline void keep_mass(const Logits& logits, float largest, float topP, long long all, SamplerMemory& memory)
{
    const Kept candidates = memory.kept;
    // At least one token stays.
    const double share = __dmul_rn(static_cast<double>(topP), static_cast<double>(all));
    const double wanted = share < 1.0 ? 1.0 : share;
    unsigned prefix = 0;
    long long before = 0;
#pragma unroll 1
    for (int shift = 32 - DIGIT_BITS; shift >= 0; shift -= DIGIT_BITS)
    {
        sum_digits(logits, largest, &candidates, prefix, shift, memory);
        int digit = DIGITS - 1;
        while (digit > 0 && static_cast<double>(before + memory.sums[digit]) < wanted)
        {
            before += memory.sums[digit--];
        }
        prefix |= static_cast<unsigned>(digit) << shift;
        __syncthreads();
    }
    if (threadIdx.x == 0)
    {
        // All tokens of a rank have one share.
        const long long each = share_of(score_of(prefix), largest);
        int least = 1;
        int most = prefix == candidates.rank ? candidates.equals : logits.count;
        while (least < most)
        {
            const int middle = least + (most - least) / 2;
            if (static_cast<double>(before + middle * each) < wanted)
            {
                least = middle + 1;
            }
            else
            {
                most = middle;
            }
        }
        memory.kept = {prefix, least};
    }
    __syncthreads();
}

/** The first token by id at which the shares of those that stay exceed the number. Every thread looks at its run of ids. */
__device__ inline void draw(const Logits& logits, float largest, long long drawn, SamplerMemory& memory)
{
    const int run = (logits.count + static_cast<int>(blockDim.x) - 1) / static_cast<int>(blockDim.x);
    const Kept kept = memory.kept;
    long long sum = 0;
    int seen = 0;
#pragma unroll 1
    for (int i = 0; i < static_cast<int>(threadIdx.x); i++)
    {
        sum += memory.masses[i];
        seen += memory.counts[i];
    }
    if (drawn < sum || drawn >= sum + memory.masses[threadIdx.x])
    {
        return;
    }
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x) * run; sum <= drawn; i++)
    {
        const float value = logits.value(i);
        const unsigned rank = rank_of(value);
        sum += stays(rank, kept, seen) ? share_of(value, largest) : 0;
        seen += rank == kept.rank ? 1 : 0;
        memory.token = i;
    }
}

/** A token's log-probability is the difference less the logarithm of the sum, which the host takes in float64. */
struct LogParts
{
    float difference;
    float sum;
};

/** By one warp: the token's logit less the largest, of equal ones the first, and the sum of e^(logit - largest). */
__device__ inline LogParts log_parts(const float* row, int count, int token)
{
    unsigned best = NO_RANK;
    int id = NOTHING;
#pragma unroll 1
    for (int i = lane_index(); i < count; i += WARP_LANES)
    {
        const unsigned rank = rank_of(row[i]);
        id = rank > best ? i : id;
        best = rank > best ? rank : best;
    }
    const float largest = row[warp_best(best, id)];
    float sum = 0.0f;
#pragma unroll 1
    for (int i = lane_index(); i < count; i += WARP_LANES)
    {
        sum = __fadd_rn(sum, power(__fsub_rn(row[i], largest)));
    }
    return {__fsub_rn(row[token], largest), warp_sum(sum)};
}

/** The token of an entry, in all threads; NOT_SAMPLED if a logit is no number. */
__device__ inline int sample(const Logits& logits, const Sampling& how, SamplerMemory& memory)
{
    find_best(logits, memory);
    if (memory.wrong != 0 || logits.greedy())
    {
        const int token = memory.wrong != 0 ? NOT_SAMPLED : memory.bestId;
        __syncthreads();
        return token;
    }
    const float largest = score_of(memory.best);
    if (threadIdx.x == 0)
    {
        memory.kept = {NO_RANK, 0};
    }
    __syncthreads();
    if (how.topK > 0 && how.topK < logits.count)
    {
        keep_first(logits, how.topK, memory);
    }
    long long mass = sum_kept(logits, largest, memory);
    if (how.topP < 1.0f)
    {
        __syncthreads();
        keep_mass(logits, largest, how.topP, mass, memory);
        mass = sum_kept(logits, largest, memory);
    }
    const unsigned long long bits =
        mixed_bits(mixed_bits(static_cast<unsigned long long>(how.seed)) + GOLDEN_GAMMA * (how.position + 1LL)) >> 1;
    draw(logits, largest, static_cast<long long>(__umul64hi(bits, 2ULL * mass)), memory);
    __syncthreads();
    const int token = memory.token;
    __syncthreads();
    return token;
}
