// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.DeviceMemory;

/** Cosines and sines of the rotary position embedding, {@code [position][headSize / 2]} float32. */
public record RopeMemory(DeviceMemory cosines, DeviceMemory sines)
{
}
