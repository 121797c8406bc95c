// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.decoder.DecoderStep;
import io.signalbox.cuda.decoder.DecoderWeights;
import io.signalbox.cuda.driver.CudaDriver.Launch;
import io.signalbox.cuda.driver.DeviceMemory;

import java.util.List;

/** A decoder with one or two sets of weights, which reads tokens and block tables. */
final class DecoderModel implements StepModel
{
    private final DecoderStep decoder;
    private final List<DecoderWeights> weights;

    DecoderModel(final DecoderStep decoder, final List<DecoderWeights> weights)
    {
        this.decoder = decoder;
        this.weights = weights;
    }

    @Override
    public List<Launch> launches(final int set, final int tokens)
    {
        return decoder.launches(weights.get(set), tokens);
    }

    @Override
    public DeviceMemory logits()
    {
        return decoder.logits();
    }

    @Override
    public List<DeviceMemory> keysAndValues()
    {
        return decoder.keysAndValues();
    }

    @Override
    public void close()
    {
        decoder.close();
    }
}
