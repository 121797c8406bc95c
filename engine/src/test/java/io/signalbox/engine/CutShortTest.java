// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.function.Function;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The journal is notified of a failed run before it is closed, and of nothing if the run did not fail. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CutShortTest
{
    private static final GroupListener QUIET = (group, offset, length) -> { };
    private static final GroupListener FAILING = (group, offset, length) ->
    {
        throw new IllegalArgumentException("planted in the listener");
    };

    @Test
    void shouldTellTheJournalThatASteppedEngineFailed()
    {
        assertTrue(isCutShort(SteppedEngine::new, FAILING));
    }

    @Test
    void shouldTellTheJournalThatAThreadedEngineFailed()
    {
        assertTrue(isCutShort(ThreadedEngine::new, FAILING));
    }

    @Test
    void shouldLetARunThatDidNotFailEnd()
    {
        assertEquals(false, isCutShort(SteppedEngine::new, QUIET));
        assertEquals(false, isCutShort(ThreadedEngine::new, QUIET));
    }

    private static boolean isCutShort(final Function<EngineConfig, Engine> engines, final GroupListener listener)
    {
        final RecordingJournal journal = new RecordingJournal();
        final InputWriter note = new InputWriter();
        note.control().timeNanos(1).requestId(-1).kind(ControlKind.NOTE).note("a note");
        final Engine engine = engines.apply(new EngineConfig()
            .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(64).build())
            .backend(new SilentBackend()).journal(journal).listener(listener));
        if (listener == FAILING)
        {
            assertNotNull(assertThrows(RuntimeException.class, () ->
            {
                engine.offer(note.buffer(), 0, note.length(), null);
                engine.awaitProcessed();
            }));
        }
        else
        {
            engine.offer(note.buffer(), 0, note.length(), null);
            engine.awaitProcessed();
        }
        engine.close();
        assertTrue(journal.isClosed());
        return journal.isCutShort();
    }
}
