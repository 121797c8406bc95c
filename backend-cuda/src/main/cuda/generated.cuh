// SPDX-License-Identifier: Apache-2.0
// Weights of any shape from a seed, with the bits of GeneratedModel.java: each is a function of a key, made of seed and
// tensor, and of its index.
#pragma once

#include "forward.cuh"
#include "sampler.cuh"

/** The upper 24 bits of a number make an odd one between -2^24 and 2^24, which a float32 holds exactly. */
constexpr int ODD_SHIFT = 40;

__device__ inline void store_rounded(float* to, float value)
{
    *to = value;
}

__device__ inline void store_rounded(unsigned short* to, float value)
{
    store(to, nearest_bf16(value));
}

template <typename Weight>
__device__ inline void generate(Weight* weights, long long count, long long key, float unit)
{
#pragma unroll 1
    for (long long i = grid_thread(); i < count; i += grid_threads())
    {
        const unsigned long long bits =
            mixed_bits(static_cast<unsigned long long>(key) + static_cast<unsigned long long>(i + 1) * GOLDEN_GAMMA);
        const int odd = 2 * static_cast<int>(bits >> ODD_SHIFT) + 1 - (1 << 24);
        store_rounded(weights + i, __fmul_rn(static_cast<float>(odd), unit));
    }
}
