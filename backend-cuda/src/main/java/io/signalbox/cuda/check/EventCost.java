// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.Quantiles;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.StreamWait;

import java.util.Collections;

/** The device's time of empty launches, with an event after each one and without events. */
final class EventCost
{
    private static final int ROUNDS = 21;
    private static final int LAUNCHES = 100;
    /** Graphs that keep the device busy while the host enqueues the launches. */
    private static final int GRAPHS = 3;
    private static final int GRAPH_LAUNCHES = 1000;

    private EventCost()
    {
    }

    static void report(final CheckDevice device, final Findings findings)
    {
        final CudaDriver driver = device.driver();
        final double[] bare = new double[ROUNDS];
        final double[] marked = new double[ROUNDS];
        try (DriverResources scratch = new DriverResources(driver))
        {
            final CudaDriver.Stream stream = scratch.stream("compute");
            final CudaDriver.Launch launch = LaunchesSection.nothing(device, scratch, stream);
            final CudaDriver.Graph ahead = graph(driver, scratch, stream, launch);
            final CudaDriver.Event start = scratch.timedEvent();
            final CudaDriver.Event middle = scratch.timedEvent();
            final CudaDriver.Event end = scratch.timedEvent();
            for (int round = 0; round < ROUNDS; round++)
            {
                for (int i = 0; i < GRAPHS; i++)
                {
                    driver.launch(ahead, stream);
                }
                driver.record(start, stream);
                for (int i = 0; i < LAUNCHES; i++)
                {
                    driver.launch(launch, stream);
                }
                driver.record(middle, stream);
                for (int i = 0; i < LAUNCHES; i++)
                {
                    driver.launch(launch, stream);
                    driver.record(end, stream);
                }
                StreamWait.await(driver, stream);
                bare[round] = driver.elapsedMillis(start, middle) * 1e3 / LAUNCHES;
                marked[round] = driver.elapsedMillis(middle, end) * 1e3 / LAUNCHES;
            }
        }
        final double bareMicros = Quantiles.of(bare, 50);
        final double markedMicros = Quantiles.of(marked, 50);
        findings.figure("empty launch", bareMicros, "us");
        findings.figure("empty launch with an event after it", markedMicros, "us");
        findings.figure("an event after a launch adds", markedMicros - bareMicros, "us");
    }

    private static CudaDriver.Graph graph(
        final CudaDriver driver, final DriverResources scratch, final CudaDriver.Stream stream,
        final CudaDriver.Launch launch)
    {
        driver.launch(launch, stream);
        final CudaDriver.Graph graph =
            LaunchesSection.graph(driver, scratch, stream, Collections.nCopies(GRAPH_LAUNCHES, launch));
        driver.upload(graph, stream);
        return graph;
    }
}
