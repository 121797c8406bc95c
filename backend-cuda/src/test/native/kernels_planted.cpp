// SPDX-License-Identifier: Apache-2.0
#include "device_shim.h"
#include "kernels.h"

#include "planted.cu"

static const emulated::Registration registration({
    emulated::kernel("test_add", test_add),
    emulated::kernel("test_collectives", test_collectives),
    emulated::kernel("test_reverse", test_reverse),
    emulated::kernel("test_reverse_unsynchronised", test_reverse_unsynchronised),
    emulated::kernel("test_divergent_barrier", test_divergent_barrier),
    emulated::kernel("test_divergent_shuffle", test_divergent_shuffle),
    emulated::kernel("test_atomics", test_atomics),
    emulated::kernel("test_copy", test_copy),
    emulated::kernel("test_out_of_bounds", test_out_of_bounds),
    emulated::kernel("test_read_at", test_read_at),
    emulated::kernel("test_write_at", test_write_at),
    emulated::kernel("test_write_narrow", test_write_narrow),
    emulated::kernel("test_load_vector", test_load_vector),
    emulated::kernel("test_stale_shared", test_stale_shared),
    emulated::kernel("test_beyond_shared", test_beyond_shared),
}, emulated::MAX_DEVICE_THREADS);
