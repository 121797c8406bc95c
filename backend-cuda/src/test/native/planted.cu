// SPDX-License-Identifier: Apache-2.0
// Kernels for the tests of the emulated driver itself: what warps and blocks can do, and kernels with planted errors.

#ifndef DYNAMIC_SHARED
#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]
#endif

// Adds to every element; a grid of any shape.
extern "C" __global__ void test_add(int* data, int n, int value)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        data[i] += value;
    }
}

// results[14][32]: what each collective gave each lane of one warp with these values.
extern "C" __global__ void test_collectives(const int* values, int* results)
{
    const unsigned all = 0xffffffffu;
    const int lane = threadIdx.x;
    const int value = values[lane];
    int row = 0;
    results[32 * row++ + lane] = __shfl_sync(all, value, (lane + 5) % 32);
    results[32 * row++ + lane] = __shfl_up_sync(all, value, 3);
    results[32 * row++ + lane] = __shfl_down_sync(all, value, 7);
    results[32 * row++ + lane] = __shfl_xor_sync(all, value, 16);
    results[32 * row++ + lane] = __shfl_sync(all, value, 2, 8);
    results[32 * row++ + lane] = __shfl_up_sync(all, value, 1, 8);
    results[32 * row++ + lane] = __shfl_down_sync(all, value, 1, 8);
    results[32 * row++ + lane] = __shfl_xor_sync(all, value, 3, 8);
    results[32 * row++ + lane] = static_cast<int>(__ballot_sync(all, value & 1));
    results[32 * row++ + lane] = __any_sync(all, value == values[0]);
    results[32 * row++ + lane] = __all_sync(all, value == values[0]);
    results[32 * row++ + lane] = static_cast<int>(__shfl_xor_sync(all, static_cast<long long>(value) << 20, 1) >> 20);
    results[32 * row++ + lane] = lane < 16 ? __shfl_xor_sync(0x0000ffffu, value, 1) : __shfl_xor_sync(0xffff0000u, value, 2);
    results[32 * row + lane] = __float_as_int(__shfl_xor_sync(all, __int_as_float(value), 31));
}

// Reverses each block's part through shared memory, static and dynamic.
extern "C" __global__ void test_reverse(const int* source, int* target)
{
    __shared__ int fixed[256];
    DYNAMIC_SHARED(int, dynamic);
    const int base = blockIdx.x * blockDim.x;
    const int last = blockDim.x - 1;
    fixed[threadIdx.x] = source[base + threadIdx.x];
    __syncthreads();
    dynamic[threadIdx.x] = fixed[last - threadIdx.x];
    __syncthreads();
    target[base + threadIdx.x] = dynamic[threadIdx.x];
}

// Planted: the barrier between writing and reading is missing.
extern "C" __global__ void test_reverse_unsynchronised(const int* source, int* target)
{
    __shared__ int fixed[256];
    const int base = blockIdx.x * blockDim.x;
    fixed[threadIdx.x] = source[base + threadIdx.x];
    target[base + threadIdx.x] = fixed[blockDim.x - 1 - threadIdx.x];
}

// Planted: half of the block never comes to the barrier.
extern "C" __global__ void test_divergent_barrier(int* target)
{
    if (threadIdx.x % 2 == 0)
    {
        __syncthreads();
    }
    target[threadIdx.x] = 1;
}

// Planted: the mask names lanes that have left.
extern "C" __global__ void test_divergent_shuffle(int* target)
{
    if (threadIdx.x < 7)
    {
        target[threadIdx.x] = __shfl_xor_sync(0xffffffffu, target[threadIdx.x], 1);
    }
}

// All numbers from 1, by atomics; any order of threads gives one result.
extern "C" __global__ void test_atomics(int* sum, unsigned* greatest, int* least, unsigned long long* wide, float* real)
{
    const int number = blockIdx.x * blockDim.x + threadIdx.x + 1;
    atomicAdd(sum, number);
    atomicMax(greatest, static_cast<unsigned>(number));
    atomicMin(least, -number);
    atomicAdd(wide, 1ull << 32);
    atomicAdd(real, 1.0f);
}

// Copies words; the first block writes what the last reads only after a launch boundary.
extern "C" __global__ void test_copy(const int* source, int* target, long words)
{
    const long stride = static_cast<long>(gridDim.x) * blockDim.x;
    for (long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x; i < words; i += stride)
    {
        target[i] = source[i];
    }
}

// Planted: one element too far.
extern "C" __global__ void test_out_of_bounds(int* data, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
    {
        data[i] = i; // the planted store
    }
}

// Reads one word from anywhere.
extern "C" __global__ void test_read_at(const int* data, long long index, int* target)
{
    *target = data[index];
}

// Writes one word to anywhere.
extern "C" __global__ void test_write_at(int* data, long long index, int value)
{
    data[index] = value;
}

// Planted: the index has 32 bits, which is too few from 16 GiB.
extern "C" __global__ void test_write_narrow(int* data, long long index, int value)
{
    data[static_cast<int>(index)] = value;
}

// Loads 16 bytes from an address that may be none for them, and uses a quarter of them.
extern "C" __global__ void test_load_vector(const char* source, long long offset, unsigned* target)
{
    const uint4* vectors = reinterpret_cast<const uint4*>(source + offset);
    *target = vectors[0].x;
}

// Planted: what a block finds in shared memory, which nothing has written.
extern "C" __global__ void test_stale_shared(int* target, int value)
{
    __shared__ int fixed[4];
    DYNAMIC_SHARED(int, dynamic);
    target[2 * blockIdx.x] = fixed[3];
    target[2 * blockIdx.x + 1] = dynamic[0];
    fixed[3] = value;
    dynamic[0] = value;
}

// Planted: one element beyond the dynamic shared memory.
extern "C" __global__ void test_beyond_shared(int* target)
{
    DYNAMIC_SHARED(int, dynamic);
    dynamic[blockDim.x] = target[0];
}
