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

/** Larger than every id, so that nothing loses a tie to it. */
constexpr int NOTHING = 0x7FFFFFFF;

struct RouterShape
{
    int experts;
    int topK;
    int groups;
    int topGroups;
    int renormalise;
    float scale;
};

/** An expert or a group with its score. */
struct Choice
{
    float score;
    int id;
};

/** An expert of a token's set with its weight. */
struct RoutedExpert
{
    int id;
    float weight;
};

__device__ inline bool beats(Choice left, Choice right)
{
    return left.score > right.score || (left.score == right.score && left.id < right.id);
}

/** The best choice of the warp, in all lanes. */
__device__ inline Choice warp_best(Choice best)
{
    for (int offset = WARP_LANES / 2; offset > 0; offset /= 2)
    {
        Choice other;
        other.score = __shfl_xor_sync(ALL_LANES, best.score, offset);
        other.id = __shfl_xor_sync(ALL_LANES, best.id, offset);
        if (beats(other, best))
        {
            best = other;
        }
    }
    return best;
}

/** The best expert of this lane whose bit in {@code taken} is clear. */
template <int V>
__device__ inline Choice lane_best(const float (&scores)[V], unsigned taken)
{
    Choice best = {negative_infinity(), NOTHING};
#pragma unroll
    for (int v = 0; v < V; v++)
    {
        const Choice own = {scores[v], v * WARP_LANES + lane_index()};
        if ((taken >> v & 1u) == 0 && beats(own, best))
        {
            best = own;
        }
    }
    return best;
}

/** What an expert is selected by. The bias may be null. */
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

/** Loads this lane's scores; the bits of values beyond the experts are set in the result. */
template <RouterMode MODE, typename Logit, int V>
__device__ inline unsigned load_scores(const Logit* logits, const float* bias, int experts, float (&scores)[V])
{
    // Sixteen sigmoids in a row are more code than an instruction cache likes; four keep the arithmetic busy.
    constexpr int BATCH = MODE == SIGMOID_BIAS && V > 4 ? 4 : V;
    unsigned absent = 0;
#pragma unroll
    for (int v = 0; v < V; v++)
    {
        scores[v] = negative_infinity();
    }
#pragma unroll 1
    for (int start = 0; start < V; start += BATCH)
    {
        // Registers have no index: the array moves on by one batch, and each round fills its end.
#pragma unroll
        for (int v = 0; v + BATCH < V; v++)
        {
            scores[v] = scores[v + BATCH];
        }
#pragma unroll
        for (int i = 0; i < BATCH; i++)
        {
            const int expert = (start + i) * WARP_LANES + lane_index();
            scores[V - BATCH + i] = negative_infinity();
            if (expert < experts)
            {
                scores[V - BATCH + i] = selection_score<MODE>(to_float(logits[expert]), bias, expert);
            }
            else
            {
                absent |= 1u << (start + i);
            }
        }
    }
    return absent;
}

/** The sum of the two best scores of the experts [from, to), or the only one's score. */
template <int V>
__device__ inline float group_score(const float (&scores)[V], int from, int to)
{
    float first = negative_infinity();
    float second = negative_infinity();
#pragma unroll
    for (int v = 0; v < V; v++)
    {
        const int expert = v * WARP_LANES + lane_index();
        if (expert >= from && expert < to)
        {
            const float smaller = scores[v] > first ? first : scores[v];
            first = scores[v] > first ? scores[v] : first;
            second = smaller > second ? smaller : second;
        }
    }
#pragma unroll
    for (int offset = WARP_LANES / 2; offset > 0; offset /= 2)
    {
        const float otherFirst = __shfl_xor_sync(ALL_LANES, first, offset);
        const float otherSecond = __shfl_xor_sync(ALL_LANES, second, offset);
        const float smaller = otherFirst > first ? first : otherFirst;
        first = otherFirst > first ? otherFirst : first;
        second = otherSecond > second ? otherSecond : second;
        second = smaller > second ? smaller : second;
    }
    return to - from == 1 ? first : ordered(__fadd_rn(first, second));
}

/** A bit for each of the best groups. Lane g holds the score of group g. */
template <int V>
__device__ inline unsigned best_groups(const float (&scores)[V], const RouterShape& shape)
{
    const int size = shape.experts / shape.groups;
    Choice own = {negative_infinity(), NOTHING};
#pragma unroll 1
    for (int group = 0; group < shape.groups; group++)
    {
        const float score = group_score<V>(scores, group * size, (group + 1) * size);
        if (lane_index() == group)
        {
            own.score = score;
            own.id = group;
        }
    }
    unsigned kept = 0;
#pragma unroll 1
    for (int i = 0; i < shape.topGroups; i++)
    {
        const Choice best = warp_best(own);
        kept |= 1u << best.id;
        if (lane_index() == best.id)
        {
            own.score = negative_infinity();
            own.id = NOTHING;
        }
    }
    return kept;
}

/** The bits of this lane's experts whose group is not among the best. */
template <int V>
__device__ inline unsigned outside_best_groups(const float (&scores)[V], const RouterShape& shape)
{
    const unsigned kept = best_groups<V>(scores, shape);
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
 * K rounds of a warp's maximum. Experts that were taken leave by their bit and not by a score of -infinity, which
 * others may have as well: so a set never holds an expert twice.
 */
template <int V>
__device__ inline Choice select_top_k(const float (&scores)[V], unsigned taken, int topK)
{
    Choice chosen = {0.0f, 0};
#pragma unroll 1
    for (int k = 0; k < topK; k++)
    {
        const Choice best = warp_best(lane_best<V>(scores, taken));
        if (lane_index() == k)
        {
            chosen = best;
        }
        if (lane_index() == best.id % WARP_LANES)
        {
            taken |= 1u << best.id / WARP_LANES;
        }
    }
    return chosen;
}

/** The softmax's denominator over all experts: per lane over v, then across the warp. */
template <int V>
__device__ inline float softmax_total(const float (&scores)[V], int experts, float maximum)
{
    float sum = 0.0f;
#pragma unroll
    for (int v = 0; v < V; v++)
    {
        if (v * WARP_LANES + lane_index() < experts)
        {
            sum = __fadd_rn(sum, exponential_below(scores[v], maximum));
        }
    }
    return warp_sum(sum);
}

/** The weight of this lane's choice, 0 in lanes from K. */
template <RouterMode MODE, typename Logit, int V>
__device__ inline float choice_weight(
    const Logit* logits, const float (&scores)[V], const RouterShape& shape, Choice chosen)
{
    const bool holds = lane_index() < shape.topK;
    float weight;
    if (MODE == SIGMOID_BIAS)
    {
        weight = holds ? sigmoid(ordered(to_float(logits[chosen.id]))) : 0.0f;
    }
    else
    {
        const float maximum = __shfl_sync(ALL_LANES, chosen.score, 0);
        const float power = holds ? exponential_below(chosen.score, maximum) : 0.0f;
        const float total =
            MODE == SOFTMAX_TOPK ? softmax_total<V>(scores, shape.experts, maximum) : sum_in_order(power, shape.topK);
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
    float scores[V];
    unsigned taken = load_scores<MODE, Logit, V>(logits, bias, shape.experts, scores);
    if (MODE == SIGMOID_BIAS && shape.groups > 1)
    {
        taken |= outside_best_groups<V>(scores, shape);
    }
    const Choice chosen = select_top_k<V>(scores, taken, shape.topK);
    RoutedExpert routed = {chosen.id, 0.0f};
    if (weighted)
    {
        routed.weight = choice_weight<MODE, Logit, V>(logits, scores, shape, chosen);
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
