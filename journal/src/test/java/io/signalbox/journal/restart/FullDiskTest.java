// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.Refusal;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.Ending;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.Verification;
import io.signalbox.scheduler.Scheduler;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An engine whose journal is on a real, small disk that another process fills. */
final class FullDiskTest
{
    private static final int MEBIBYTES = 24;
    private static final int NOTES = 100_000;
    /** With them the reserve is begun, and not used up: blocks are reserved in steps as large as the file. */
    private static final int NOTES_TO_RESERVE = 4_500;
    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final JournalConfig CONFIG =
        new JournalConfig(Durability.PROCESS, 1L << 30, 1L << 26).withReserveBytes(4L << 20);

    @TempDir
    private Path directory;
    private long nanos;
    private ContentBackend backend;

    private SteppedEngine engine(final Path journal)
    {
        backend = new ContentBackend(1, false);
        return new SteppedEngine(new EngineConfig().scheduler(Incarnation.config(1).build()).backend(backend)
            .clock(() -> nanos += 1_000).runJournal(new DirectoryJournal(journal, CONFIG)));
    }

    private static CompletionHandle submit(final SteppedEngine engine, final int first)
    {
        return engine.submit(CompletionRequest.prompt(new int[] {first, 2, 3, 4, 5}).maxNewTokens(20).routedExperts(0));
    }

    private void finish()
    {
        boolean worked = true;
        while (worked)
        {
            worked = backend.turn();
        }
    }

    private static void assertRefused(final CompletionHandle request) throws Exception
    {
        final Refusal refusal = request.await(WAIT).refusal().orElseThrow();
        assertEquals(Refusal.Reason.JOURNAL_FULL, refusal.reason());
        assertEquals(-1, request.requestId(), "a later engine gives the number to another request");
        assertEquals(Optional.of(Duration.ofSeconds(1)), refusal.retryAfter());
        assertTrue(refusal.message().contains("less room than its reserve of 4.0 MiB"), refusal.message());
    }

    private void note(final SteppedEngine engine)
    {
        final InputWriter writer = new InputWriter();
        writer.control().timeNanos(nanos += 1_000).requestId(-1).kind(ControlKind.NOTE).note("a".repeat(1000));
        engine.offer(writer.buffer(), 0, writer.length(), null);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tmpfs", "ext4"})
    void shouldRefuseThenGoOnThenStopAndContinue(final String type) throws Exception
    {
        try (SmallDisk disk = SmallDisk.mount(directory, type, MEBIBYTES))
        {
            final Path journal = disk.path().resolve("journal");
            int[] first;
            try (SteppedEngine engine = engine(journal))
            {
                final CompletionHandle running = submit(engine, 1);
                disk.fill();
                for (int i = 0; i < NOTES_TO_RESERVE; i++)
                {
                    note(engine);
                }
                finish();
                assertEquals(20, running.tokens().length, "what has begun is finished");
                assertRefused(submit(engine, 2));
                disk.free();
                final CompletionHandle again = submit(engine, 3);
                finish();
                assertEquals(20, again.tokens().length, "there is room again");
                first = again.tokens();

                disk.fill();
                final RuntimeException full = assertThrows(RuntimeException.class, () ->
                {
                    for (int i = 0; i < NOTES; i++)
                    {
                        note(engine);
                    }
                });
                assertTrue(full.getMessage().contains("has no room for the next"), full.getMessage());
            }
            final Verification verification = JournalVerifier.verify(journal, Scheduler::new);
            assertTrue(verification.matches(), String.valueOf(verification.difference()));
            assertEquals(Ending.DISK_FULL, verification.ending());
            assertTrue(verification.groups() > 4_000, verification.groups() + " groups");

            disk.free();
            try (SteppedEngine engine = engine(journal))
            {
                final CompletionHandle next = submit(engine, 3);
                finish();
                assertEquals(20, next.tokens().length);
                assertEquals(first.length, next.tokens().length);
            }
            assertTrue(JournalVerifier.verify(journal, Scheduler::new).matches());
        }
    }
}
