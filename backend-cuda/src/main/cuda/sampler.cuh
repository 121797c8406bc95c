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
/** Of a rank: with two bits of the fraction, so that the logits of a step, of few exponents, do not share a few sums. */
constexpr int DIGIT_BITS = 11;
constexpr int DIGITS = 1 << DIGIT_BITS;
/** Logits that a thread loads before it looks at the first. */
constexpr int LOGITS_AHEAD = 8;
/** The vocabulary is cut into runs of ids, each of whole batches of a warp. */
constexpr int BATCH = WARP_LANES * LOGITS_AHEAD;
/** Powers that a block computes before one warp adds them. */
constexpr int STAGED_POWERS = MAX_BLOCK_THREADS * LOGITS_AHEAD;
/** Blocks of a multiprocessor that registers allow; without a number nvcc spills to make room for more. */
constexpr int SAMPLER_BLOCKS = 4;
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

    __device__ float value(float logit) const
    {
        return __fdiv_rn(logit, temperature);
    }

    /** Ids of a run, of which there are at most as many as threads. */
    __device__ int run() const
    {
        const int batches = BATCH * static_cast<int>(blockDim.x);
        return (count + batches - 1) / batches * BATCH;
    }
};

/** The tokens that stay: those of a higher rank, and the first ones of this rank by id, which has more if it is cut. */
struct Kept
{
    unsigned rank;
    int equals;
    bool cut;
};

/** Sums by digit, as two words each, since shared memory has no sums of 64 bits; a carry goes to the upper word. */
struct DigitSums
{
    unsigned low[DIGITS];
    unsigned high[DIGITS];
};

struct SamplerMemory
{
    union
    {
        DigitSums sums;
        float powers[2][STAGED_POWERS];
    };
    long long masses[MAX_BLOCK_THREADS];
    long long warps[MAX_BLOCK_WARPS];
    unsigned best;
    int bestId;
    int wrong;
    int digit;
    long long before;
    long long inDigit;
    int found;
};

static_assert(sizeof(DigitSums) == 2 * STAGED_POWERS * sizeof(float), "the two uses of the memory are of one size");

/** The stop tokens of an entry; the ids of all entries follow the last of these in the step block. */
struct LeftOut
{
    int first;
    int count;
    /** The position from which the request may stop. */
    int mayStopAt;
};

static_assert(sizeof(LeftOut) == 12, "the host writes these 12 bytes");

/** Takes the stop tokens of an entry out of its logits if its request may not stop yet; by all threads of the block. */
__device__ inline void leave_out(const unsigned char* step, int entry, int position, float* row)
{
    const StepHeader* header = step_header(step);
    if (header->leftOut == 0)
    {
        return;
    }
    const LeftOut* all = reinterpret_cast<const LeftOut*>(step + header->leftOut);
    const LeftOut own = all[entry];
    const int* ids = reinterpret_cast<const int*>(all + header->entries) + own.first;
#pragma unroll 1
    for (int i = threadIdx.x; i < own.count && position < own.mayStopAt; i += blockDim.x)
    {
        row[ids[i]] = __uint_as_float(0xFF800000u);
    }
    __syncthreads();
}

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

/**
 * Calls {@code visit(id, logit)} for the ids from, from + step, ... below the end. Loads of ids beyond it are of the last
 * one: a load that depends on nothing is not moved after the arithmetic of the previous one. A visit that is not guarded
 * meets these ids too, with the last one's logit.
 */
template <bool GUARDED, typename Visit>
__device__ inline void visit_logits(const float* row, int from, int step, int end, const Visit& visit)
{
#pragma unroll 1
    for (int start = from; start < end; start += LOGITS_AHEAD * step)
    {
        float ahead[LOGITS_AHEAD];
#pragma unroll
        for (int j = 0; j < LOGITS_AHEAD; j++)
        {
            const int id = start + j * step;
            ahead[j] = row[id < end ? id : end - 1];
        }
#pragma unroll
        for (int j = 0; j < LOGITS_AHEAD; j++)
        {
            const int id = start + j * step;
            if (!GUARDED || id < end)
            {
                visit(id, ahead[j]);
            }
        }
    }
}

/** The same for all ids of a block. */
template <bool GUARDED, typename Visit>
__device__ inline void visit_all(const Logits& logits, const Visit& visit)
{
    visit_logits<GUARDED>(logits.row, static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), logits.count, visit);
}

/** The largest logit's rank and the lowest id that has it, to the block's memory, and whether any logit is no number. */
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
    bool wrong = false;
    // An id beyond the end is above the one that has this logit.
    visit_all<false>(logits, [&](int i, float logit)
    {
        wrong |= logit != logit;
        const unsigned rank = rank_of(logit);
        id = rank > best ? i : id;
        best = rank > best ? rank : best;
    });
    atomicMax(&memory.best, best);
    if (wrong)
    {
        atomicOr(&memory.wrong, 1);
    }
    __syncthreads();
    if (best == memory.best)
    {
        atomicMin(&memory.bestId, id);
    }
    __syncthreads();
}

/** The sum of the values of the threads before this one, and of all threads. Every thread of the block calls this. */
__device__ inline long long mass_before(long long value, SamplerMemory& memory, long long& all)
{
    long long upTo = value;
#pragma unroll
    for (int distance = 1; distance < WARP_LANES; distance *= 2)
    {
        const long long added = __shfl_up_sync(ALL_LANES, upTo, distance);
        upTo += lane_index() >= distance ? added : 0;
    }
    const int warp = static_cast<int>(threadIdx.x) / WARP_LANES;
    if (lane_index() == WARP_LANES - 1)
    {
        memory.warps[warp] = upTo;
    }
    __syncthreads();
    long long before = upTo - value;
    all = 0;
#pragma unroll 1
    for (int i = 0; i < static_cast<int>(blockDim.x) / WARP_LANES; i++)
    {
        before += i < warp ? memory.warps[i] : 0;
        all += memory.warps[i];
    }
    __syncthreads();
    return before;
}

/** Sums of counts, or of the shares of tokens of at least a rank, of the ranks with known first bits, by the next digit. */
template <bool SHARES>
__device__ inline void sum_digits(
    const Logits& logits, float largest, unsigned least, unsigned prefix, unsigned known, int shift, SamplerMemory& memory)
{
    for (int i = threadIdx.x; i < DIGITS; i += blockDim.x)
    {
        memory.sums.low[i] = 0;
        memory.sums.high[i] = 0;
    }
    __syncthreads();
    visit_all<true>(logits, [&](int, float logit)
    {
        const float value = logits.value(logit);
        const unsigned rank = rank_of(value);
        const unsigned digit = rank >> shift & (DIGITS - 1);
        if (((rank ^ prefix) & known) != 0)
        {
            return;
        }
        if (!SHARES)
        {
            atomicAdd(&memory.sums.low[digit], 1u);
            return;
        }
        // Of candidates of the last rank all are counted here; a rank's own number is bounded when it is chosen.
        const long long share = rank >= least ? share_of(value, largest) : 0;
        if (share != 0)
        {
            const unsigned low = static_cast<unsigned>(share);
            const unsigned former = atomicAdd(&memory.sums.low[digit], low);
            const unsigned upper = static_cast<unsigned>(share >> 32) + (former + low < former ? 1u : 0u);
            if (upper != 0)
            {
                atomicAdd(&memory.sums.high[digit], upper);
            }
        }
    });
    __syncthreads();
}

__device__ inline long long sum_at(const DigitSums& sums, int digit)
{
    return static_cast<long long>(static_cast<unsigned long long>(sums.high[digit]) << 32 | sums.low[digit]);
}

/** All sums of a thread's digits, of which the first thread has the highest. */
__device__ inline long long sum_of_digits(const DigitSums& sums, int from, int each)
{
    long long sum = 0;
#pragma unroll 4
    for (int i = from; i < from + each && i < DIGITS; i++)
    {
        sum += sum_at(sums, DIGITS - 1 - i);
    }
    return sum;
}

/** The digit, from the highest on, at which the sums reach a number, with the sums before it and its own, to the memory. */
__device__ inline void find_digit(long long own, long long before, long long wanted, int from, SamplerMemory& memory)
{
    if (before >= wanted || before + own < wanted)
    {
        return;
    }
    int digit = DIGITS - 1 - from;
    while (digit > 0 && before + sum_at(memory.sums, digit) < wanted)
    {
        before += sum_at(memory.sums, digit--);
    }
    memory.digit = digit;
    memory.before = before;
    memory.inDigit = sum_at(memory.sums, digit);
}

/** Where sums by rank reach a number: the rank, the number, the sum of the higher ranks, and that of the rank. */
struct Reached
{
    unsigned rank;
    long long wanted;
    long long before;
    long long inRank;
};

/** The least integer that is not below a share of a number, and at least 1; a double holds every sum of shares. */
__device__ inline long long least_mass(float topP, long long all)
{
    const double share = __dmul_rn(static_cast<double>(topP), static_cast<double>(all));
    const long long whole = static_cast<long long>(share);
    const long long wanted = static_cast<double>(whole) < share ? whole + 1 : whole;
    return wanted < 1 ? 1 : wanted;
}

/**
 * Where counts reach {@code wanted}; or shares of tokens of at least a rank top-p of all of them, less so many of the last
 * rank that are no candidates.
 */
template <bool SHARES>
__device__ inline Reached reach(
    const Logits& logits, float largest, const Kept& candidates, long long wanted, float topP, long long surplus,
    SamplerMemory& memory)
{
    const int each = (DIGITS + static_cast<int>(blockDim.x) - 1) / static_cast<int>(blockDim.x);
    const int from = static_cast<int>(threadIdx.x) * each;
    unsigned prefix = 0;
    unsigned known = 0;
    long long before = 0;
#pragma unroll 1
    for (int shift = 32 - DIGIT_BITS; ; shift = shift > DIGIT_BITS ? shift - DIGIT_BITS : 0)
    {
        sum_digits<SHARES>(logits, largest, candidates.rank, prefix, known, shift, memory);
        const long long own = sum_of_digits(memory.sums, from, each);
        long long all;
        const long long higher = before + mass_before(own, memory, all);
        if (SHARES && known == 0)
        {
            wanted = least_mass(topP, all - surplus);
        }
        find_digit(own, higher, wanted, from, memory);
        __syncthreads();
        // The last digit begins with bits that are known already, and has the same ones.
        prefix |= static_cast<unsigned>(memory.digit) << shift;
        known = ~0u << shift;
        before = memory.before;
        if (shift == 0)
        {
            return {prefix, wanted, before, memory.inDigit};
        }
    }
}

/** The rank at which tokens counted from the highest on reach {@code wanted}, of fewer than all. */
__device__ inline Kept keep_first(const Logits& logits, int wanted, long long& inRank, SamplerMemory& memory)
{
    const Reached reached = reach<false>(logits, 0.0f, {NO_RANK, 0, false}, wanted, 0.0f, 0, memory);
    inRank = reached.inRank;
    const int equals = static_cast<int>(wanted - reached.before);
    return {reached.rank, equals, reached.inRank > equals};
}

/** Of the candidates, of whose last rank there are so many tokens, the first ones whose shares reach top-p of all. */
__device__ inline Kept keep_mass(
    const Logits& logits, float largest, float topP, const Kept& candidates, long long inRank, SamplerMemory& memory)
{
    const long long surplus = candidates.cut ?
        (inRank - candidates.equals) * share_of(score_of(candidates.rank), largest) : 0;
    const Reached reached = reach<true>(logits, largest, candidates, 0, topP, surplus, memory);
    // All tokens of a rank have one share.
    const long long each = share_of(score_of(reached.rank), largest);
    int equals = 1;
    int most = reached.rank == candidates.rank ? candidates.equals : logits.count;
    while (equals < most)
    {
        const int middle = equals + (most - equals) / 2;
        const bool less = reached.before + middle * each < reached.wanted;
        equals = less ? middle + 1 : equals;
        most = less ? most : middle;
    }
    return {reached.rank, equals, reached.inRank > equals * each};
}

/** The sum of the weights of the ids before this thread's run, and of all; by thread those of its run go to the memory. */
template <typename Weight>
__device__ inline long long sum_runs(const Logits& logits, const Weight& weight, SamplerMemory& memory, long long& all)
{
    const int length = logits.run();
    memory.masses[threadIdx.x] = 0;
    __syncthreads();
    // A warp takes a run at a time, so that it loads whole lines.
#pragma unroll 1
    for (int run = static_cast<int>(threadIdx.x) / WARP_LANES; run * length < logits.count;
        run += static_cast<int>(blockDim.x) / WARP_LANES)
    {
        const int from = run * length;
        const int end = from + length < logits.count ? from + length : logits.count;
        long long sum = 0;
        visit_logits<true>(logits.row, from + lane_index(), WARP_LANES, end, [&](int id, float logit)
        {
            sum += weight(id, logit);
        });
#pragma unroll
        for (int offset = WARP_LANES / 2; offset > 0; offset /= 2)
        {
            sum += __shfl_xor_sync(ALL_LANES, sum, offset);
        }
        if (lane_index() == 0)
        {
            memory.masses[run] = sum;
        }
    }
    __syncthreads();
    return mass_before(memory.masses[threadIdx.x], memory, all);
}

/** The first token by id at which the sum of the weights exceeds a number below their total, in all threads. */
template <typename Weight>
__device__ inline int find_token(
    const Logits& logits, const Weight& weight, long long before, long long number, SamplerMemory& memory)
{
    if (number >= before && number < before + memory.masses[threadIdx.x])
    {
        memory.found = static_cast<int>(threadIdx.x);
        memory.before = before;
    }
    __syncthreads();
    // Each thread looks at a few ids of the run.
    const int length = logits.run();
    const int each = (length + static_cast<int>(blockDim.x) - 1) / static_cast<int>(blockDim.x);
    const int start = memory.found * length;
    const int from = start + static_cast<int>(threadIdx.x) * each;
    const int last = start + length < logits.count ? start + length : logits.count;
    const int end = from + each < last ? from + each : last;
    const long long rest = number - memory.before;
    long long own = 0;
#pragma unroll 1
    for (int i = from; i < end; i++)
    {
        own += weight(i, logits.row[i]);
    }
    long long all;
    long long sum = mass_before(own, memory, all);
    if (rest >= sum && rest < sum + own)
    {
        int i = from;
#pragma unroll 1
        for (sum += weight(i, logits.row[i]); sum <= rest; sum += weight(i, logits.row[i]))
        {
            i++;
        }
        memory.found = i;
    }
    __syncthreads();
    const int found = memory.found;
    __syncthreads();
    return found;
}

/** Where the ids of the last rank end that stay; the vocabulary unless the rank is cut. */
__device__ inline int last_of(const Logits& logits, const Kept& kept, SamplerMemory& memory)
{
    if (!kept.cut)
    {
        return logits.count;
    }
    const auto equal = [&](int, float logit) { return rank_of(logits.value(logit)) == kept.rank ? 1LL : 0LL; };
    long long all;
    const long long before = sum_runs(logits, equal, memory, all);
    return find_token(logits, equal, before, kept.equals - 1, memory);
}

/** A token's log-probability is the difference less the logarithm of the sum, which the host takes in float64. */
struct LogParts
{
    float difference;
    float sum;
};

/**
 * The token's logit less the largest, of equal ones the first, which the memory has, and the sum of e^(logit - largest) in
 * 32 lanes, in the first warp, which adds them in the lanes' order while the others compute the next part of the powers.
 */
__device__ inline LogParts log_parts(const Logits& logits, int token, SamplerMemory& memory)
{
    const float largest = logits.row[memory.bestId];
    const int adding = static_cast<int>(blockDim.x) > WARP_LANES ? WARP_LANES : 0;
    const int computing = static_cast<int>(blockDim.x) - adding;
    const int thread = static_cast<int>(threadIdx.x) - adding;
    const int part = LOGITS_AHEAD * computing;
    float sum = 0.0f;
    int half = 0;
#pragma unroll 1
    for (int start = 0; start < logits.count; start += part, half ^= 1)
    {
        float* powers = memory.powers[half];
        const int end = start + part < logits.count ? start + part : logits.count;
        // Powers beyond the end have room, and are not added.
        visit_logits<false>(logits.row, thread < 0 ? end : start + thread, computing, end,
            [&](int id, float logit) { powers[id - start] = power(__fsub_rn(logit, largest)); });
        // Two halves: the first warp is through with one when the other warps are let into it again.
        __syncthreads();
        if (threadIdx.x < WARP_LANES)
        {
#pragma unroll 8
            for (int i = lane_index(); i < end - start; i += WARP_LANES)
            {
                sum = __fadd_rn(sum, powers[i]);
            }
        }
    }
    if (threadIdx.x < WARP_LANES)
    {
        sum = warp_sum(sum);
    }
    return {__fsub_rn(logits.row[token], largest), sum};
}

/** The token of an entry, in all threads; NOT_SAMPLED if a logit is no number. The memory keeps the largest logit's id. */
__device__ inline int sample(const Logits& logits, const Sampling& how, SamplerMemory& memory)
{
    find_best(logits, memory);
    if (memory.wrong != 0 || logits.greedy())
    {
        return memory.wrong != 0 ? NOT_SAMPLED : memory.bestId;
    }
    // Division rounds, but keeps the order.
    const float largest = logits.value(score_of(memory.best));
    if (largest != largest)
    {
        return NOT_SAMPLED;
    }
    Kept kept = {NO_RANK, 0, false};
    long long inRank = 0;
    if (how.topK > 0 && how.topK < logits.count)
    {
        kept = keep_first(logits, how.topK, inRank, memory);
    }
    if (how.topP < 1.0f)
    {
        kept = keep_mass(logits, largest, how.topP, kept, inRank, memory);
    }
    const int last = last_of(logits, kept, memory);
    const auto share = [&](int id, float logit)
    {
        const float value = logits.value(logit);
        const unsigned rank = rank_of(value);
        return rank > kept.rank || (rank == kept.rank && id <= last) ? share_of(value, largest) : 0LL;
    };
    long long mass;
    const long long before = sum_runs(logits, share, memory, mass);
    const unsigned long long bits =
        mixed_bits(mixed_bits(static_cast<unsigned long long>(how.seed)) + GOLDEN_GAMMA * (how.position + 1LL)) >> 1;
    return find_token(logits, share, before, static_cast<long long>(__umul64hi(bits, 2ULL * mass)), memory);
}
