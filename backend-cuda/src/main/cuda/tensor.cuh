// SPDX-License-Identifier: Apache-2.0
// Products of tiles on tensor cores, and copies to shared memory beside arithmetic: one function for each PTX instruction
// that C++ has no word for. The emulated driver has its own functions of these names (tensor_shim.h).
#pragma once

#ifndef DYNAMIC_SHARED
#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]
#endif

#ifdef __CUDACC__
__device__ inline unsigned shared_address(const void* shared)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

/** Adds the product of 16 x 16 and 16 x 8 elements in bf16 to sums in float32. Which lane has which: docs/cuda.md. */
__device__ inline void multiply_tile(float (&sums)[4], const unsigned (&left)[4], unsigned right0, unsigned right1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right0), "r"(right1));
}

/** Loads four tiles of 8 x 8 elements of 16 bits: lane i gives the address of row i % 8 of tile i / 8. */
__device__ inline void load_tile(unsigned (&left)[4], const void* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(left[0]), "=r"(left[1]), "=r"(left[2]), "=r"(left[3])
                 : "r"(shared_address(row))
                 : "memory");
}

/** Begins to copy 16 bytes; zeros if they are not there, and then reads nothing. */
__device__ inline void copy_async(void* shared, const void* global, bool there)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(shared_address(shared)), "l"(__cvta_generic_to_global(global)), "r"(there ? 16 : 0)
                 : "memory");
}

/** The copies that this thread has begun since the last call are one group. */
__device__ inline void commit_copies()
{
    asm volatile("cp.async.commit_group;" : : : "memory");
}

/** Waits until all groups of this thread have landed but the last ones. */
template <int Open>
__device__ inline void await_copies()
{
    asm volatile("cp.async.wait_group %0;" : : "n"(Open) : "memory");
}

/** Two values rounded to bf16, the first in the lower half. */
__device__ inline unsigned bf16_pair(float first, float second)
{
    unsigned pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    return pair;
}
#endif
