// SPDX-License-Identifier: Apache-2.0
// Steps without a model: logits and tokens are pure functions of what they belong to, which Java computes as well.
#pragma once

#include "step.cuh"

constexpr unsigned long long REQUEST_GAMMA = 0x9E3779B97F4A7C15ull;
constexpr unsigned long long POSITION_GAMMA = 0xD1B54A32D192ED03ull;
constexpr unsigned long long LAYER_GAMMA = 0x8CB92BA72F3D8DD7ull;
constexpr unsigned long long EXPERT_GAMMA = 0xABC98388FB8FAC03ull;
constexpr unsigned TOKEN_ID_MASK = 0xFFFFu;
/** Steps of 1/32 up to 8 on either side fit the 8 significant bits of bf16. */
constexpr float LOGIT_STEP = 0.03125f;

/** The finaliser of SplitMix64. */
__device__ inline unsigned long long mix_bits(unsigned long long value)
{
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
    return value ^ (value >> 31);
}

/** The seed with a part each for the request and its position, which is not negative. */
__device__ inline unsigned long long place_key(long long seed, long long request, int position)
{
    return static_cast<unsigned long long>(seed) + static_cast<unsigned long long>(request) * REQUEST_GAMMA +
        static_cast<unsigned long long>(position) * POSITION_GAMMA;
}

/** The token that is sampled at a position, as the simulated backend samples it. */
__device__ inline unsigned seeded_token(long long seed, long long request, int position)
{
    return static_cast<unsigned>(mix_bits(place_key(seed, request, position))) & TOKEN_ID_MASK;
}

/** One of {@code levels} values around 0, 1 to 512 of them. */
__device__ inline float seeded_logit(unsigned long long placeKey, int layer, int expert, int levels)
{
    const unsigned long long key = placeKey + static_cast<unsigned long long>(layer + 1) * LAYER_GAMMA +
        static_cast<unsigned long long>(expert) * EXPERT_GAMMA;
    const int level = static_cast<int>((mix_bits(key) >> 32) * static_cast<unsigned long long>(levels) >> 32);
    return static_cast<float>(level - levels / 2) * LOGIT_STEP;
}
