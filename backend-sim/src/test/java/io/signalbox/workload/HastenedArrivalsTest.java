// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class HastenedArrivalsTest
{
    private final Workload original = GeneratedWorkload.of(GeneratedWorkloadConfig.builder().conversations(20).build());

    @Test
    void shouldDivideArrivalsAndNothingElse()
    {
        final List<WorkloadRequest> hastened = new HastenedArrivals(original, 4.0).requests();
        assertEquals(original.requests().size(), hastened.size());
        for (int i = 0; i < hastened.size(); i++)
        {
            final WorkloadRequest request = original.requests().get(i);
            final long arrival = request.arrivalNanos() < 0 ? request.arrivalNanos() : request.arrivalNanos() / 4;
            assertEquals(request.arrivingAt(arrival), hastened.get(i));
        }
    }

    @Test
    void shouldNameItsSpeedInTheRunDescription()
    {
        assertEquals("2.5", new HastenedArrivals(original, 2.5).settings().get("workload.speed"));
    }

    @Test
    void shouldRefuseASpeedThatPutsArrivalsBeyondAllTime()
    {
        final String message =
            assertThrows(ConfigException.class, () -> new HastenedArrivals(original, 1e-300)).getMessage();
        assertTrue(message.startsWith("with speed=1.0E-300 request "), message);
        assertTrue(message.contains("of the generated workload would arrive more than 146 years"), message);
    }

    @Test
    void shouldRefuseASpeedThatMovesNothingForward()
    {
        assertThrows(ConfigException.class, () -> new HastenedArrivals(original, 0.0));
        assertThrows(ConfigException.class, () -> new HastenedArrivals(original, Double.NaN));
    }
}
