// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.BufferAccess;
import io.signalbox.ConfigException;
import io.signalbox.backend.Backend;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Configuration of an engine, validated before anything starts. */
public final class EngineContext
{
    public static final int MIN_RING_SLOTS = 8;
    public static final int MAX_RING_SLOTS = 1 << 20;
    private static final int UNTAKEN_ROWS_SHARE = 4;

    private SchedulerConfig config = SchedulerConfig.builder().build();
    private Scheduler scheduler;
    private Backend backend;
    private GroupJournal journal = NoJournal.INSTANCE;
    private GroupListener listener = (group, offset, length) -> { };
    private Consumer<Throwable> failureListener = cause -> { };
    private EngineClient client;
    private LongSupplier clock = System::nanoTime;
    private WakeSource wakeSource = WakeSource.ENGINE;
    private Waiting waiting = Waiting.BLOCKING;
    private int ingressSlots = 1024;
    private int trackSlots = 1024;
    private boolean stepTimeoutGiven;
    private long stepTimeoutNanos;
    private long maxUntakenRowsBytes = Math.max(1, Runtime.getRuntime().maxMemory() / UNTAKEN_ROWS_SHARE);
    private int vocabularySize = Integer.MAX_VALUE;
    private ImpossibleRows impossibleRows = ImpossibleRows.MISSING;
    private long closeTimeoutNanos = 10_000_000_000L;

    /** Who sequences {@code Wake} inputs. */
    public enum WakeSource
    {
        /** The engine, when it has taken all inputs at hand and an idle rank could work. */
        ENGINE,
        /** The caller of {@link Engine#offer}: a simulator, whose virtual time decides when a moment is over. */
        CALLER
    }

    /** How the threads of a {@link ThreadedEngine} wait. */
    public enum Waiting
    {
        BLOCKING,
        /** Lowest latency; each of the engine's threads occupies a core. */
        SPINNING
    }

    /** @throws ConfigException if this JVM was started without the flag that the engine's buffers need. */
    public EngineContext()
    {
        BufferAccess.require();
    }

    public EngineContext config(final SchedulerConfig value)
    {
        refuseAfterClient("the configuration");
        config = required("the configuration", value);
        return this;
    }

    public EngineContext backend(final Backend value)
    {
        backend = required("the backend", value);
        return this;
    }

    public EngineContext journal(final GroupJournal value)
    {
        journal = required("the journal", value);
        return this;
    }

    public EngineContext listener(final GroupListener value)
    {
        listener = required("the listener", value);
        return this;
    }

    /**
     * Receives once why the engine accepts no further input: from the failing thread if the engine stops on an
     * exception, else from {@link Engine#close}. Must not wait for the engine.
     */
    public EngineContext failureListener(final Consumer<Throwable> value)
    {
        failureListener = required("the failure listener", value);
        return this;
    }

    public EngineContext wakeSource(final WakeSource value)
    {
        wakeSource = required("the wake source", value);
        return this;
    }

    public EngineContext waiting(final Waiting value)
    {
        waiting = required("the way of waiting", value);
        return this;
    }

    /** A power of two. */
    public EngineContext ingressSlots(final int value)
    {
        refuseAfterClient("the number of ingress slots");
        ingressSlots = value;
        return this;
    }

    /** A power of two. */
    public EngineContext trackSlots(final int value)
    {
        trackSlots = value;
        return this;
    }

    /**
     * How long a step may be in flight before it is given up, and its rank with it; 0: no limit. The default is the
     * backend's. Only a {@link ThreadedEngine} that wakes itself has a timer for it; every other engine refuses a value and
     * ignores the backend's.
     */
    public EngineContext stepTimeoutNanos(final long value)
    {
        stepTimeoutGiven = true;
        stepTimeoutNanos = value;
        return this;
    }

    /**
     * Token ids of the model are below it; default: {@link Integer#MAX_VALUE}. A step of the backend with another token
     * fails, and its requests start over.
     */
    public EngineContext vocabularySize(final int value)
    {
        vocabularySize = value;
        return this;
    }

    /** What becomes of a routed-expert row that no expert router can have chosen; default: it is missing. */
    public EngineContext impossibleRows(final ImpossibleRows value)
    {
        impossibleRows = required("what becomes of impossible rows", value);
        return this;
    }

    /**
     * Bytes that the routed experts of ended requests may hold until their clients take them; default: a quarter of the
     * largest heap. Above it an engine that wakes itself discards those of the request that ended first, which
     * {@link EngineClient#takeRows} then says. Pages that requests share count once for each.
     */
    public EngineContext maxUntakenRowsBytes(final long value)
    {
        maxUntakenRowsBytes = value;
        return this;
    }

    /** Nanoseconds on any fixed origin, never negative: the logical time of what clients and the timer offer. */
    public EngineContext clock(final LongSupplier value)
    {
        refuseAfterClient("the clock");
        clock = required("the clock", value);
        return this;
    }

    /** The client that was made from this context, or {@code null}. */
    EngineClient client()
    {
        return client;
    }

    /** The client reads configuration, ring and clock, so these cannot change from here on. */
    void attach(final EngineClient value)
    {
        refuseAfterClient("a client");
        client = value;
    }

    private static <T> T required(final String what, final T value)
    {
        if (value == null)
        {
            throw new ConfigException(what + " of an EngineContext is null; give one, or leave the setting out.");
        }
        return value;
    }

    private void refuseAfterClient(final String what)
    {
        if (client != null)
        {
            throw new ConfigException(
                what + " was given to an EngineContext that has a client; set it before the client is made.");
        }
    }

    /** How long {@link Engine#close} waits for what is under way, and then again for the threads to end. */
    public EngineContext closeTimeoutNanos(final long value)
    {
        closeTimeoutNanos = value;
        return this;
    }

    EngineContext conclude()
    {
        if (scheduler != null)
        {
            throw new ConfigException(
                "an EngineContext has been used to open an engine; make one for each engine, with a separate journal.");
        }
        if (backend == null)
        {
            throw new ConfigException("the engine has no backend; set one on the EngineContext.");
        }
        backend.capabilities().require(config.capture() != null, config.depth(), config.draftTokens());
        if (stepTimeoutNanos < 0)
        {
            throw new ConfigException("stepTimeoutNanos=" + stepTimeoutNanos + " is negative; give 0 for no timeout.");
        }
        if (maxUntakenRowsBytes < 1)
        {
            throw new ConfigException("maxUntakenRowsBytes=" + maxUntakenRowsBytes +
                " is not positive; give the bytes of rows that ended requests may hold.");
        }
        if (vocabularySize < 1)
        {
            throw new ConfigException(
                "vocabularySize=" + vocabularySize + " is not positive; give the number of tokens that the model knows.");
        }
        if (closeTimeoutNanos < 1)
        {
            throw new ConfigException(
                "closeTimeoutNanos=" + closeTimeoutNanos + " is not positive; give how long close may wait.");
        }
        checkSlots("ingressSlots", ingressSlots);
        checkSlots("trackSlots", trackSlots);
        if (clock.getAsLong() < 0)
        {
            throw new ConfigException(
                "the clock of the engine is negative; give one that counts from an origin before the engine is opened.");
        }
        scheduler = new Scheduler(config);
        return this;
    }

    /** To be called by an engine without a timer. */
    void refuseStepTimeout()
    {
        if (stepTimeoutNanos > 0)
        {
            throw new ConfigException("stepTimeoutNanos=" + stepTimeoutNanos +
                " needs the timer of a threaded engine that wakes itself; choose that engine or give 0.");
        }
    }

    private static void checkSlots(final String name, final int slots)
    {
        if (slots < MIN_RING_SLOTS || slots > MAX_RING_SLOTS || Integer.bitCount(slots) != 1)
        {
            throw new ConfigException(
                name + "=" + slots + " is not a power of two between " + MIN_RING_SLOTS + " and " + MAX_RING_SLOTS +
                "; give one that is.");
        }
    }

    SchedulerConfig config()
    {
        return config;
    }

    Scheduler scheduler()
    {
        return scheduler;
    }

    Backend backend()
    {
        return backend;
    }

    /** Nothing but what can be read back is appended. */
    GroupJournal journal()
    {
        return journal == NoJournal.INSTANCE ? journal : new CheckedJournal(journal);
    }

    /** The client first: its credits come back even if the other listener is slow. */
    GroupListener listener()
    {
        if (client == null)
        {
            return listener;
        }
        final GroupListener following = listener;
        return (group, offset, length) ->
        {
            client.onGroup(group, offset, length);
            following.onGroup(group, offset, length);
        };
    }

    /** They receive, in this order, why the engine accepts no further input. */
    List<Consumer<Throwable>> failureListeners()
    {
        return client == null ? List.of(failureListener) : List.of(client::failAll, failureListener);
    }

    FinishedRows finishedRows()
    {
        return new FinishedRows(config, wakeSource == WakeSource.ENGINE ? maxUntakenRowsBytes : FinishedRows.NO_BOUND);
    }

    LongSupplier clock()
    {
        return clock;
    }

    /** Latest possible time of a backend's report; unbounded if the caller wakes the engine, since it then sets the time. */
    LongSupplier latestReportNanos()
    {
        return wakeSource == WakeSource.ENGINE ? clock : () -> Long.MAX_VALUE;
    }

    long stepTimeoutNanos()
    {
        return stepTimeoutGiven ? stepTimeoutNanos : backend.stepTimeoutNanos();
    }

    WakeSource wakeSource()
    {
        return wakeSource;
    }

    ReportCheck reportCheck()
    {
        return new ReportCheck(config.capture(), vocabularySize, impossibleRows);
    }

    Waiting waiting()
    {
        return waiting;
    }

    int ingressSlots()
    {
        return ingressSlots;
    }

    int trackSlots()
    {
        return trackSlots;
    }

    long closeTimeoutNanos()
    {
        return closeTimeoutNanos;
    }
}
