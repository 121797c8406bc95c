// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@Tag("threads")
@EnabledOnOs(OS.LINUX)
class PinnedCoresTest
{
    private static final int NO_CORE_HAS_IT = 1023;

    /** The first core on which this process may run. */
    private static int firstCore() throws IOException
    {
        return Integer.parseInt(allowedCores().split("[-,]")[0]);
    }

    private static int lastCore() throws IOException
    {
        return Integer.parseInt(allowedCores().replaceFirst(".*[-,]", ""));
    }

    private static String allowedCores() throws IOException
    {
        return Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
            .filter(line -> line.startsWith("Cpus_allowed_list:")).findFirst().orElseThrow().split("\\s+")[1];
    }

    private static EngineConfig config()
    {
        return new EngineConfig().scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(64).build())
            .backend(new SilentBackend());
    }

    @Test
    void shouldRunTheThreadsOfTheRingsOnTheirCoresAndLeaveTheCallerAlone() throws Exception
    {
        final int core = firstCore();
        final String before = allowedCores();
        final AtomicReference<String> listener = new AtomicReference<>();
        final EngineConfig config = config().pinnedCores(List.of(core, core, core, core)).listener((group, offset, length) ->
        {
            try
            {
                listener.compareAndSet(null, allowedCores());
            }
            catch (final IOException e)
            {
                listener.compareAndSet(null, String.valueOf(e));
            }
        });
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            engine.resetCache();
            engine.drain().toCompletableFuture().get();
        }
        assertEquals(String.valueOf(core), listener.get());
        assertEquals(before, allowedCores());
    }

    @Test
    void shouldRefuseACoreThatTheSystemRefuses() throws IOException
    {
        final int core = firstCore();
        final ConfigException refusal = assertThrows(ConfigException.class,
            () -> new ThreadedEngine(config().pinnedCores(List.of(core, core, core, NO_CORE_HAS_IT))));
        assertTrue(refusal.getMessage().startsWith("pinnedCores=" + core + "," + core + "," + core +
            ",1023 cannot be had: the system refuses core 1023; give cores"), refusal.getMessage());
    }

    @Test
    void shouldRefuseToLetTwoThreadsSpinOnOneCore()
    {
        final ConfigException refusal =
            assertThrows(ConfigException.class, () -> new PinnedCores(List.of(0, 1, 2, 2), 4));
        assertTrue(refusal.getMessage().contains("gives two spinning threads one core"), refusal.getMessage());
        assertTrue(refusal.getMessage().contains("give each of the 4 threads a different core"), refusal.getMessage());
        assertThrows(ConfigException.class, () -> new PinnedCores(List.of(0, 0, 1, 2), 2));
    }

    @Test
    void shouldLetTheThreadOfAllHandlersShareNoCoreWithTheScheduler() throws IOException
    {
        final int core = firstCore();
        final int other = lastCore();
        assumeTrue(core != other, "needs two cores");
        new PinnedCores(List.of(core, other, other, other), 2);
        new PinnedCores(List.of(core, core, core, core), 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "1,2,3", "1,2,3,4,5", "-1,2,3,4", "1,2,3,1024", "1,2,3,x", "1, 2, 3, 4", "١,2,3,4"})
    void shouldReadFourNumbersOfCoresAndNothingElse(final String text)
    {
        assertThrows(ConfigException.class, () -> EngineConfig.PINNED_CORES.parse(text));
        assertThrows(ConfigException.class, () -> config().pinnedCores(List.of(1, 2, 3)));
        assertEquals(Optional.of(List.of(2, 3, 3, 4)), EngineConfig.PINNED_CORES.parse("2,3,3,4"));
    }
}
