// SPDX-License-Identifier: Apache-2.0
#include "device_shim.h"
#include "kernels.h"

#include "step.cuh"
#include "forward.cuh"
#include "tensor.cuh"

#include "tensor_planted.cu"

static const emulated::Registration registration({
    emulated::kernel("test_tile_product", test_tile_product),
    emulated::kernel("test_tile_divergent", test_tile_divergent),
    emulated::kernel("test_tile_not_shared", test_tile_not_shared),
    emulated::kernel("test_late_copies", test_late_copies),
    emulated::kernel("test_linear_swapped_fragment", test_linear_swapped_fragment),
    emulated::kernel("test_linear_dropped_columns", test_linear_dropped_columns),
    emulated::kernel("test_linear_early_reads", test_linear_early_reads),
}, emulated::MAX_DEVICE_THREADS);
