// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.BufferAccess;
import io.signalbox.ConfigException;
import io.signalbox.backend.Backend;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.engine.request.RowBudget;
import io.signalbox.engine.ring.CallbackThreads;
import io.signalbox.engine.ring.Nanos;
import io.signalbox.scheduler.CachedPrefixes;
import io.signalbox.scheduler.SchedulerConfig;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Configuration of an engine, validated before anything starts.
 */
public final class EngineConfig
{
    public static final Setting<Waiting> WAITING = Setting.constant("waiting", Waiting.BLOCKING,
        "How the threads of a threaded engine wait; each one that spins occupies a core.");
    public static final Setting<Long> POLL_NANOS = Setting.number("pollNanos", "ns", 0, 0, 1_000_000_000L,
        "How long the scheduler's thread polls for an input before it sleeps, if threads block: it then wakes sooner.")
        .remedy("give 0 to sleep at once");
    public static final Setting<HandlerThreads> HANDLER_THREADS = Setting.constant("handlerThreads",
        HandlerThreads.BY_CORES, "Threads of journal, dispatch and visibility: ONE for all, or EACH has its own.");
    public static final Setting<WakeSource> WAKE_SOURCE = Setting.constant("wakeSource", WakeSource.ENGINE,
        "Who notices that an idle rank could work: the engine, or a simulator that calls it.");
    public static final Setting<Integer> INGRESS_SLOTS =
        Setting.integer("ingressSlots", "slots", 1024, 8, 1 << 20, "Slots of the ring of inputs.").powerOfTwo()
            .remedy("give one that is")
        .option("--ring-size", "SLOTS", "Give each ring of the threaded engine SLOTS slots, a power of two");
    public static final Setting<Integer> TRACK_SLOTS =
        Setting.integer("trackSlots", "slots", EngineContext.USUAL_TRACK_SLOTS, 8, 1 << 20, "Slots of the ring of groups. " +
            "An engine that continues a run should have as many as the one before, if those were more than 1024.")
            .powerOfTwo().remedy("give one that is");
    public static final Setting<Optional<Long>> STEP_TIMEOUT_NANOS =
        Setting.number("stepTimeoutNanos", "ns", 0, 0, Long.MAX_VALUE,
            "How long a step may be in flight before its rank is given up; 0: no limit.")
            .remedy("give 0 for no timeout").orAbsent("the backend's");
    public static final Setting<Integer> VOCABULARY_SIZE =
        Setting.integer("vocabularySize", "tokens", Integer.MAX_VALUE, 1, Integer.MAX_VALUE,
            "Token ids of the model are below it; a step with another token fails.")
            .remedy("give the number of tokens that the model knows");
    public static final Setting<ImpossibleRows> IMPOSSIBLE_ROWS = Setting.constant("impossibleRows",
        ImpossibleRows.MISSING, "A routed-expert row that no expert router can have chosen is MISSING, or FAIL_STEP.");
    public static final Setting<Optional<Long>> MAX_UNTAKEN_ROWS_BYTES =
        Setting.number("maxUntakenRowsBytes", "bytes", 1, 1, Long.MAX_VALUE,
            "Bytes that the routed experts of ended requests may hold until their clients take them.")
            .remedy("give the bytes of rows that ended requests may hold").orAbsent("a quarter of the largest heap");
    public static final Setting<Long> MAX_UNTAKEN_ROWS_AGE_NANOS =
        Setting.number("maxUntakenRowsAgeNanos", "ns", 0, 0, Long.MAX_VALUE,
            "How long an ended request keeps its routed experts until its client takes them; 0: no limit.")
            .remedy("give 0 for no limit");
    public static final Setting<UntakenRows> UNTAKEN_ROWS = Setting.constant("untakenRows", UntakenRows.DISCARD_OLDEST,
        "How untaken rows are kept within their bytes: the oldest are discarded, or requests that want rows wait.");
    public static final Setting<Integer> RANK_RESETS = Setting.integer("rankResets", "resets", 3, 0, 1_000_000,
        "Automatic resets of a lost rank in a row, until a step of it is committed, if the backend resets ranks. After " +
            "them the rank is given up. 0: none, and requests wait for a caller who resets the rank.");
    public static final Setting<Long> CLOSE_TIMEOUT_NANOS =
        Setting.number("closeTimeoutNanos", "ns", 10_000_000_000L, 1, Long.MAX_VALUE,
            "Time limit of close for the running work, then for the backend, then for the threads; the journal has ten " +
                "times as long. After the limit, close leaves a part that has not ended.")
            .remedy("give how long close may wait");
    public static final Setting<Long> SUBMIT_WAIT_NANOS =
        Setting.number("submitWaitNanos", "ns", 10_000_000_000L, 0, Long.MAX_VALUE,
            "How long a request waits for room in the engine before it is refused; 0: it is refused at once.")
            .remedy("give 0 to refuse at once, or the largest number to wait without a limit");
    public static final Setting<Long> DRAIN_TIMEOUT_NANOS =
        Setting.number("drainTimeoutNanos", "ns", 10_000_000_000L, 0, Long.MAX_VALUE,
            "How long close waits until all requests have ended; 0: open requests fail at once.")
            .remedy("give how long close may wait for requests");
    public static final List<Setting<?>> SETTINGS = List.of(WAITING, POLL_NANOS, HANDLER_THREADS, WAKE_SOURCE,
        INGRESS_SLOTS, TRACK_SLOTS, STEP_TIMEOUT_NANOS, VOCABULARY_SIZE, IMPOSSIBLE_ROWS, MAX_UNTAKEN_ROWS_BYTES,
        MAX_UNTAKEN_ROWS_AGE_NANOS, UNTAKEN_ROWS, RANK_RESETS, CLOSE_TIMEOUT_NANOS, SUBMIT_WAIT_NANOS,
        DRAIN_TIMEOUT_NANOS);
    /** A wait without a limit. */
    public static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

    private static final int UNTAKEN_ROWS_SHARE = 4;

    /** The clock of an engine that is given none. */
    static final LongSupplier SYSTEM_CLOCK = System::nanoTime;

    private SchedulerConfig config = SchedulerConfig.builder().build();
    private EngineContext concluded;
    private Backend backend;
    private GroupJournal journal = GroupJournal.NONE;
    private GroupListener listener = (group, offset, length) -> { };
    private Consumer<Throwable> failureListener = cause -> { };
    private Consumer<Completion.StepFailure> stepFailureListener = StepFailureLog::log;
    private Consumer<EngineThread> threadStarted = role -> { };
    private Executor callbacks = CallbackThreads.EXECUTOR;
    private EngineClient client;
    private ContinuedClock clock = new ContinuedClock(SYSTEM_CLOCK);
    private RunJournal runJournal;
    private CachedPrefixes cachedPrefixes;
    private SettingValues values = SettingValues.defaults("the engine", SETTINGS);

    /** Who sequences {@code Wake} inputs. */
    public enum WakeSource
    {
        /** The engine, when it has taken all inputs at hand and an idle rank could work. */
        ENGINE,
        /** The caller of {@link Engine#offer}: a simulator, whose virtual time decides when a moment is over. */
        CALLER
    }

    /** The way in which routed experts of ended requests are kept within {@link EngineConfig#maxUntakenRowsBytes}. */
    public enum UntakenRows
    {
        /** Those of the request that ended first are discarded, and counted. */
        DISCARD_OLDEST,
        /**
         * A request that wants rows is accepted when the bytes that it may need are free, and waits or is refused until
         * then. No row is discarded for its bytes. Rows of requests that run count as well.
         */
        HOLD_REQUESTS
    }

    /** Treatment of a routed-expert row that no expert router can have chosen. */
    public enum ImpossibleRows
    {
        /** The row is missing, and counted as refused. */
        MISSING,
        /** The step fails, and its requests start over. */
        FAIL_STEP
    }

    /** How the threads of a {@link ThreadedEngine} wait. */
    public enum Waiting
    {
        BLOCKING,
        /** Threads yield their core while they wait, and never block: a short wait on cores that others may need. */
        YIELDING,
        /** Lowest latency; each of the engine's threads occupies a core. */
        SPINNING
    }

    /** @throws ConfigException if this JVM was started without the flag that the engine's buffers need. */
    public EngineConfig()
    {
        BufferAccess.require();
    }

    /** The settings of the scheduler: ranks, KV blocks, router, batches, capture. */
    public EngineConfig scheduler(final SchedulerConfig value)
    {
        refuseAfterClient("the configuration of the scheduler");
        config = required("the configuration of the scheduler", value);
        return this;
    }

    public EngineConfig backend(final Backend value)
    {
        backend = required("the backend", value);
        return this;
    }

    public EngineConfig journal(final GroupJournal value)
    {
        journal = required("the journal", value);
        return this;
    }

    /**
     * Keeps the run here instead of in a {@link #journal}, and continues it if an earlier engine left one: the engine
     * replays it when it is opened, and {@link SignalboxEngine#resumed()} then has its requests. Refused if a setting, the
     * model's shape, the router or the backend differs.
     */
    public EngineConfig runJournal(final RunJournal value)
    {
        refuseAfterClient("the run's journal");
        runJournal = required("the run's journal", value);
        return this;
    }

    /** The blocks that ranks have cached before the first input; refused with a journal, since no event tells of them. */
    public EngineConfig cachedPrefixes(final CachedPrefixes value)
    {
        cachedPrefixes = required("the cached prefixes", value);
        return this;
    }

    /** It must not wait: with few cores its thread also writes the journal and launches steps. */
    public EngineConfig listener(final GroupListener value)
    {
        listener = required("the listener", value);
        return this;
    }

    /**
     * Receives the cause once if the engine fails, from the failing thread. Not called if the engine is closed before it
     * fails. Must not wait for the engine.
     */
    public EngineConfig failureListener(final Consumer<Throwable> value)
    {
        failureListener = required("the failure listener", value);
        return this;
    }

    /**
     * Receives every step that failed, on the executor of {@link #callbacks}, in the order of the journal. The engine itself
     * continues: requests of the step start over, and those that fail say so in {@link Completion#failure}. It may block or
     * throw; while it has 4,096 failures to receive, it misses later ones. Without a listener, the logger
     * {@code io.signalbox.engine} of the platform gets a warning, at most one per second.
     */
    public EngineConfig stepFailureListener(final Consumer<Completion.StepFailure> value)
    {
        refuseAfterClient("the listener of failed steps");
        stepFailureListener = required("the listener of failed steps", value);
        return this;
    }

    /**
     * Runs listeners and completions for which no other executor is given; without one, threads that the
     * process keeps for callbacks. It must take a task without waiting.
     */
    public EngineConfig callbacks(final Executor value)
    {
        refuseAfterClient("the executor of callbacks");
        callbacks = required("the executor of callbacks", value);
        return this;
    }

    /**
     * Back-pressure: how long {@link SignalboxEngine#submit} waits if the engine has no room for the request. Zero: it is
     * refused at once; {@link #FOREVER}: it waits without a limit.
     */
    public EngineConfig submitWait(final Duration value)
    {
        refuseAfterClient("the time that requests wait for room");
        return set(SUBMIT_WAIT_NANOS, nanos("the wait of submit", value));
    }

    /** How long {@link SignalboxEngine#close} waits until all requests have ended. */
    public EngineConfig drainTimeout(final Duration value)
    {
        return set(DRAIN_TIMEOUT_NANOS, nanos("the time limit of a drain", value));
    }

    public EngineConfig wakeSource(final WakeSource value)
    {
        return set(WAKE_SOURCE, value);
    }

    public EngineConfig waiting(final Waiting value)
    {
        return set(WAITING, value);
    }

    /** If requests come more often than that, the scheduler's thread is awake, and occupies a core. */
    public EngineConfig poll(final Duration value)
    {
        return set(POLL_NANOS, nanos("the time of a poll", value));
    }

    /**
     * Called once in each thread of a {@link ThreadedEngine} that has a role, before the thread's first work: to pin the
     * thread to a core, for example. Must return soon. If it throws, the engine fails.
     */
    public EngineConfig threadStarted(final Consumer<EngineThread> value)
    {
        threadStarted = required("the listener of threads", value);
        return this;
    }

    public EngineConfig handlerThreads(final HandlerThreads value)
    {
        return set(HANDLER_THREADS, value);
    }

    /** A power of two. */
    public EngineConfig ingressSlots(final int value)
    {
        refuseAfterClient("the number of ingress slots");
        return set(INGRESS_SLOTS, value);
    }

    /**
     * A power of two. An engine that continues a run hands out the ends of the last so many groups, 1,024 at least, because
     * clients may not have seen them: give as many as the engine before had if those were more.
     */
    public EngineConfig trackSlots(final int value)
    {
        return set(TRACK_SLOTS, value);
    }

    /**
     * How long a step may be in flight before it is given up, and its rank with it; zero: no limit. The default is the
     * backend's. Only a {@link ThreadedEngine} that wakes itself has a timer for it; every other engine refuses a value and
     * ignores the backend's.
     */
    public EngineConfig stepTimeout(final Duration value)
    {
        return set(STEP_TIMEOUT_NANOS, Optional.of(nanos("the time limit of a step", value)));
    }

    /**
     * Token ids of the model are below it; default: {@link Integer#MAX_VALUE}. A step of the backend with another token
     * fails, and its requests start over.
     */
    public EngineConfig vocabularySize(final int value)
    {
        return set(VOCABULARY_SIZE, value);
    }

    /** Says what becomes of a routed-expert row that no expert router can have chosen. */
    public EngineConfig impossibleRows(final ImpossibleRows value)
    {
        return set(IMPOSSIBLE_ROWS, value);
    }

    /**
     * Bytes that the routed experts of ended requests may hold until their clients take them; default: a quarter of the
     * largest heap. Above it an engine that wakes itself discards those of the request that ended first, which
     * {@link CompletionHandle#takeRoutedExperts} then says. Pages that requests share count once for each.
     */
    public EngineConfig maxUntakenRowsBytes(final long value)
    {
        return set(MAX_UNTAKEN_ROWS_BYTES, Optional.of(value));
    }

    /**
     * How long an ended request keeps its routed experts for its client; zero: no limit. Older ones are discarded, which
     * {@link CompletionHandle#takeRoutedExperts} then says, and counted.
     */
    public EngineConfig maxUntakenRowsAge(final Duration value)
    {
        return set(MAX_UNTAKEN_ROWS_AGE_NANOS, nanos("the age of untaken rows", value));
    }

    /** Says how untaken rows are kept within {@link #maxUntakenRowsBytes}. */
    public EngineConfig untakenRows(final UntakenRows value)
    {
        refuseAfterClient("the treatment of untaken rows");
        return set(UNTAKEN_ROWS, value);
    }

    long mostUntakenBytes()
    {
        return value(MAX_UNTAKEN_ROWS_BYTES)
            .orElseGet(() -> Math.max(1, Runtime.getRuntime().maxMemory() / UNTAKEN_ROWS_SHARE));
    }

    /** Holds requests back; {@code null} if rows are discarded instead, or there are none. */
    RowBudget rowBudget()
    {
        return config.capture() != null && value(UNTAKEN_ROWS) == UntakenRows.HOLD_REQUESTS ?
            new RowBudget(mostUntakenBytes()) : null;
    }

    /**
     * Automatic resets of a lost rank in a row, until a step of it is committed; default 3. Then the rank is given up: once
     * every rank is lost and given up, requests that wait fail, and later ones are refused. 0: none, and requests wait for
     * a caller of {@link Engine#resetRank}, which brings back any lost rank. Only if the backend declares that it resets
     * ranks.
     */
    public EngineConfig rankResets(final int value)
    {
        return set(RANK_RESETS, value);
    }

    /** Nanoseconds on any fixed origin, never negative: the logical time of what clients and the timer offer. */
    public EngineConfig clock(final LongSupplier value)
    {
        refuseAfterClient("the clock");
        clock = new ContinuedClock(required("the clock", value));
        return this;
    }

    /** The client reads configuration, ring and clock, so these cannot change from here on. */
    void attach(final EngineClient value)
    {
        if (client != null)
        {
            throw usedAlready();
        }
        client = value;
    }

    private <T> EngineConfig set(final Setting<T> setting, final T value)
    {
        values = values.with(setting, value);
        return this;
    }

    private static <T> T required(final String what, final T value)
    {
        if (value == null)
        {
            throw new ConfigException(what + " of an EngineConfig is null; give one, or leave the setting out.");
        }
        return value;
    }

    /** A negative duration is negative in nanoseconds too, so that the setting refuses it. */
    private static long nanos(final String what, final Duration value)
    {
        return required(what, value).isNegative() ? -1 : Nanos.of(value);
    }

    private void refuseAfterClient(final String what)
    {
        if (client != null)
        {
            throw new ConfigException(
                what + " was given to an EngineConfig that has a client; set it before the client is made.");
        }
    }

    /** How long {@link Engine#close} waits for what is under way, and then again for the threads to end. */
    public EngineConfig closeTimeout(final Duration value)
    {
        return set(CLOSE_TIMEOUT_NANOS, nanos("the time limit of close", value));
    }

    /**
     * The settings with which the engine will decide, complete: a journal begins with them. Give the backend and the
     * configuration of the scheduler first.
     */
    public Map<String, String> runSettings()
    {
        requireBackend();
        return EngineContext.fitted(config, backend.capabilities(), ThreadedEngine.DEFAULT_DEPTH).settings();
    }

    private void requireBackend()
    {
        if (backend == null)
        {
            throw new ConfigException("the engine has no backend; set one on the EngineConfig.");
        }
    }

    /** @param defaultDepth of an engine of this kind, if the configuration gives none and the backend takes it. */
    EngineContext conclude(final int defaultDepth)
    {
        if (concluded != null)
        {
            throw usedAlready();
        }
        requireBackend();
        concluded = new EngineContext(this, defaultDepth);
        return concluded;
    }

    private static ConfigException usedAlready()
    {
        return new ConfigException(
            "an EngineConfig has been used to open an engine; make one for each engine, with a separate journal.");
    }

    /** The parts of the engine that was opened, or {@code null}. */
    EngineContext concluded()
    {
        return concluded;
    }

    /** The client that was made from this configuration, or {@code null}. */
    EngineClient client()
    {
        return client;
    }

    SchedulerConfig schedulerConfig()
    {
        return config;
    }

    Backend backend()
    {
        return backend;
    }

    /** The tokens with which the model ends an answer, as the backend says. */
    int[] endTokens()
    {
        return backend == null ? new int[0] : backend.capabilities().endTokens();
    }

    GroupJournal journal()
    {
        return journal;
    }

    GroupListener listener()
    {
        return listener;
    }

    Consumer<Throwable> failureListener()
    {
        return failureListener;
    }

    Consumer<EngineThread> threadStarted()
    {
        return threadStarted;
    }

    ContinuedClock clock()
    {
        return clock;
    }

    Consumer<Completion.StepFailure> stepFailureListener()
    {
        return stepFailureListener;
    }

    /** {@code null} if caches are empty. */
    CachedPrefixes cachedPrefixes()
    {
        return cachedPrefixes;
    }

    /** {@code null} if the run is not kept. */
    RunJournal runJournal()
    {
        return runJournal;
    }

    Executor callbacks()
    {
        return callbacks;
    }

    <T> T value(final Setting<T> setting)
    {
        return values.get(setting);
    }

    /** The settings that differ from their defaults. */
    @Override
    public String toString()
    {
        return "EngineConfig" + values + " with " + config +
            (backend == null ? ", without a backend" : " and the backend " + backend.capabilities());
    }
}
