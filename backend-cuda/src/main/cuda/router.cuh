// SPDX-License-Identifier: Apache-2.0
// Router top-k: one warp per token. Lane l holds the experts l, l + 32, l + 64, ... in V registers, so that loads are
// coalesced; after the selection, lane k holds choice k.
#pragma once

#include "step.cuh"
#include "arithmetic.cuh"

enum RouterMode
{
    SOFTMAX_TOPK,
    TOPK_SOFTMAX,
    SIGMOID_BIAS
};

/** Larger than every id. */
constexpr int NOTHING = 0x7FFFFFFF;
/** Below the rank of every score, -infinity included. */
constexpr unsigned NO_RANK = 0;

struct RouterShape
{
    int experts;
    int topK;
    int groups;
    int topGroups;
    int renormalise;
    float scale;
};

/** An expert of a token's set with its weight. */
struct RoutedExpert
{
    int id;
    float weight;
};

/**
 * A score as an integer of the same order, since a warp finds the largest integer in one instruction. Adding 0 makes the
 * two zeros one.
 */
__device__ inline unsigned rank_of(float score)
{
    const unsigned bits = __float_as_uint(__fadd_rn(score, 0.0f));
    return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}

__device__ inline float score_of(unsigned rank)
{
    return __uint_as_float((rank >> 31) != 0 ? rank & 0x7FFFFFFFu : ~rank);
}

/** The id of the highest rank in the warp, of equal ones the lowest, in all lanes. */
__device__ inline int warp_best(unsigned rank, int id)
{
    const unsigned best = __reduce_max_sync(ALL_LANES, rank);
    return static_cast<int>(__reduce_min_sync(ALL_LANES, static_cast<unsigned>(rank == best ? id : NOTHING)));
}

/** The score by which an expert is selected. The bias may be null. */
template <RouterMode MODE>
__device__ inline float selection_score(float logit, const float* bias, int expert)
{
    if (MODE != SIGMOID_BIAS)
    {
        return ordered(logit);
    }
    if (logit != logit)
    {
        return negative_infinity();
    }
    const float score = sigmoid(logit);
    return bias == nullptr ? score : ordered(__fadd_rn(score, bias[expert]));
}

/** Scores that a thread loads before it looks at the first. */
constexpr int SCORES_AHEAD = 16;

/** Whether a block finds a score by which no expert can be chosen: a sigmoid is finite unless its argument is NaN. */
__device__ inline bool has_wrong_score(const float* logits, long long count, int sigmoid)
{
    bool wrong = false;
#pragma unroll 1
    for (long long first = threadIdx.x; first < count; first += SCORES_AHEAD * blockDim.x)
    {
        float score[SCORES_AHEAD];
#pragma unroll
        for (int j = 0; j < SCORES_AHEAD; j++)
        {
            const long long i = first + j * static_cast<int>(blockDim.x);
            score[j] = i < count ? logits[i] : 0.0f;
        }
#pragma unroll
        for (int j = 0; j < SCORES_AHEAD; j++)
        {
            wrong |= sigmoid != 0 ? score[j] != score[j] : __fsub_rn(score[j], score[j]) != 0.0f;
        }
    }
    return wrong;
}

/** Loads the ranks of this lane's experts; the bits of values beyond the experts are set in the result. */
template <RouterMode MODE, typename Logit, int V>
__device__ inline unsigned load_ranks(const Logit* logits, const float* bias, int experts, unsigned (&ranks)[V])
{
    // Sixteen sigmoids in a row are more code than an instruction cache likes; four keep the arithmetic busy.
    constexpr int BATCH = MODE == SIGMOID_BIAS && V > 4 ? 4 : V;
    unsigned absent = 0;
#pragma unroll
    for (int v = 0; v < V; v++)
    {
        ranks[v] = NO_RANK;
    }
#pragma unroll 1
    for (int start = 0; start < V; start += BATCH)
    {
        // Registers have no index: the array moves on by one batch, and each round fills its end.
#pragma unroll
        for (int v = 0; v + BATCH < V; v++)
        {
            ranks[v] = ranks[v + BATCH];
        }
#pragma unroll
        for (int i = 0; i < BATCH; i++)
        {
            const int expert = (start + i) * WARP_LANES + lane_index();
            ranks[V - BATCH + i] = NO_RANK;
            if (expert < experts)
            {
                ranks[V - BATCH + i] = rank_of(selection_score<MODE>(to_float(logits[expert]), bias, expert));
            }
            else
            {
                absent |= 1u << (start + i);
            }
        }
    }
    return absent;
}

/** The rank of the sum of the two best scores of the experts [from, to), or of the only one. */
template <int V>
__device__ inline unsigned group_rank(const unsigned (&ranks)[V], int from, int to)
{
    unsigned first = NO_RANK;
    unsigned second = NO_RANK;
#pragma unroll
    for (int v = 0; v < V; v++)
    {
        const int expert = v * WARP_LANES + lane_index();
        if (expert >= from && expert < to)
        {
            const unsigned smaller = ranks[v] > first ? first : ranks[v];
            first = ranks[v] > first ? ranks[v] : first;
            second = smaller > second ? smaller : second;
        }
    }
    const unsigned best = __reduce_max_sync(ALL_LANES, first);
    const int owner = __ffs(static_cast<int>(__ballot_sync(ALL_LANES, first == best))) - 1;
    const unsigned next = __reduce_max_sync(ALL_LANES, lane_index() == owner ? second : first);
    return to - from == 1 ? best : rank_of(ordered(__fadd_rn(score_of(best), score_of(next))));
}

/** A bit for each of the best groups. Lane g holds the rank of group g. */
template <int V>
__device__ inline unsigned best_groups(const unsigned (&ranks)[V], const RouterShape& shape)
{
    const int size = shape.experts / shape.groups;
    unsigned own = NO_RANK;
#pragma unroll 1
    for (int group = 0; group < shape.groups; group++)
    {
        const unsigned rank = group_rank<V>(ranks, group * size, (group + 1) * size);
        own = lane_index() == group ? rank : own;
    }
    unsigned kept = 0;
#pragma unroll 1
    for (int i = 0; i < shape.topGroups; i++)
    {
        const int best = warp_best(own, lane_index());
        kept |= 1u << best;
        own = lane_index() == best ? NO_RANK : own;
    }
    return kept;
}

/** The bits of this lane's experts whose group is not among the best. */
template <int V>
__device__ inline unsigned outside_best_groups(const unsigned (&ranks)[V], const RouterShape& shape)
{
    const unsigned kept = best_groups<V>(ranks, shape);
    const int size = shape.experts / shape.groups;
    unsigned outside = (1u << V) - 1u;
#pragma unroll 1
    for (unsigned left = kept; left != 0; left &= left - 1)
    {
        const int from = (__ffs(static_cast<int>(left)) - 1) * size;
#pragma unroll
        for (int v = 0; v < V; v++)
        {
            const int expert = v * WARP_LANES + lane_index();
            if (expert >= from && expert < from + size)
            {
                outside &= ~(1u << v);
            }
        }
    }
    return outside;
}

/**
 * K rounds of a warp's maximum; lane k gets the id of round k, lanes from K get 0. Experts that were taken leave by their
 * bit and not by a score of -infinity, which others may have as well: so a set never holds an expert twice.
 */
template <int V>
__device__ inline int select_top_k(const unsigned (&ranks)[V], unsigned taken, int topK)
{
    int chosen = 0;
#pragma unroll 1
    for (int k = 0; k < topK; k++)
    {
        unsigned rank = NO_RANK;
        int id = NOTHING;
#pragma unroll
        for (int v = 0; v < V; v++)
        {
            if ((taken >> v & 1u) == 0 && ranks[v] > rank)
            {
                rank = ranks[v];
                id = v * WARP_LANES + lane_index();
            }
        }
        const int best = warp_best(rank, id);
        chosen = lane_index() == k ? best : chosen;
        if (lane_index() == best % WARP_LANES)
        {
            taken |= 1u << best / WARP_LANES;
        }
    }
    return chosen;
}

/** The softmax's denominator over all experts: per lane over v, then across the warp. */
template <int V>
__device__ inline float softmax_total(const unsigned (&ranks)[V], int experts, float maximum)
{
    float sum = 0.0f;
#pragma unroll
    for (int v = 0; v < V; v++)
    {
        if (v * WARP_LANES + lane_index() < experts)
        {
            sum = __fadd_rn(sum, exponential_below(score_of(ranks[v]), maximum));
        }
    }
    return warp_sum(sum);
}

/** The weight of the choice whose logit is given, in lanes below K; 0 in the others. */
template <RouterMode MODE, int V>
__device__ inline float choice_weight(float logit, const unsigned (&ranks)[V], const RouterShape& shape)
{
    const bool holds = lane_index() < shape.topK;
    float weight;
    if (MODE == SIGMOID_BIAS)
    {
        weight = holds ? sigmoid(logit) : 0.0f;
    }
    else
    {
        const float maximum = __shfl_sync(ALL_LANES, logit, 0);
        const float power = holds ? exponential_below(logit, maximum) : 0.0f;
        const float total =
            MODE == SOFTMAX_TOPK ? softmax_total<V>(ranks, shape.experts, maximum) : warp_sum(power);
        weight = __fdiv_rn(power, total);
    }
    if (shape.renormalise != 0)
    {
        const float sum = sum_in_order(weight, shape.topK);
        weight = __fdiv_rn(weight, MODE == SIGMOID_BIAS ? __fadd_rn(sum, 1e-20f) : sum);
    }
    return __fmul_rn(weight, shape.scale);
}

/** Routes the token of this warp; lane k gets expert k of its set. */
template <RouterMode MODE, typename Logit, int V>
__device__ inline RoutedExpert route_token(
    const Logit* logits, const float* bias, const RouterShape& shape, bool weighted)
{
    unsigned ranks[V];
    unsigned taken = load_ranks<MODE, Logit, V>(logits, bias, shape.experts, ranks);
    if (MODE == SIGMOID_BIAS && shape.groups > 1)
    {
        taken |= outside_best_groups<V>(ranks, shape);
    }
    RoutedExpert routed = {select_top_k<V>(ranks, taken, shape.topK), 0.0f};
    if (weighted)
    {
        // Read again, since which register of which lane holds it is not known before.
        routed.weight = choice_weight<MODE, V>(ordered(to_float(logits[routed.id])), ranks, shape);
    }
    return routed;
}

/** The fused and, without a capture view, the unfused form. */
template <RouterMode MODE, typename Logit, int V>
__device__ inline void route(
    const unsigned char* step, const void* logits, const float* bias, const RouterShape& shape, int* ids,
    float* weights, short* captureLayer, long long slotStride)
{
    const int token = warp_token();
    if (token >= step_header(step)->tokens)
    {
        return;
    }
    const Logit* row = static_cast<const Logit*>(logits) + static_cast<long long>(token) * shape.experts;
    const RoutedExpert routed = route_token<MODE, Logit, V>(row, bias, shape, weights != nullptr);
    if (lane_index() >= shape.topK)
    {
        return;
    }
    const long long at = static_cast<long long>(token) * shape.topK + lane_index();
    if (ids != nullptr)
    {
        ids[at] = routed.id;
    }
    if (weights != nullptr)
    {
        weights[at] = routed.weight;
    }
    if (captureLayer != nullptr)
    {
        captureLayer[step_header(step)->slot * slotStride + at] = static_cast<short>(routed.id);
    }
}

/** The form that shows no ids: only what the chosen experts gave leaves it. */
template <RouterMode MODE, typename Logit, int V>
__device__ inline void route_and_mix(
    const unsigned char* step, const void* logits, const float* bias, const RouterShape& shape,
    const float* expertOutputs, int width, float* mixed)
{
    const int token = warp_token();
    if (token >= step_header(step)->tokens)
    {
        return;
    }
    const Logit* row = static_cast<const Logit*>(logits) + static_cast<long long>(token) * shape.experts;
    const RoutedExpert routed = route_token<MODE, Logit, V>(row, bias, shape, true);
#pragma unroll 1
    for (int start = 0; start < width; start += WARP_LANES)
    {
        const int column = start + lane_index();
        float sum = 0.0f;
#pragma unroll 1
        for (int k = 0; k < shape.topK; k++)
        {
            const int expert = __shfl_sync(ALL_LANES, routed.id, k);
            const float weight = __shfl_sync(ALL_LANES, routed.weight, k);
            if (column < width)
            {
                const float output = expertOutputs[static_cast<long long>(expert) * width + column];
                sum = __fadd_rn(sum, __fmul_rn(weight, output));
            }
        }
        if (column < width)
        {
            mixed[static_cast<long long>(token) * width + column] = sum;
        }
    }
}
