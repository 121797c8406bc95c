// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.DeviceMemory;

/** Weights of the norms of queries and keys, float32; both are {@code null} if the model has none. */
public record HeadNorms(DeviceMemory queries, DeviceMemory keys)
{
}
