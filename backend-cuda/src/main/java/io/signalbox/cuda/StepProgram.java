// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.CudaException;
import io.signalbox.cuda.driver.DeviceStuckException;
import io.signalbox.cuda.driver.StreamWait;

import java.util.List;

/**
 * The kernels of a step, prepared for every bucket of step sizes: small ones as one CUDA graph each, the others as a list
 * of launches. Both run the same launches with the same arguments, so their results are the same bit for bit.
 */
final class StepProgram implements AutoCloseable
{
    private final CudaDriver driver;
    private final CudaDriver.Stream stream;
    private final StepBuckets buckets;
    private final CudaDriver.Graph[] graphs;
    private final CudaDriver.Launch[][] launches;

    /**
     * Runs one step without tokens, so that all kernels are loaded before a capture, and then captures the graphs. The
     * stream must be idle, and the step block on the device all zeros.
     *
     * @param set index of the weights whose addresses the launches have.
     */
    StepProgram(
        final CudaDriver driver, final CudaDriver.Stream stream, final StepBuckets buckets, final StepModel model,
        final int set)
    {
        this.driver = driver;
        this.stream = stream;
        this.buckets = buckets;
        graphs = new CudaDriver.Graph[buckets.count()];
        launches = new CudaDriver.Launch[buckets.count()][];
        for (int bucket = 0; bucket < buckets.count(); bucket++)
        {
            final List<CudaDriver.Launch> step = model.launches(set, buckets.size(bucket));
            launches[bucket] = step.toArray(new CudaDriver.Launch[0]);
        }
        try
        {
            launchAll(launches[0]);
            StreamWait.await(driver, stream);
            for (int bucket = 0; bucket < buckets.count() && buckets.isGraph(bucket); bucket++)
            {
                graphs[bucket] = captured(launches[bucket]);
                driver.upload(graphs[bucket], stream);
            }
            StreamWait.await(driver, stream);
        }
        catch (final RuntimeException e)
        {
            if (DeviceStuckException.permitsFreeing(e))
            {
                close();
            }
            throw e;
        }
    }

    private CudaDriver.Graph captured(final CudaDriver.Launch[] step)
    {
        driver.beginCapture(stream);
        try
        {
            launchAll(step);
        }
        catch (final CudaException e)
        {
            endFailedCapture(e);
            throw e;
        }
        return driver.endCapture(stream);
    }

    /** While a stream is being captured, the driver refuses to free anything. */
    private void endFailedCapture(final CudaException failure)
    {
        try
        {
            driver.destroy(driver.endCapture(stream));
        }
        catch (final CudaException e)
        {
            failure.addSuppressed(e);
        }
    }

    /** The tokens that a step of {@code tokens} is launched for. */
    int bucketTokens(final int tokens)
    {
        return buckets.size(buckets.of(tokens));
    }

    /** Enqueues a step of {@code tokens}, which the step block on the device tells as well. */
    void run(final int tokens)
    {
        final int bucket = buckets.of(tokens);
        if (graphs[bucket] != null)
        {
            driver.launch(graphs[bucket], stream);
            return;
        }
        launchAll(launches[bucket]);
    }

    private void launchAll(final CudaDriver.Launch[] step)
    {
        for (final CudaDriver.Launch launch : step)
        {
            driver.launch(launch, stream);
        }
    }

    @Override
    public void close()
    {
        for (final CudaDriver.Graph graph : graphs)
        {
            if (graph != null)
            {
                driver.destroy(graph);
            }
        }
    }
}
