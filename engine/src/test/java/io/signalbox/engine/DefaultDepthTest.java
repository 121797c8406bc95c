// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.HashMap;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** Steps in flight of an engine whose configuration gives no depth. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DefaultDepthTest
{
    private static final SchedulerConfig NO_DEPTH = SchedulerConfig.builder().ranks(1).kvBlocks(64).build();

    private static EngineConfig context(final SchedulerConfig config, final int depth)
    {
        return new EngineConfig().scheduler(config).backend(new SilentBackend(depth));
    }

    private static int depthOf(final SchedulerConfig config, final int backendDepth, final boolean threaded)
    {
        final EngineConfig context = context(config, backendDepth);
        try (Engine engine = threaded ? new ThreadedEngine(context) : new SteppedEngine(context))
        {
            assertEquals(Long.MAX_VALUE, engine.nextTickNanos());
            return context.concluded().config().depth();
        }
    }

    @Test
    void shouldTakeTwoStepsIfTheBackendDoes()
    {
        assertEquals(1, depthOf(NO_DEPTH, 1, true));
        assertEquals(2, depthOf(NO_DEPTH, 2, true));
        assertEquals(2, depthOf(NO_DEPTH, 4, true));
        assertEquals(1, depthOf(NO_DEPTH, 4, false), "an engine without threads");
    }

    @Test
    void shouldKeepTheDepthThatWasGiven()
    {
        assertEquals(1, depthOf(NO_DEPTH.toBuilder().depth(1).build(), 4, true));
        assertEquals(4, depthOf(NO_DEPTH.toBuilder().depth(4).build(), 4, true));
        assertEquals(1, depthOf(SchedulerConfig.of(NO_DEPTH.settings()), 4, true), "of a run description");
        assertEquals(3, depthOf(NO_DEPTH.toBuilder().depth(3).build().toBuilder().ranks(2).build(), 4, true));
    }

    @Test
    void shouldRefuseAGivenDepthThatTheBackendDoesNotTake()
    {
        final ConfigException refusal =
            assertThrows(ConfigException.class, () -> depthOf(NO_DEPTH.toBuilder().depth(2).build(), 1, true));
        assertEquals("depth=2 is more than the 1 steps in flight that the backend silent takes per rank; give a depth up " +
            "to 1, or choose another backend.", refusal.getMessage());
        assertEquals("depth", refusal.setting());
        assertEquals("--depth=2 is more than the 1 steps in flight that the backend silent takes per rank; give a --depth " +
            "up to 1, or choose another backend.", refusal.renamed(setting -> "--" + setting).getMessage());
    }

    /** A replay would decide otherwise than the engine did. */
    @Test
    void shouldRefuseAJournalThatDescribesAnotherDepth()
    {
        final EngineConfig context = context(NO_DEPTH, 4).journal(new Described(NO_DEPTH.settings()));
        assertEquals("the journal describes a run with scheduler.depth=1, but the engine would run with " +
            "scheduler.depth=2; begin the journal with EngineConfig.runSettings(), or give the same value to both.",
            assertThrows(ConfigException.class, () -> new ThreadedEngine(context)).getMessage());
        assertEquals("scheduler.depth",
            assertThrows(ConfigException.class, () -> new ThreadedEngine(context)).setting());
    }

    @Test
    void shouldTakeAJournalThatDescribesTheDepthOfTheEngine()
    {
        final BackendCapabilities capabilities = new SilentBackend(4).capabilities();
        final SchedulerConfig config = EngineContext.fitted(NO_DEPTH, capabilities, 2);
        final Map<String, String> settings = new HashMap<>(config.settings());
        settings.put("program.version", "test");
        new ThreadedEngine(context(NO_DEPTH, 4).journal(new Described(settings))).close();
        new ThreadedEngine(context(config, 4).journal(new Described(settings))).close();
    }

    /** A journal that begins with this run description. */
    private record Described(Map<String, String> runDescription) implements GroupJournal
    {
        @Override
        public void append(
            final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
        {
        }

        @Override
        public void endOfBatch()
        {
        }

        @Override
        public void close()
        {
        }
    }
}
