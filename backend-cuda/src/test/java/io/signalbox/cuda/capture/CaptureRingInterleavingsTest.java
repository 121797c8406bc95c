// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.cuda.driver.EmulatedDriver;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.BeforeContainer;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertNull;

/**
 * Orders of events that no GPU shows when asked: copies in pieces, streams that stand still, rows that are released late.
 * {@code -Dsignalbox.tries=N} tries N of them.
 */
class CaptureRingInterleavingsTest
{
    private static EmulatedDevice device;

    @BeforeContainer
    static void open()
    {
        device = EmulatedDevice.open();
        RingRun.stepDevice();
    }

    @Property
    void shouldLoseTearAndMixUpNothing(
        @ForAll @IntRange(min = 1, max = 4) final int stepsInFlight,
        @ForAll @IntRange(max = 1) final int spareSlots,
        @ForAll final boolean streamsWriteWords,
        @ForAll @Size(max = RingRun.ACTIONS) final List<@IntRange(max = RingRun.MAX_ACTION) Integer> actions)
    {
        final int slots = Math.max(2, stepsInFlight + spareSlots);
        EmulatedDriver.offerStreamWrites(streamsWriteWords);
        try (EmulatedRing rig = new EmulatedRing(device, settings(slots, stepsInFlight)))
        {
            assertNull(RingRun.of(rig, actions));
        }
    }

    private static CaptureSettings settings(final int slots, final int stepsInFlight)
    {
        return EmulatedRing.settings(RingRun.SHAPE, RingRun.MAX_TOKENS, slots, stepsInFlight);
    }
}
