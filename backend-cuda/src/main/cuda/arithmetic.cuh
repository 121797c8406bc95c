// SPDX-License-Identifier: Apache-2.0
// Single precision with the same bits everywhere: each operation is rounded to nearest on its own, none is fused, and
// the exponential is made of such operations only. RouterArithmetic.java repeats it step by step.
#pragma once

constexpr unsigned INFINITY_BITS = 0x7F800000u;
constexpr unsigned NEGATIVE_INFINITY_BITS = 0xFF800000u;

__device__ inline float positive_infinity()
{
    return __uint_as_float(INFINITY_BITS);
}

__device__ inline float negative_infinity()
{
    return __uint_as_float(NEGATIVE_INFINITY_BITS);
}

/** NaN counts as -infinity, so that scores have a total order. */
__device__ inline float ordered(float value)
{
    return value == value ? value : negative_infinity();
}

__device__ inline float power_of_two(int exponent)
{
    return __uint_as_float(static_cast<unsigned>(exponent + 127) << 23);
}

/** e^r for |r| <= ln(2) / 2: the Taylor polynomial of degree 7, whose remainder is below a tenth of an ulp. */
__device__ inline float exponential_near_zero(float r)
{
    float p = 1.0f / 5040.0f;
    p = __fadd_rn(__fmul_rn(p, r), 1.0f / 720.0f);
    p = __fadd_rn(__fmul_rn(p, r), 1.0f / 120.0f);
    p = __fadd_rn(__fmul_rn(p, r), 1.0f / 24.0f);
    p = __fadd_rn(__fmul_rn(p, r), 1.0f / 6.0f);
    p = __fadd_rn(__fmul_rn(p, r), 0.5f);
    return __fadd_rn(1.0f, __fadd_rn(r, __fmul_rn(__fmul_rn(r, r), p)));
}

/** e^x within 2 ulp; 0 below -104 and for NaN, infinity above the largest float, subnormal results included. */
__device__ inline float exponential(float x)
{
    // At the bounds the result is 0 and infinity already, so that beyond them nothing needs a branch.
    const float bounded = x >= -104.0f ? (x > 89.0f ? 89.0f : x) : -104.0f;
    // Adding 1.5 * 2^23 rounds to an integer, which the low bits then hold.
    const float shifted = __fadd_rn(__fmul_rn(bounded, 1.44269504f), 12582912.0f);
    const int exponent = __float_as_int(shifted) - 0x4B400000;
    const float whole = __fsub_rn(shifted, 12582912.0f);
    // ln(2) in two parts, of which the first has so few bits that its product with an exponent is exact.
    const float high = __fsub_rn(bounded, __fmul_rn(whole, 0.693359375f));
    const float r = __fsub_rn(high, __fmul_rn(whole, -2.12194440e-4f));
    // In two halves, since 2^128 and 2^-150 are no floats while results next to them are.
    const int half = exponent / 2;
    return __fmul_rn(__fmul_rn(exponential_near_zero(r), power_of_two(half)), power_of_two(exponent - half));
}

/** e^(x - maximum), where equal infinities differ by nothing. */
__device__ inline float exponential_below(float x, float maximum)
{
    return exponential(x == maximum ? 0.0f : __fsub_rn(x, maximum));
}

__device__ inline float sigmoid(float x)
{
    return __fdiv_rn(1.0f, __fadd_rn(1.0f, exponential(-x)));
}

/** The sum over a warp, with the same bits in all lanes: addition commutes, so both sides of an exchange agree. */
__device__ inline float warp_sum(float value)
{
    for (int offset = WARP_LANES / 2; offset > 0; offset /= 2)
    {
        value = __fadd_rn(value, __shfl_xor_sync(ALL_LANES, value, offset));
    }
    return value;
}

/** The sum of the first lanes' values, lane 0 first. */
__device__ inline float sum_in_order(float value, int count)
{
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < count; k++)
    {
        sum = __fadd_rn(sum, __shfl_sync(ALL_LANES, value, k));
    }
    return sum;
}

/** A logit as float; bf16 is the upper half of one. */
__device__ inline float to_float(unsigned short bits)
{
    return __uint_as_float(static_cast<unsigned>(bits) << 16);
}

__device__ inline float to_float(float value)
{
    return value;
}
