// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.decoder.DecoderStep;
import io.signalbox.cuda.driver.CudaDriver.Launch;
import io.signalbox.cuda.driver.DeviceMemory;

import java.util.List;

/** A decoder with loaded weights, which reads tokens and block tables. */
final class DecoderModel implements StepModel
{
    private final DecoderStep decoder;

    DecoderModel(final DecoderStep decoder)
    {
        this.decoder = decoder;
    }

    @Override
    public List<Launch> launches(final int tokens)
    {
        return decoder.launches(tokens);
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
