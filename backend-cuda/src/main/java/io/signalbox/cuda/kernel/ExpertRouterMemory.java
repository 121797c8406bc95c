// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.DeviceMemory;

/**
 * Memory that a router kernel reads and, beside the capture view, writes.
 *
 * @param logits  {@code [n][experts]} of the router's type.
 * @param bias    {@code [experts]} float32, or null.
 * @param ids     {@code [n][topK]} int32, or null: not written.
 * @param weights {@code [n][topK]} float32, or null: not written.
 */
public record ExpertRouterMemory(DeviceMemory logits, DeviceMemory bias, DeviceMemory ids, DeviceMemory weights)
{
}
