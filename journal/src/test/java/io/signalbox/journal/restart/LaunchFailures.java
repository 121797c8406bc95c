// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.backend.Backend;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.RecordedRun;
import io.signalbox.engine.RunJournal;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.ReadProgress;
import org.agrona.IoUtil;
import org.agrona.LangUtil;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Launches that fail: each call of the launching thread to a part that the application gives throws in turn, until a launch
 * gets through. After each of them, in the same process, the directory can be opened and has what it had.
 */
public final class LaunchFailures
{
    private static final int[] PROMPT = {1, 2, 3, 4, 5, 6, 7};
    /** Calls to a backend by other threads, and calls that give back instead of taking. */
    private static final Set<String> SPARED = Set.of("submit", "abort", "close");
    private static final JournalConfig CONFIG = new JournalConfig(Durability.PROCESS, 1 << 16, 1 << 18);
    private static final int MOST_CALLS = 100;

    private final Path directory;
    private final boolean threaded;

    private LaunchFailures(final Path directory, final boolean threaded)
    {
        this.directory = directory;
        this.threaded = threaded;
    }

    /** The call that throws. */
    private static final class Fault
    {
        private final Thread launcher = Thread.currentThread();
        private final AtomicInteger left;
        private final Throwable thrown;
        private volatile String place;

        /** @param call counts from 1; 0: none throws. */
        private Fault(final int call)
        {
            left = new AtomicInteger(call);
            thrown = switch (call % 4)
            {
                case 0 -> new OutOfMemoryError("planted");
                case 1 -> new IllegalStateException("planted");
                case 2 -> new StackOverflowError("planted");
                default -> new IOException("planted");
            };
        }

        private void pass(final String at)
        {
            if (Thread.currentThread() == launcher)
            {
                passAnywhere(at);
            }
        }

        private void passAnywhere(final String at)
        {
            if (left.getAndDecrement() == 1)
            {
                place = at;
                LangUtil.rethrowUnchecked(thrown);
            }
        }

        private <T> T in(final Class<T> type, final T target)
        {
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, values) ->
            {
                if (!SPARED.contains(method.getName()))
                {
                    pass(type.getSimpleName() + "." + method.getName());
                }
                try
                {
                    return method.invoke(target, values);
                }
                catch (final InvocationTargetException e)
                {
                    throw e.getCause();
                }
            }));
        }
    }

    /** An engine of either kind. */
    private record Opened(AutoCloseable engine, List<CompletionHandle> resumed)
    {
        private void close() throws Exception
        {
            engine.close();
        }
    }

    private Opened open(final Fault fault, final ContentBackend backend)
    {
        final DirectoryJournal journal = new DirectoryJournal(directory, CONFIG, new Progress(fault));
        final RunJournal run = description ->
        {
            fault.pass("RunJournal.open");
            return fault.in(RecordedRun.class, journal.open(description));
        };
        final LongSupplier clock = () ->
        {
            fault.pass("the clock");
            return System.nanoTime();
        };
        final EngineConfig config = new EngineConfig().scheduler(Incarnation.config(2).build())
            .backend(fault.in(Backend.class, backend)).clock(clock).runJournal(run).drainTimeout(Duration.ZERO);
        if (threaded)
        {
            final SignalboxEngine engine = SignalboxEngine.launch(config);
            return new Opened(engine, engine.resumed());
        }
        final SteppedEngine engine = new SteppedEngine(config);
        return new Opened(engine, engine.resumed());
    }

    /** The thread that reads the journal may be another one than the one that launches. */
    private record Progress(Fault fault) implements ReadProgress
    {
        @Override
        public void onRead(final long doneBytes, final long totalBytes)
        {
            fault.passAnywhere("ReadProgress.onRead");
        }

        @Override
        public void onPassedOver(final String sentence)
        {
            fault.passAnywhere("ReadProgress.onPassedOver");
        }
    }

    /** Leaves a run with one request that has tokens. Returns them. */
    private int[] begin() throws Exception
    {
        final ContentBackend backend = new ContentBackend(2, false);
        try (Incarnation engine = new Incarnation(new DirectoryJournal(directory, CONFIG),
            Incarnation.config(2).build(), System::nanoTime, backend))
        {
            final CompletionHandle handle = engine.submit(new Ask(PROMPT, 20, 0, 0));
            engine.turn(4);
            require(handle.tokenCount() > 0, "no token was visible");
            return handle.tokens();
        }
    }

    private static void require(final boolean holds, final String sentence)
    {
        if (!holds)
        {
            throw new AssertionError(sentence);
        }
    }

    /** Returns the place that threw; {@code null} if the launch got through. */
    private String tryLaunch(final int call) throws Exception
    {
        final Fault fault = new Fault(call);
        try
        {
            open(fault, new ContentBackend(2, false)).close();
        }
        catch (final Throwable e)
        {
            require(fault.place != null, "call " + call + " failed by itself: " + e);
        }
        return fault.place;
    }

    /** @param tokens of the one request that the run has; {@code null}: it has none. */
    private void requireFree(final String place, final int[] tokens) throws Exception
    {
        try
        {
            final Opened opened = open(new Fault(0), new ContentBackend(2, false));
            opened.close();
            require(opened.resumed.size() == (tokens == null ? 0 : 1), place + ": resumed " + opened.resumed);
            require(tokens == null || Arrays.equals(tokens, opened.resumed.get(0).tokens()), place + ": other tokens");
        }
        catch (final RuntimeException e)
        {
            throw new AssertionError(place + " threw, and then: " + e, e);
        }
    }

    private int failEachCall(final boolean continued) throws Exception
    {
        String place = "";
        int calls = 0;
        while (place != null)
        {
            calls++;
            require(calls < MOST_CALLS, "no launch gets through");
            final int[] tokens = continued ? begin() : null;
            place = tryLaunch(calls);
            requireFree(place, tokens);
            IoUtil.delete(directory.toFile(), false);
        }
        return calls - 1;
    }

    /** The first failure as a text, or {@code null}. Engines with threads, or without. */
    public static String firstFailure(final int threads)
    {
        try
        {
            final Path temporary = Files.createTempDirectory("launches");
            try
            {
                for (final boolean continued : new boolean[] {false, true})
                {
                    final int calls =
                        new LaunchFailures(temporary.resolve("journal"), threads > 0).failEachCall(continued);
                    require(calls >= 8, "only " + calls + " calls threw");
                }
            }
            finally
            {
                IoUtil.delete(temporary.toFile(), false);
            }
            return null;
        }
        catch (final Exception | AssertionError e)
        {
            return String.valueOf(e);
        }
    }
}
