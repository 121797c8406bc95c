// SPDX-License-Identifier: Apache-2.0
// The declarations that a .cu file sees in place of the CUDA compiler's. A missing one does not compile: add it, with the
// device's meaning, or do without it. Floating point is IEEE single precision without fused multiply-add, as the build
// passes -ffp-contract=off.
#pragma once

#include "block.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#define __global__
#define __device__ __attribute__((unused))
#define __host__
#define __constant__ static const
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __shared__ static thread_local
#define DYNAMIC_SHARED(type, name) type* name = reinterpret_cast<type*>(::emulated::here.dynamic_shared)

#define threadIdx (::emulated::here.thread)
#define blockIdx (::emulated::here.block)
#define blockDim (::emulated::here.threads)
#define gridDim (::emulated::here.blocks)
constexpr int warpSize = 32;

struct alignas(8) int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };

inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

namespace emulated
{
template<typename To, typename From>
inline To bits(const From from)
{
    static_assert(sizeof(To) == sizeof(From), "a bit cast keeps the size");
    To to;
    std::memcpy(&to, &from, sizeof(To));
    return to;
}

template<typename T>
inline T shuffle(const Collective kind, const std::uint32_t mask, const T value, const std::uint32_t operand,
    const int width, const char* file, const int line)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a shuffle moves 4 or 8 bytes");
    std::uint64_t raw = 0;
    std::memcpy(&raw, &value, sizeof(T));
    raw = here.engine->collect(kind, mask, raw, operand, static_cast<std::uint32_t>(width), file, line);
    T result;
    std::memcpy(&result, &raw, sizeof(T));
    return result;
}

// Applies a change to a word until no other thread changed it meanwhile.
template<typename T, typename Change>
inline T update(T* address, const Change& change)
{
    using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    Word* word = reinterpret_cast<Word*>(address);
    Word old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(
        word, &old, bits<Word>(change(bits<T>(old))), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    {
    }
    return bits<T>(old);
}
}

#define EMULATED_SITE const char* file = __builtin_FILE(), int line = __builtin_LINE()

inline void __syncthreads(EMULATED_SITE)
{
    emulated::here.engine->barrier(file, line);
}

inline void __syncwarp(unsigned mask = ~0U, EMULATED_SITE)
{
    emulated::here.engine->collect(emulated::Collective::sync_warp, mask, 0, 0, 32, file, line);
}

template<typename T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, EMULATED_SITE)
{
    return emulated::shuffle(
        emulated::Collective::shuffle, mask, value, static_cast<unsigned>(source), width, file, line);
}

template<typename T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, EMULATED_SITE)
{
    return emulated::shuffle(emulated::Collective::shuffle_up, mask, value, delta, width, file, line);
}

template<typename T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, EMULATED_SITE)
{
    return emulated::shuffle(emulated::Collective::shuffle_down, mask, value, delta, width, file, line);
}

template<typename T>
inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, EMULATED_SITE)
{
    return emulated::shuffle(
        emulated::Collective::shuffle_xor, mask, value, static_cast<unsigned>(lanes), width, file, line);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, EMULATED_SITE)
{
    return static_cast<unsigned>(emulated::here.engine->collect(
        emulated::Collective::ballot, mask, predicate != 0, 0, 32, file, line));
}

inline int __any_sync(unsigned mask, int predicate, EMULATED_SITE)
{
    return static_cast<int>(emulated::here.engine->collect(
        emulated::Collective::any, mask, predicate != 0, 0, 32, file, line));
}

inline int __all_sync(unsigned mask, int predicate, EMULATED_SITE)
{
    return static_cast<int>(emulated::here.engine->collect(
        emulated::Collective::all, mask, predicate != 0, 0, 32, file, line));
}

template<typename T>
inline T __reduce_add_sync(unsigned mask, T value, EMULATED_SITE)
{
    return static_cast<T>(emulated::here.engine->collect(emulated::Collective::reduce_add, mask,
        static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), 0, 32, file, line));
}

template<typename T>
inline T __reduce_min_sync(unsigned mask, T value, EMULATED_SITE)
{
    return static_cast<T>(emulated::here.engine->collect(emulated::Collective::reduce_min, mask,
        static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), 0, 32, file, line));
}

template<typename T>
inline T __reduce_max_sync(unsigned mask, T value, EMULATED_SITE)
{
    return static_cast<T>(emulated::here.engine->collect(emulated::Collective::reduce_max, mask,
        static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), 0, 32, file, line));
}

template<typename T>
inline T atomicAdd(T* address, std::common_type_t<T> value)
{
    return emulated::update(address, [value](const T old) { return static_cast<T>(old + value); });
}

template<typename T>
inline T atomicMax(T* address, std::common_type_t<T> value)
{
    return emulated::update(address, [value](const T old) { return old < value ? value : old; });
}

template<typename T>
inline T atomicMin(T* address, std::common_type_t<T> value)
{
    return emulated::update(address, [value](const T old) { return value < old ? value : old; });
}

template<typename T>
inline T atomicOr(T* address, std::common_type_t<T> value)
{
    return emulated::update(address, [value](const T old) { return static_cast<T>(old | value); });
}

template<typename T>
inline T atomicExch(T* address, std::common_type_t<T> value)
{
    return emulated::update(address, [value](const T) { return value; });
}

template<typename T>
inline T atomicCAS(T* address, std::common_type_t<T> expected, std::common_type_t<T> value)
{
    return emulated::update(address, [=](const T old) { return old == expected ? value : old; });
}

inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
[[noreturn]] inline void __trap() { emulated::here.engine->fail("__trap"); }

inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline int __float2int_rn(float a) { return static_cast<int>(std::nearbyint(a)); }
inline int __float2int_rd(float a) { return static_cast<int>(std::floor(a)); }
inline int __float2int_rz(float a) { return static_cast<int>(a); }
inline float __int2float_rn(int a) { return static_cast<float>(a); }
inline float __uint2float_rn(unsigned a) { return static_cast<float>(a); }

inline int __float_as_int(float a) { return emulated::bits<int>(a); }
inline unsigned __float_as_uint(float a) { return emulated::bits<unsigned>(a); }
inline float __int_as_float(int a) { return emulated::bits<float>(a); }
inline float __uint_as_float(unsigned a) { return emulated::bits<float>(a); }
inline long long __double_as_longlong(double a) { return emulated::bits<long long>(a); }
inline double __longlong_as_double(long long a) { return emulated::bits<double>(a); }

inline int __popc(unsigned a) { return __builtin_popcount(a); }
inline int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
inline int __ffs(int a) { return __builtin_ffs(a); }
inline int __ffsll(long long a) { return __builtin_ffsll(a); }
inline int __clz(int a) { return a == 0 ? 32 : __builtin_clz(static_cast<unsigned>(a)); }
inline int __clzll(long long a) { return a == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(a)); }
inline unsigned __umulhi(unsigned a, unsigned b)
{
    return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}

template<typename T> inline T __ldg(const T* address) { return *address; }
template<typename T> inline T __ldcs(const T* address) { return *address; }
template<typename T> inline T __ldcg(const T* address) { return *address; }
template<typename T> inline void __stcs(T* address, T value) { *address = value; }
template<typename T> inline void __stcg(T* address, T value) { *address = value; }

template<typename T> inline T min(T a, std::common_type_t<T> b) { return b < a ? b : a; }
template<typename T> inline T max(T a, std::common_type_t<T> b) { return a < b ? b : a; }
inline float min(float a, float b) { return std::fmin(a, b); }
inline float max(float a, float b) { return std::fmax(a, b); }

#include "tensor_shim.h"
