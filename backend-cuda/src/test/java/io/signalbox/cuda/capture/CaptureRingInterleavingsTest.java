// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.SkipWithoutEmulatedDriver;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.BeforeContainer;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertNull;

/**
 * Orders of events that no GPU shows when asked: copies in pieces, streams that stop, rows that are released late.
 * {@code -Dsignalbox.tries=N} tries N of them.
 */
@AddLifecycleHook(SkipWithoutEmulatedDriver.class)
class CaptureRingInterleavingsTest
{
    private static EmulatedDevice device;

    @BeforeContainer
    static void open()
    {
        device = EmulatedDevice.open();
        RingRun.stepDevice();
    }

    /** Long schedules as often as short ones, and rare choices as often as common ones. */
    @Provide
    Arbitrary<List<Integer>> schedules()
    {
        return Arbitraries.integers().between(0, RingRun.MAX_ACTION).withDistribution(RandomDistribution.uniform())
            .list().ofMaxSize(RingRun.ACTIONS).withSizeDistribution(RandomDistribution.uniform());
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void shouldLoseTearAndMixUpNothing(
        @ForAll @IntRange(min = 1, max = 4) final int stepsInFlight,
        @ForAll @IntRange(max = 1) final int spareSlots,
        @ForAll final boolean streamsWriteWords,
        @ForAll("schedules") final List<Integer> actions)
    {
        final int slots = Math.max(2, stepsInFlight + spareSlots);
        EmulatedDriver.offerStreamWrites(streamsWriteWords);
        try (EmulatedRing rig = new EmulatedRing(device, settings(slots, stepsInFlight)))
        {
            assertNull(RingRun.of(rig, actions));
        }
    }

    private static CaptureRingConfig settings(final int slots, final int stepsInFlight)
    {
        return EmulatedRing.settings(RingRun.SHAPE, RingRun.MAX_TOKENS, slots, stepsInFlight);
    }
}
