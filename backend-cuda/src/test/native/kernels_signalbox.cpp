// SPDX-License-Identifier: Apache-2.0
#include "device_shim.h"
#include "kernels.h"

#include "signalbox.cu"

#define SIGNALBOX_KERNEL(name) emulated::kernel(#name, name),
static const emulated::Registration registration({
#include "kernels.def"
}, MAX_BLOCK_THREADS);
#undef SIGNALBOX_KERNEL
