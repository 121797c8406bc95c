// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** {@link EngineConfig#threadStarted}: the threads that call it, and a call that throws. */
@Tag("threads")
class ThreadStartTest
{
    private static EngineConfig config(final HandlerThreads handlers)
    {
        return new EngineConfig().scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(64).build())
            .backend(new SilentBackend()).handlerThreads(handlers);
    }

    @ParameterizedTest
    @EnumSource(value = HandlerThreads.class, names = {"ONE", "EACH"})
    void shouldCallItOnceInEachThreadOfARole(final HandlerThreads handlers) throws Exception
    {
        final Map<EngineThread, String> threads = new ConcurrentHashMap<>();
        final Set<EngineThread> roles = handlers == HandlerThreads.ONE ?
            EnumSet.of(EngineThread.SCHEDULER, EngineThread.JOURNAL) : EnumSet.allOf(EngineThread.class);
        try (SignalboxEngine engine = SignalboxEngine.launch(config(handlers).threadStarted(role ->
            assertEquals(null, threads.put(role, Thread.currentThread().getName()), "called twice"))))
        {
            engine.resetCache();
            engine.drain().toCompletableFuture().get();
        }
        assertEquals(roles, threads.keySet());
        assertEquals(roles.size(), Set.copyOf(threads.values()).size(), "one thread per role: " + threads);
        assertEquals("signalbox-scheduler", threads.get(EngineThread.SCHEDULER));
    }

    @ParameterizedTest
    @EnumSource(EngineThread.class)
    void shouldFailTheEngineIfItThrows(final EngineThread thrower) throws Exception
    {
        final CompletableFuture<Throwable> failure = new CompletableFuture<>();
        final IllegalStateException cause = new IllegalStateException("core 1023 does not exist");
        final SignalboxEngine engine = SignalboxEngine.launch(config(HandlerThreads.EACH)
            .failureListener(failure::complete).threadStarted(role ->
        {
            if (role == thrower)
            {
                throw cause;
            }
        }));
        assertSame(cause, failure.get());
        assertSame(cause, engine.failure().orElseThrow());
        engine.closeNow();
    }

    @Test
    void shouldRefuseNull()
    {
        assertThrows(ConfigException.class, () -> new EngineConfig().threadStarted(null));
    }
}
