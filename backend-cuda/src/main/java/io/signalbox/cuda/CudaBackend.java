// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.ConfigException;
import io.signalbox.InvariantViolation;
import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.cuda.driver.CudaProbe;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.experts.ModelShape;

/**
 * The backend that will run steps on NVIDIA GPUs. So far it knows whether it could: it has no kernels, so
 * {@link #start} refuses, with what the probe found.
 */
public final class CudaBackend implements Backend
{
    private final CudaProbe probe;

    public CudaBackend()
    {
        this(new CudaProbe());
    }

    CudaBackend(final CudaProbe probe)
    {
        this.probe = probe;
    }

    /** It captures nothing, since it has no kernels; it will read tokens. */
    @Override
    public BackendCapabilities capabilities()
    {
        return new BackendCapabilities("cuda", false, true);
    }

    /** @throws ConfigException always, with what is missing on this machine and in this version. */
    @Override
    public void start(final int ranks, final ModelShape shape, final CompletionSink completions)
    {
        throw new ConfigException(
            "the CUDA backend of this version has no kernels and runs no steps, it only looks for a GPU (" +
            withoutPeriod(probe.probe().message()) + "); use the simulated backend.");
    }

    @Override
    public void submit(final ScheduleDecoder plan)
    {
        throw new InvariantViolation("a plan reached the CUDA backend, which never starts");
    }

    @Override
    public void abort(final int rank, final long step)
    {
        throw new InvariantViolation("an abort of rank " + rank + " reached the CUDA backend, which never starts");
    }

    @Override
    public void close()
    {
        // Nothing was started.
    }

    private static String withoutPeriod(final String sentence)
    {
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }
}
