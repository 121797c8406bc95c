// SPDX-License-Identifier: Apache-2.0
// What a kernel is compiled with that PtxTranslator made of the shipped PTX: a function for each instruction, by its name
// and its type, after the PTX ISA. A missing one does not compile: add it, with the meaning that the ISA gives it.
#pragma once

#include "device_shim.h"
#include "kernels.h"

#include <limits>

namespace ptx
{
using pred = bool;
using b16 = std::uint16_t;
using u16 = std::uint16_t;
using s16 = std::int16_t;
using b8 = std::uint8_t;
using u8 = std::uint8_t;
using s8 = std::int8_t;
using b32 = std::uint32_t;
using u32 = std::uint32_t;
using s32 = std::int32_t;
using f32 = float;
using b64 = std::uint64_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;
using f64 = double;

// A register as an instruction of this type reads it: its lower bits.
template<typename To, typename From>
inline To as(const From from)
{
    if constexpr (sizeof(To) == sizeof(From))
    {
        return emulated::bits<To>(from);
    }
    else
    {
        static_assert(sizeof(To) < sizeof(From) && std::is_integral<From>::value, "a register has at least the type's bits");
        return static_cast<To>(from);
    }
}

// Stores a result; a wider register is filled by the type's sign.
template<typename Register, typename T>
inline void set(Register& to, const T value)
{
    if constexpr (sizeof(Register) == sizeof(T))
    {
        to = emulated::bits<Register>(value);
    }
    else
    {
        static_assert(sizeof(T) < sizeof(Register) && std::is_integral<T>::value, "a register holds the whole result");
        to = static_cast<Register>(static_cast<std::conditional_t<std::is_signed<T>::value, s64, u64>>(value));
    }
}

template<typename T> using Unsigned = std::make_unsigned_t<T>;
template<typename T> constexpr unsigned width_of = 8 * sizeof(T);
template<typename T> constexpr bool is_float = std::is_floating_point<T>::value;

template<typename T>
using Wide = std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed<T>::value, s32, u32>,
    std::conditional_t<std::is_signed<T>::value, s64, u64>>;

template<typename T> inline T add(T a, T b) { return static_cast<T>(Unsigned<T>(a) + Unsigned<T>(b)); }
template<typename T> inline T sub(T a, T b) { return static_cast<T>(Unsigned<T>(a) - Unsigned<T>(b)); }
template<typename T> inline T mul_lo(T a, T b) { return static_cast<T>(u64(a) * u64(b)); }
template<typename T> inline T mad_lo(T a, T b, T c) { return add<T>(mul_lo<T>(a, b), c); }
template<typename T> inline Wide<T> mul_wide(T a, T b) { return static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b); }

template<typename T>
inline T mul_hi(T a, T b)
{
    using Product = std::conditional_t<std::is_signed<T>::value, __int128, unsigned __int128>;
    return static_cast<T>(static_cast<Product>(a) * static_cast<Product>(b) >> width_of<T>);
}

// Of nothing: the ISA leaves it open; a device answers all ones.
template<typename T>
inline T div(T a, T b)
{
    static_assert(!is_float<T>, "a division that may be approximate");
    return b == 0 ? static_cast<T>(-1) : std::is_signed<T>::value && b == static_cast<T>(-1) ? sub<T>(0, a) : a / b;
}

template<typename T> inline T rem(T a, T b) { return b == 0 ? a : sub<T>(a, mul_lo<T>(div<T>(a, b), b)); }
template<typename T> inline T min(T a, T b) { static_assert(!is_float<T>); return b < a ? b : a; }
template<typename T> inline T max(T a, T b) { static_assert(!is_float<T>); return a < b ? b : a; }

// In single precision, without contraction: the build passes -ffp-contract=off.
template<typename T> inline T add_rn(T a, T b) { static_assert(is_float<T>); return a + b; }
template<typename T> inline T sub_rn(T a, T b) { static_assert(is_float<T>); return a - b; }
template<typename T> inline T mul_rn(T a, T b) { static_assert(is_float<T>); return a * b; }
template<typename T> inline T div_rn(T a, T b) { static_assert(is_float<T>); return a / b; }
template<typename T> inline T sqrt_rn(T a) { return std::sqrt(a); }

template<typename T>
inline T neg(T a)
{
    if constexpr (is_float<T>)
    {
        return -a;
    }
    else
    {
        return sub<T>(0, a);
    }
}

template<typename T> inline T and_(T a, T b) { return a & b; }
template<typename T> inline T or_(T a, T b) { return a | b; }
template<typename T> inline T xor_(T a, T b) { return a ^ b; }
template<typename T> inline T not_(T a) { return std::is_same<T, pred>::value ? !a : static_cast<T>(~a); }

template<typename T> inline T shl(T a, u32 by) { return by >= width_of<T> ? 0 : static_cast<T>(Unsigned<T>(a) << by); }

template<typename T>
inline T shr(T a, u32 by)
{
    return static_cast<T>(by >= width_of<T> ? (a < 0 ? -1 : 0) : a >> by);
}

inline u32 reversed(u32 a)
{
    u32 result = 0;
    for (unsigned i = 0; i < 32; i++)
    {
        result |= (a >> i & 1U) << (31 - i);
    }
    return result;
}

template<typename T> inline u32 popc(T a) { return static_cast<u32>(__builtin_popcountll(a)); }
template<typename T> inline T brev(T a) { static_assert(sizeof(T) == 4); return reversed(a); }

// By how much a is shifted to the left until its highest bit that is set is the highest of all.
template<typename T>
inline u32 bfind_shiftamt(T a)
{
    static_assert(std::is_same<T, u32>::value, "of a signed number another bit is found");
    return a == 0 ? ~0U : static_cast<u32>(__builtin_clz(a));
}

template<typename T>
inline T bfi(T a, T b, u32 position, u32 length)
{
    const u32 at = position & 0xFF;
    const u32 bits = length & 0xFF;
    const T ones = bits >= width_of<T> ? static_cast<T>(~T(0)) : static_cast<T>((T(1) << bits) - 1);
    const T mask = shl<T>(ones, at);
    return static_cast<T>((b & ~mask) | (shl<T>(a, at) & mask));
}

template<typename T>
inline T prmt(T a, T b, T selector)
{
    const u64 bytes = static_cast<u64>(b) << 32 | a;
    u32 result = 0;
    for (unsigned i = 0; i < 4; i++)
    {
        const unsigned choice = selector >> 4 * i & 0xF;
        const u32 byte = bytes >> 8 * (choice & 7) & 0xFF;
        result |= ((choice & 8) == 0 ? byte : (byte & 0x80) != 0 ? 0xFFU : 0U) << 8 * i;
    }
    return result;
}

template<typename T> inline T selp(T a, T b, pred which) { return which ? a : b; }

// Ordered comparisons are false if there is a NaN, which C++ has for all but "not equal"; unordered ones are true.
template<typename T> inline pred is_unordered(T a, T b) { return a != a || b != b; }
template<typename T> inline pred setp_eq(T a, T b) { return a == b; }
template<typename T> inline pred setp_ne(T a, T b) { return a != b && !is_unordered(a, b); }
template<typename T> inline pred setp_lt(T a, T b) { return a < b; }
template<typename T> inline pred setp_le(T a, T b) { return a <= b; }
template<typename T> inline pred setp_gt(T a, T b) { return a > b; }
template<typename T> inline pred setp_ge(T a, T b) { return a >= b; }
template<typename T> inline pred setp_equ(T a, T b) { return !(a != b) || is_unordered(a, b); }
template<typename T> inline pred setp_neu(T a, T b) { return a != b; }
template<typename T> inline pred setp_ltu(T a, T b) { return !(a >= b); }
template<typename T> inline pred setp_leu(T a, T b) { return !(a > b); }
template<typename T> inline pred setp_gtu(T a, T b) { return !(a <= b); }
template<typename T> inline pred setp_geu(T a, T b) { return !(a < b); }
template<typename T> inline pred setp_num(T a, T b) { return !is_unordered(a, b); }
template<typename T> inline pred setp_nan(T a, T b) { return is_unordered(a, b); }

template<typename To, typename From>
inline To cvt(From from)
{
    static_assert(!is_float<From> || sizeof(To) > sizeof(From), "a conversion that rounds names how");
    return static_cast<To>(from);
}

template<typename To, typename From> inline To cvt_rn(From from) { static_assert(!is_float<From>); return static_cast<To>(from); }

// Towards zero; what the type has no room for becomes its nearest value, NaN 0 (of 64 bits: the least value).
template<typename To, typename From>
inline To cvt_rzi(From from)
{
    using Limits = std::numeric_limits<To>;
    const double value = std::trunc(static_cast<double>(from));
    if (value != value)
    {
        return sizeof(To) == 8 ? static_cast<To>(u64(1) << 63) : 0;
    }
    return value >= std::ldexp(1.0, Limits::digits) ? Limits::max() :
        value < static_cast<double>(Limits::min()) ? Limits::min() : static_cast<To>(value);
}

template<typename T> struct Pair { T low, high; };

// The lane of a CUDA thread that runs the kernel, with the memory that it may use.
class Thread
{
public:
    // Constants are those of the module that the kernel names.
    Thread(const void* constants_, std::size_t constant_bytes_, std::size_t static_bytes)
        : engine(*emulated::here.engine), thread(emulated::here.thread), block(emulated::here.block),
        threads(emulated::here.threads), blocks(emulated::here.blocks), device(emulated::here.device),
        shared(emulated::here.dynamic_shared), constants(reinterpret_cast<u64>(constants_)), constant_bytes(constant_bytes_),
        dynamic_at(static_cast<u32>(static_bytes + 15) & ~15U)
    {
    }

    template<typename T>
    T load_global(u64 address, int line)
    {
        return read<T>(global(address, sizeof(T), alignof(T), "reads ", line));
    }

    template<typename T>
    void store_global(u64 address, T value, int line)
    {
        std::memcpy(global(address, sizeof(T), alignof(T), "writes ", line), &value, sizeof(T));
    }

    template<typename T>
    T load_shared(u32 address, int line)
    {
        return read<T>(shared_at(address, sizeof(T), "reads ", line));
    }

    template<typename T>
    void store_shared(u32 address, T value, int line)
    {
        std::memcpy(shared_at(address, sizeof(T), "writes ", line), &value, sizeof(T));
    }

    // All elements of a vector are aligned as the vector; checked as one access.
    template<typename T>
    void vector_global(u64 address, unsigned count, const char* what, int line)
    {
        global(address, count * sizeof(T), count * sizeof(T), what, line);
    }

    template<typename T>
    void vector_shared(u32 address, unsigned count, const char* what, int line)
    {
        shared_at(address, count * sizeof(T), what, line);
    }

    template<typename T>
    T* at_global(u64 address, int line)
    {
        return reinterpret_cast<T*>(global(address, sizeof(T), alignof(T), "changes ", line));
    }

    template<typename T>
    T* at_shared(u32 address, int line)
    {
        return reinterpret_cast<T*>(shared_at(address, sizeof(T), "changes ", line));
    }

    void barrier(int line)
    {
        engine.barrier(FILE_NAME, line);
    }

    void bar_warp_sync(u32 mask, int line)
    {
        engine.collect(emulated::Collective::sync_warp, mask, 0, 0, 32, FILE_NAME, line);
    }

    // The clamp holds the last or first lane and, above, the bits that name a segment.
    u32 shuffle(emulated::Collective kind, u32 value, u32 operand, u32 clamp, u32 mask, pred& in_range, int line)
    {
        const u32 width = 32 - (clamp >> 8 & 31);
        const u32 lane = thread.x & 31;
        const bool up = kind == emulated::Collective::shuffle_up;
        if ((clamp & 31) != (up ? 0U : 31U))
        {
            engine.fail("shfl.sync in line " + std::to_string(line) + " with a clamp that C++ has no word for");
        }
        in_range = up ? (lane & (width - 1)) >= operand :
            kind == emulated::Collective::shuffle_xor ? (lane ^ operand) < (lane & ~(width - 1)) + width : true;
        return static_cast<u32>(engine.collect(kind, mask, value, operand, width, FILE_NAME, line));
    }

    u32 ballot(pred value, u32 mask, int line)
    {
        return static_cast<u32>(engine.collect(emulated::Collective::ballot, mask, value, 0, 32, FILE_NAME, line));
    }

    template<typename T>
    T reduce(emulated::Collective kind, T value, u32 mask, int line)
    {
        return static_cast<T>(engine.collect(kind, mask, static_cast<u64>(static_cast<s64>(value)), 0, 32, FILE_NAME, line));
    }

    void mma(float (&sums)[4], const u32 (&left)[4], const u32 (&right)[2], int line)
    {
        multiply_tile(sums, left, right[0], right[1], FILE_NAME, line);
    }

    void ldmatrix(u32 (&words)[4], u32 address, int line)
    {
        load_tile(words, shared_at(address, 16, "reads ", line), FILE_NAME, line);
    }

    // Bytes that the source does not have become 0.
    void cp_async(u32 to, u64 from, u32 bytes, int line)
    {
        char* target = shared_at(to, 16, "writes ", line);
        u64 content[2] = {0, 0};
        if (bytes > 0)
        {
            std::memcpy(content, global(from, bytes, 16, "reads ", line), bytes);
        }
        std::memset(target, 0xA5, sizeof(content));
        engine.copy_later(target, content);
    }

    emulated::BlockEngine& engine;
    const uint3 thread;
    const uint3 block;
    const dim3 threads;
    const dim3 blocks;

    // The first address of dynamic shared memory.
    u32 dynamic() const
    {
        return dynamic_at;
    }

private:
    static constexpr const char* FILE_NAME = "signalbox.ptx";

    template<typename T>
    static T read(const char* from)
    {
        T value;
        std::memcpy(&value, from, sizeof(T));
        return value;
    }

    char* global(u64 address, std::size_t bytes, std::size_t alignment, const char* what, int line)
    {
        if (address - constants >= constant_bytes || address + bytes > constants + constant_bytes)
        {
            emulated::check_kernel_access(address, bytes, alignment, what, line);
        }
        return reinterpret_cast<char*>(address);
    }

    // Static shared memory, then dynamic shared memory: one allocation.
    char* shared_at(u32 address, std::size_t bytes, const char* what, int line)
    {
        char* at = shared + address;
        emulated::check_kernel_access(reinterpret_cast<u64>(at), bytes, bytes, what, line);
        return at;
    }

    const int device;
    char* const shared;
    const u64 constants;
    const std::size_t constant_bytes;
    const u32 dynamic_at;
};

// The last lane that changes a word sees what the lanes before it made of it.
template<typename T> inline T atom_add(T* at, T value)
{
    return emulated::update(at, [=](const T old) { return add<T>(old, value); });
}
template<typename T> inline T atom_or(T* at, T value) { return emulated::update(at, [=](const T old) { return old | value; }); }
template<typename T> inline T atom_min(T* at, T value)
{
    return emulated::update(at, [=](const T old) { return min<T>(old, value); });
}
template<typename T> inline T atom_max(T* at, T value)
{
    return emulated::update(at, [=](const T old) { return max<T>(old, value); });
}

// What a register holds that was never written.
constexpr unsigned long long UNSET = 0xA5A5A5A5A5A5A5A5ULL;

struct Parameter
{
    std::size_t bytes;
    bool is_pointer;
};

// Static shared memory up to where dynamic shared memory begins.
inline emulated::Kernel kernel(const char* name, void (*body)(const void*, const void*), const unsigned max_threads,
    const std::size_t shared_bytes, const std::vector<Parameter>& parameters)
{
    emulated::Kernel result;
    result.name = name;
    result.body = body;
    result.max_threads = max_threads;
    result.shared_bytes = (shared_bytes + 15) / 16 * 16;
    for (const Parameter& each : parameters)
    {
        result.sizes.push_back(each.bytes);
        result.pointers.push_back(each.is_pointer);
    }
    return result;
}
}

// For dlsym: the kernel by its name.
#define PTX_KERNEL(name, max_threads, shared_bytes, ...) \
    extern "C" __attribute__((visibility("default"))) const emulated::Kernel* ptx_##name() \
    { \
        static const emulated::Kernel it = ptx::kernel(#name, &run, max_threads, shared_bytes, __VA_ARGS__); \
        return &it; \
    }
