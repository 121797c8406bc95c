// SPDX-License-Identifier: Apache-2.0
// Kernels for the tests of the emulated tensor cores and asynchronous copies; some have planted errors.

// One warp multiplies 16 x 16 elements of bf16, row by row, with 8 vectors of 16, and adds the products to sums[16][8].
extern "C" __global__ void test_tile_product(const unsigned short* left, const unsigned short* right, float* sums)
{
    __shared__ uint4 tile[32];
    const int lane = threadIdx.x;
    const int group = lane / 4;
    const int member = lane % 4;
    // Lane i brings row i % 16 and half i / 16 of it, which is also what ldmatrix wants of it.
    copy_async(&tile[lane], left + lane % 16 * 16 + lane / 16 * 8, true);
    commit_copies();
    await_copies<0>();
    __syncwarp();
    unsigned fragment[4];
    load_tile(fragment, &tile[lane]);
    const unsigned* pairs = reinterpret_cast<const unsigned*>(right + group * 16);
    float own[4];
    for (int i = 0; i < 4; i++)
    {
        own[i] = sums[(group + i / 2 * 8) * 8 + member * 2 + i % 2];
    }
    multiply_tile(own, fragment, pairs[member], pairs[member + 4]);
    for (int i = 0; i < 4; i++)
    {
        sums[(group + i / 2 * 8) * 8 + member * 2 + i % 2] = own[i];
    }
}

// Planted: two halves of a warp execute two products.
extern "C" __global__ void test_tile_divergent(float* target)
{
    const unsigned left[4] = {};
    float sums[4] = {};
    if (threadIdx.x % 32 < 16)
    {
        multiply_tile(sums, left, 0, 0);
    }
    else
    {
        multiply_tile(sums, left, 1, 1);
    }
    target[threadIdx.x] = sums[0];
}

// Planted: the rows of a tile are in the memory of the device.
extern "C" __global__ void test_tile_not_shared(float* target)
{
    unsigned left[4];
    load_tile(left, target);
    target[threadIdx.x] = __uint_as_float(left[0]);
}

// One thread copies 16 bytes three times, each a group, and keeps so many of them open: it finds the others.
extern "C" __global__ void test_late_copies(const unsigned* source, unsigned* target, int open)
{
    __shared__ uint4 copies[3];
    for (int i = 0; i < 3; i++)
    {
        copy_async(&copies[i], source + 4 * i, i != 1);
        commit_copies();
    }
    if (open == 0)
    {
        await_copies<0>();
    }
    else
    {
        await_copies<2>();
    }
    for (int i = 0; i < 12; i++)
    {
        target[i] = reinterpret_cast<const unsigned*>(copies)[i];
    }
}

// The kernels of the fast family with an error each. The macros reach into their source, which is compiled once more.
namespace swapped_fragment
{
#define multiply_tile(sums, left, right0, right1) multiply_tile(sums, left, right1, right0)
#include "fast.cuh"
#undef multiply_tile
}

namespace dropped_columns
{
#define copy_async(shared, global, there) copy_async(shared, global, (there) && column + COPY_VALUES < columns)
#include "fast.cuh"
#undef copy_async
}

template <int>
__device__ inline void await_nothing()
{
}

namespace early_reads
{
#define await_copies await_nothing
#include "fast.cuh"
#undef await_copies
}

#define PLANTED_LINEAR(name) \
    extern "C" __global__ void test_linear_##name( \
        const unsigned char* step, const void* weights0, const void* weights1, const void* weights2, int rows0, int rows1, \
        int rows2, int columns, const unsigned short* in, int perEntry, int round, float* out0, float* out1, float* out2) \
    { \
        const int count = perEntry != 0 ? step_header(step)->entries : step_header(step)->tokens; \
        const name::TensorMatrices matrices = {{static_cast<const unsigned short*>(weights0), \
            static_cast<const unsigned short*>(weights1), static_cast<const unsigned short*>(weights2)}, \
            {rows0, rows1, rows2}, {out0, out1, out2}}; \
        name::tensor_linear<name::Linear8>(matrices, columns, in, count, round); \
    }

PLANTED_LINEAR(swapped_fragment)
PLANTED_LINEAR(dropped_columns)
PLANTED_LINEAR(early_reads)
