// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.TestStrength;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.FinishReason;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Reports for one rank from many threads at once, as {@code CompletionSink} allows, end in a journal that verifies. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ConcurrentReportsTest
{
    private static final ModelShape SHAPE = new ModelShape(16, 64, 8);
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(100);
    private static final int PROMPT = 40;
    private static final int NEW_TOKENS = 100;

    @TempDir
    Path temporary;

    @Test
    void shouldJournalReportsOfOneRankFromManyThreads() throws Exception
    {
        for (int round = 0; round < TestStrength.count(4, 40); round++)
        {
            final Path directory = temporary.resolve("journal-" + round);
            final SchedulerConfig config = SchedulerConfig.builder().ranks(1).kvBlocks(256).capture(SHAPE).build();
            run(directory, config);
            final Verification verification = JournalVerifier.verify(directory, Scheduler::new);
            assertNull(verification.difference(), () -> "round: " + verification.difference());
            assertTrue(verification.ending().isSealed());
        }
    }

    private static void run(final Path directory, final SchedulerConfig config) throws Exception
    {
        final JournalWriter journal =
            JournalWriter.create(directory, config.settings(), Runs.options(Durability.PROCESS));
        final EngineConfig context =
            new EngineConfig().scheduler(config).backend(new CrowdedBackend(4)).journal(journal).ingressSlots(64);
        try (SignalboxEngine engine = SignalboxEngine.launch(context))
        {
            final List<CompletionHandle> handles = new ArrayList<>();
            for (int i = 0; i < 8; i++)
            {
                handles.add(engine.submit(CompletionRequest.prompt(new int[PROMPT])
                    .maxNewTokens(NEW_TOKENS).cacheKey(new byte[] {(byte)i}).routedExperts(0)));
            }
            for (final CompletionHandle handle : handles)
            {
                assertEquals(FinishReason.LENGTH, handle.await(LONG_ENOUGH).reason());
                final RoutedExperts rows = handle.takeRoutedExperts(LONG_ENOUGH).orElse(null);
                assertNotNull(rows);
                for (int row = 0; row < PROMPT + NEW_TOKENS - 1; row++)
                {
                    CrowdedBackend.assertRow(rows, row);
                }
            }
            assertEquals(Optional.empty(), engine.failure());
        }
    }
}
