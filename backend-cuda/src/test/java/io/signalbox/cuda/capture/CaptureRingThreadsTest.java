// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.SkipWithoutEmulatedDriver;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AddLifecycleHook;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/** A thread per stream, each late at random, a rank's thread that spins, and an engine's that reads and releases rows. */
@AddLifecycleHook(SkipWithoutEmulatedDriver.class)
class CaptureRingThreadsTest
{
    private static final int STEPS = 40;
    private static final int MAX_DELAY_MICROS = 60;

    /** 25 tries: each runs 40 steps in real time. */
    @Property(tries = 25)
    void shouldLoseTearAndMixUpNothingOnThreads(
        @ForAll @IntRange(min = 1, max = 4) final int stepsInFlight, @ForAll final long seed)
    {
        final EmulatedDevice device = EmulatedDevice.open();
        EmulatedDriver.threaded(seed, MAX_DELAY_MICROS);
        final CaptureRingConfig settings =
            EmulatedRing.settings(RingRun.SHAPE, RingRun.MAX_TOKENS, stepsInFlight + 1, stepsInFlight);
        try (EmulatedRing rig = new EmulatedRing(device, settings))
        {
            final Client client = new Client(settings.layout());
            final CompletableFuture<Void> reading = CompletableFuture.runAsync(client::readAll);
            long next = 0;
            while (client.reported < STEPS && client.violation == null)
            {
                next += next < STEPS && rig.tryStep(next, tokens(next)) != null ? 1 : 0;
                rig.ring.poll(client);
                Thread.onSpinWait();
            }
            reading.join();
            assertNull(client.violation);
            assertEquals(STEPS, client.reported);
        }
        device.driver.destroy(device.compute);
    }

    private static int tokens(final long step)
    {
        return (int)(step * 7 % (RingRun.MAX_TOKENS + 1));
    }

    /** Steps are reported on one thread, their rows read and released on another. */
    private static final class Client implements ResultListener
    {
        private final CaptureLayout layout;
        private final ConcurrentLinkedQueue<Lent> lent = new ConcurrentLinkedQueue<>();
        private int reported;
        private volatile String violation;

        private Client(final CaptureLayout layout)
        {
            this.layout = layout;
        }

        @Override
        public void completed(
            final CaptureSlot slot, final int[] sampledTokens, final int sampledCount, final CaptureSlice rows)
        {
            final long step = reported++;
            found(slot.step() == step ? null : "step " + slot.step() + " was reported, expected was " + step);
            found(StepOracle.wrongTokens(step, tokens(step), sampledTokens, sampledCount));
            lent.add(new Lent(step, rows));
        }

        @Override
        public void failed(final CaptureSlot slot, final String fault)
        {
            reported++;
            found(fault);
        }

        private void readAll()
        {
            for (int read = 0; read < STEPS && violation == null;)
            {
                final Lent next = lent.poll();
                if (next == null)
                {
                    Thread.onSpinWait();
                }
                else
                {
                    found(StepOracle.wrongRows(layout, next.step, tokens(next.step), next.rows));
                    next.rows.release();
                    read++;
                }
            }
        }

        private void found(final String what)
        {
            violation = violation == null ? what : violation;
        }
    }

    /** Rows that the client has not read yet. */
    private record Lent(long step, CaptureSlice rows)
    {
    }
}
