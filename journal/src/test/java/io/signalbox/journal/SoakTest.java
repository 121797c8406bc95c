// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.TestStrength;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.journal.restart.KeyedRequests;
import io.signalbox.scheduler.Scheduler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A long run at 80 % load, with cancels, failed steps, lost ranks, and a stop with requests under way in the middle: the
 * heap stays flat, nothing is lost, and the journal of both engines verifies. 12 s reduced, 10 minutes full, or as many
 * seconds as {@code -Dsignalbox.soakSeconds} says.
 */
@Tag("threads")
@Timeout(value = 3, unit = TimeUnit.HOURS)
final class SoakTest
{
    private static final double LOAD = 0.8;
    private static final double CALIBRATION_SECONDS = 1;
    private static final long STEP_NANOS = 200_000;
    /** Looks at the heap in each half. */
    private static final int LOOKS = 10;
    /** Growth of the heap between the second and the last quarter of a half that is no leak. */
    private static final double GROWTH = 1.1;
    private static final long GROWTH_BYTES = 8L << 20;

    @TempDir
    Path temporary;

    private final SoakClients clients = new SoakClients();
    private double requestsPerSecond;

    @Test
    void shouldKeepItsHeapAndEveryRequest() throws Exception
    {
        final double seconds = Integer.getInteger("signalbox.soakSeconds", TestStrength.count(5, 600));
        final Path journal = temporary.resolve("journal");
        half(journal, seconds / 2, false);
        half(journal, seconds / 2, true);
        assertEquals(0, clients.open(), "requests that never ended");
        assertTrue(clients.resumed() > 0, "nothing was under way at the restart");
        assertTrue(clients.cancelled() > 0, "nothing was cancelled");
        final Verification verification = JournalVerifier.verify(journal, Scheduler::new);
        assertTrue(verification.matches(), () -> String.valueOf(verification.difference()));
        assertEquals(Ending.CLOSED, verification.ending());
        System.err.printf(Locale.ROOT, "soak: %.0f s at %.0f requests/s, %s%n", seconds, requestsPerSecond, clients);
    }

    private void half(final Path journal, final double seconds, final boolean toItsEnd) throws Exception
    {
        final EngineConfig config = KeyedRequests.faultyConfig(STEP_NANOS).drainTimeout(EngineConfig.FOREVER)
            .untakenRows(EngineConfig.UntakenRows.HOLD_REQUESTS).submitWait(EngineConfig.FOREVER)
            .runJournal(new DirectoryJournal(journal, JournalConfig.of(Durability.PROCESS)));
        final SignalboxEngine engine = SignalboxEngine.launch(config);
        try
        {
            clients.resume(engine);
            requestsPerSecond = requestsPerSecond == 0 ?
                clients.maximum(engine, CALIBRATION_SECONDS) * LOAD : requestsPerSecond;
            final List<Long> live = new ArrayList<>();
            for (int look = 0; look < LOOKS; look++)
            {
                clients.load(engine, requestsPerSecond, seconds / LOOKS);
                clients.catchUp();
                live.add(liveBytes());
            }
            checkHeap(live);
            if (toItsEnd)
            {
                clients.finish();
                final long faults = engine.stats().requests().restarts();
                assertTrue(faults > 0, "no step failed");
            }
            else
            {
                clients.begin(engine);
            }
        }
        finally
        {
            if (toItsEnd)
            {
                engine.close();
            }
            else
            {
                engine.closeNow();
            }
        }
        if (toItsEnd)
        {
            // The engine handles releases later: after the close it has handled all of them.
            assertEquals(0, engine.untakenRows().requests(), "rows that nobody released");
        }
    }

    /** Bytes that a full collection leaves. */
    private static long liveBytes()
    {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** The first looks see caches, histograms and buffers grow to the load. */
    private static void checkHeap(final List<Long> live)
    {
        final long early = Collections.max(live.subList(LOOKS / 4, LOOKS / 2));
        final long late = Collections.min(live.subList(3 * LOOKS / 4, LOOKS));
        System.err.printf(Locale.ROOT, "soak: live heap in MB: %s%n", live.stream().map(bytes -> bytes >> 20).toList());
        assertTrue(late <= early * GROWTH + GROWTH_BYTES, () -> "the heap grows: " + live);
    }
}
