// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.backend.Backend;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.testkit.FaultyBackend.InjectedFault;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Requests end with the same tokens, and all their rows, whatever the backend does to their steps. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FaultyBackendTest
{
    private static final int REQUESTS = 30;
    private static final long TIMEOUT_NANOS = 50_000_000;
    private static final Duration LONG_ENOUGH = Duration.ofMinutes(1);

    /** Without a limit for a step: the backend answers each one, however late. */
    private static List<List<Integer>> tokens() throws Exception
    {
        return tokens(new PlantedBackend(null), 0);
    }

    private static List<List<Integer>> tokens(final Backend backend, final long stepTimeoutNanos) throws Exception
    {
        final SchedulerConfig config = SchedulerConfig.builder().ranks(2).kvBlocks(65).blockSizeTokens(8).stepTokens(64)
            .capture(new ModelShape(3, 16, 2)).maxFailures(0).backOffNanos(1_000).build();
        final List<CompletionHandle> handles = new ArrayList<>();
        final List<List<Integer>> tokens = new ArrayList<>();
        try (SignalboxEngine engine = SignalboxEngine.launch(new EngineConfig().scheduler(config).backend(backend)
            .vocabularySize(PlantedBackend.VOCABULARY)
                .stepTimeout(Duration.ofNanos(stepTimeoutNanos)).rankResets(1_000_000)))
        {
            for (int i = 0; i < REQUESTS; i++)
            {
                handles.add(engine.submit(
                    ContractRequests.request(i, PlantedBackend.VOCABULARY, PlantedBackend.MAX_POSITIONS, true)));
            }
            for (final CompletionHandle handle : handles)
            {
                assertEquals(0, handle.await(LONG_ENOUGH).missingRows());
                tokens.add(Arrays.stream(handle.tokens()).boxed().toList());
            }
        }
        return tokens;
    }

    @ParameterizedTest
    @EnumSource(InjectedFault.class)
    void shouldChangeNoTokenByOneKindOfFault(final InjectedFault fault) throws Exception
    {
        final FaultyBackend faulty = new FaultyBackend(new PlantedBackend(null), 1, 8, Set.of(fault));
        assertEquals(tokens(), tokens(faulty, TIMEOUT_NANOS));
        assertTrue(faulty.injected().getOrDefault(fault, 0) > 0, "no fault was injected");
        assertEquals(Set.of(fault), faulty.injected().keySet());
    }

    @Test
    void shouldChangeNoTokenByAllOfThem() throws Exception
    {
        final FaultyBackend faulty =
            new FaultyBackend(new PlantedBackend(null), 3, 4, EnumSet.allOf(InjectedFault.class));
        assertEquals(tokens(), tokens(faulty, TIMEOUT_NANOS));
        assertTrue(faulty.injected().size() >= 3, faulty.injected().toString());
    }

    @Test
    void shouldRefuseToInjectNothing()
    {
        assertThrows(IllegalArgumentException.class, () -> new FaultyBackend(new PlantedBackend(null), 1, 0,
            Set.of(InjectedFault.TWICE)));
        assertThrows(IllegalArgumentException.class, () -> new FaultyBackend(new PlantedBackend(null), 1, 1, Set.of()));
    }
}
