// SPDX-License-Identifier: Apache-2.0
// A library of its own: its thread-local memory is small enough to lie at a fixed distance from the thread's pointer, so
// that a kernel finds its state without a call. Static shared memory of all kernels is too large for that.
#include "block.h"

namespace emulated
{
__thread ThreadState here = {};
}
