// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class JitteredArrivalsTest
{
    private static final long QUANTUM = 3_000_000_000L;

    @TempDir
    private Path directory;

    /** 1,000 requests, ten at a time, three seconds apart. */
    private MooncakeTrace trace() throws IOException
    {
        final StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 1000; i++)
        {
            lines.append("{\"timestamp\": ").append(i / 10 * 3000)
                .append(", \"input_length\": 5, \"output_length\": 1, \"hash_ids\": [").append(i).append("]}\n");
        }
        return MooncakeTrace.read(Files.writeString(directory.resolve("trace.jsonl"), lines.toString()));
    }

    @Test
    void shouldSpreadArrivalsWithinTheResolutionOfTheirClock() throws IOException
    {
        final MooncakeTrace trace = trace();
        final List<WorkloadRequest> moved = new JitteredArrivals(trace, 1).requests();
        double sum = 0.0;
        for (int i = 0; i < moved.size(); i++)
        {
            final long delay = moved.get(i).arrivalNanos() - trace.requests().get(i).arrivalNanos();
            assertTrue(delay >= 0 && delay < QUANTUM, "delay " + delay);
            assertEquals(trace.requests().get(i), moved.get(i).arrivingAt(trace.requests().get(i).arrivalNanos()));
            sum += delay;
        }
        // An exponential with mean 1/2 that is cut off at 1 has the mean 1/2 - 1 / (e^2 - 1).
        assertEquals(0.3435 * QUANTUM, sum / moved.size(), 0.03 * QUANTUM);
    }

    @Test
    void shouldDependOnTheSeedOnlyAndSaySo() throws IOException
    {
        final MooncakeTrace trace = trace();
        assertEquals(new JitteredArrivals(trace, 1).requests(), new JitteredArrivals(trace, 1).requests());
        assertNotEquals(new JitteredArrivals(trace, 1).requests(), new JitteredArrivals(trace, 2).requests());
        assertEquals("2", new JitteredArrivals(trace, 2).settings().get("workload.jitterSeed"));
        assertEquals("3000000000", new JitteredArrivals(trace, 2).settings().get("workload.jitterQuantumNanos"));
    }

    @Test
    void shouldLeaveFollowersAndASingleInstantAsTheyAre()
    {
        final GeneratedWorkload generated = GeneratedWorkload.of(GeneratedWorkloadConfig.builder().conversations(1).build());
        assertEquals(generated.requests(), new JitteredArrivals(generated, 1).requests());
    }
}
