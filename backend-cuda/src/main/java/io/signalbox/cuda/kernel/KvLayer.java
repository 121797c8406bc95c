// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.DeviceMemory;

/** Keys and values of a layer, each {@code [block][position in the block][kv head][element]}. */
public record KvLayer(DeviceMemory keys, DeviceMemory values, int blockSize)
{
}
