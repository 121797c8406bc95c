// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;

import java.util.List;

/**
 * The work between the arrival of a step block on the device and the copy of its result: it reads the step block and
 * fills the result slot. Owns its memory.
 */
interface StepModel extends AutoCloseable
{
    /**
     * The kernels of a step of at most {@code tokens} tokens, in order, at the same addresses for life.
     *
     * @param set index of the weights, from 0.
     */
    List<CudaDriver.Launch> launches(int set, int tokens);

    /** Logits of each entry of the last step, {@code [entries][vocabulary]} float32; null: the model has none. */
    DeviceMemory logits();

    /** Keys and values of all layers; empty without a model. */
    List<DeviceMemory> keysAndValues();

    @Override
    void close();
}
