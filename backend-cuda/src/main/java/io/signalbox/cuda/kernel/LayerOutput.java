// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.DeviceMemory;

/**
 * What a layer gives to the states of tokens: values, or the outputs of the experts and then the values of the shared ones.
 *
 * @param values  {@code [n][hidden]} float32, or null.
 * @param outputs {@code [place][hidden]} float32; null in a layer without experts.
 * @param weights {@code [n][K]} float32; null with the outputs.
 * @param groups  has the place of each choice; null with the outputs.
 */
public record LayerOutput(DeviceMemory values, DeviceMemory outputs, DeviceMemory weights, ExpertGroups groups)
{
    /** The states stay as they are. */
    public static final LayerOutput NONE = new LayerOutput(null, null, null, null);

    public static LayerOutput of(final DeviceMemory values)
    {
        return new LayerOutput(values, null, null, null);
    }
}
