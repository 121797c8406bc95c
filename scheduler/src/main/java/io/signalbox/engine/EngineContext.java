// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.BufferAccess;
import io.signalbox.ConfigException;
import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.RankSizes;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Configuration of an engine, validated before anything starts.
 *
 * <p>One file, because each method is one setting or one part of the engine that is made of them.
 */
public final class EngineContext
{
    public static final Setting<Waiting> WAITING = Setting.constant("waiting", Waiting.BLOCKING,
        "How the threads of a threaded engine wait; each one that spins occupies a core.");
    public static final Setting<WakeSource> WAKE_SOURCE = Setting.constant("wakeSource", WakeSource.ENGINE,
        "Who notices that an idle rank could work: the engine, or a simulator that calls it.");
    public static final Setting<Integer> INGRESS_SLOTS =
        Setting.integer("ingressSlots", "slots", 1024, 8, 1 << 20, "Slots of the ring of inputs.").powerOfTwo()
            .remedy("give one that is");
    public static final Setting<Integer> TRACK_SLOTS =
        Setting.integer("trackSlots", "slots", 1024, 8, 1 << 20, "Slots of the ring of groups.").powerOfTwo()
            .remedy("give one that is");
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
    public static final Setting<Integer> RANK_RESETS = Setting.integer("rankResets", "resets", 3, 0, 1_000_000,
        "Automatic resets of a lost rank in a row, until a step of it is committed, if the backend resets ranks; 0: none.");
    public static final Setting<Long> CLOSE_TIMEOUT_NANOS =
        Setting.number("closeTimeoutNanos", "ns", 10_000_000_000L, 1, Long.MAX_VALUE,
            "How long close waits for work under way, and then again for the threads to end.")
            .remedy("give how long close may wait");
    public static final List<Setting<?>> SETTINGS = List.of(WAITING, WAKE_SOURCE, INGRESS_SLOTS, TRACK_SLOTS,
        STEP_TIMEOUT_NANOS, VOCABULARY_SIZE, IMPOSSIBLE_ROWS, MAX_UNTAKEN_ROWS_BYTES, RANK_RESETS, CLOSE_TIMEOUT_NANOS);
    private static final int UNTAKEN_ROWS_SHARE = 4;

    private SchedulerConfig config = SchedulerConfig.builder().build();
    private EngineStart start;
    private RunJournal runJournal;
    private Backend backend;
    private GroupJournal journal = NoJournal.INSTANCE;
    private GroupListener listener = (group, offset, length) -> { };
    private Consumer<Throwable> failureListener = cause -> { };
    private EngineClient client;
    private ContinuedClock clock = new ContinuedClock(System::nanoTime);
    private SettingValues values = SettingValues.defaults("the engine", SETTINGS);

    /** Who sequences {@code Wake} inputs. */
    public enum WakeSource
    {
        /** The engine, when it has taken all inputs at hand and an idle rank could work. */
        ENGINE,
        /** The caller of {@link Engine#offer}: a simulator, whose virtual time decides when a moment is over. */
        CALLER
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

    /**
     * Keeps the run here instead of in a {@link #journal}, and continues it if an earlier engine left one: opening the
     * engine replays it, and {@link EngineClient#resumed()} then has its requests. Refused if settings differ.
     */
    public EngineContext runJournal(final RunJournal value)
    {
        runJournal = required("the run's journal", value);
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
        return set(WAKE_SOURCE, value);
    }

    public EngineContext waiting(final Waiting value)
    {
        return set(WAITING, value);
    }

    /** A power of two. */
    public EngineContext ingressSlots(final int value)
    {
        refuseAfterClient("the number of ingress slots");
        return set(INGRESS_SLOTS, value);
    }

    /** A power of two. */
    public EngineContext trackSlots(final int value)
    {
        return set(TRACK_SLOTS, value);
    }

    /**
     * How long a step may be in flight before it is given up, and its rank with it; 0: no limit. The default is the
     * backend's. Only a {@link ThreadedEngine} that wakes itself has a timer for it; every other engine refuses a value and
     * ignores the backend's.
     */
    public EngineContext stepTimeoutNanos(final long value)
    {
        return set(STEP_TIMEOUT_NANOS, Optional.of(value));
    }

    /**
     * Token ids of the model are below it; default: {@link Integer#MAX_VALUE}. A step of the backend with another token
     * fails, and its requests start over.
     */
    public EngineContext vocabularySize(final int value)
    {
        return set(VOCABULARY_SIZE, value);
    }

    /** Says what becomes of a routed-expert row that no expert router can have chosen. */
    public EngineContext impossibleRows(final ImpossibleRows value)
    {
        return set(IMPOSSIBLE_ROWS, value);
    }

    /**
     * Bytes that the routed experts of ended requests may hold until their clients take them; default: a quarter of the
     * largest heap. Above it an engine that wakes itself discards those of the request that ended first, which
     * {@link EngineClient#takeRows} then says. Pages that requests share count once for each.
     */
    public EngineContext maxUntakenRowsBytes(final long value)
    {
        return set(MAX_UNTAKEN_ROWS_BYTES, Optional.of(value));
    }

    /**
     * Automatic resets of a lost rank in a row, until a step of it is committed; default 3, 0: none. Only if the backend
     * declares that it resets ranks; {@link Engine#resetRank} works in any case then.
     */
    public EngineContext rankResets(final int value)
    {
        return set(RANK_RESETS, value);
    }

    /** Nanoseconds on any fixed origin, never negative: the logical time of what clients and the timer offer. */
    public EngineContext clock(final LongSupplier value)
    {
        refuseAfterClient("the clock");
        clock = new ContinuedClock(required("the clock", value));
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

    private <T> EngineContext set(final Setting<T> setting, final T value)
    {
        values = values.with(setting, value);
        return this;
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
        return set(CLOSE_TIMEOUT_NANOS, value);
    }

    /** @param defaultDepth of an engine of this kind, if the configuration gives none and the backend takes it. */
    EngineContext conclude(final int defaultDepth)
    {
        if (start != null)
        {
            throw new ConfigException(
                "an EngineContext has been used to open an engine; make one for each engine, with a separate journal.");
        }
        if (backend == null)
        {
            throw new ConfigException("the engine has no backend; set one on the EngineContext.");
        }
        config = fitted(config, backend.capabilities(), defaultDepth);
        backend.capabilities().require(config.capture() != null, config.depth(), config.draftTokens());
        backend.capabilities().requireSameStepSharing(config.sameStepSharing());
        if (clock.getAsLong() < 0)
        {
            throw new ConfigException(
                "the clock of the engine is negative; give one that counts from an origin before the engine is opened.");
        }
        requireDescribed(journal.runDescription());
        start = new EngineStart(
            config, backend, new RankResets(backend, config.ranks(), values.get(RANK_RESETS)), maxUntakenRowsBytes());
        if (runJournal != null)
        {
            refuseTwoJournals();
            start.open(runJournal, EngineStart.description(config, backend.capabilities()), client,
                new ResumedRequests(client, config.capture() != null, trackSlots()));
            clock.continueAt(start.timeNanos());
        }
        return this;
    }

    private void refuseTwoJournals()
    {
        if (journal != NoJournal.INSTANCE)
        {
            throw new ConfigException("the engine has both a journal and a run's journal; give one of them.");
        }
    }

    /**
     * The configuration with the depth that it gives, or else the default one, or else the most that the backend takes; and
     * with ranks that return if the backend resets them.
     */
    static SchedulerConfig fitted(
        final SchedulerConfig config, final BackendCapabilities capabilities, final int defaultDepth)
    {
        final int depth = config.isDepthGiven() ? config.depth() : Math.min(defaultDepth, capabilities.depth());
        return config.toBuilder().depth(depth).ranksReturn(config.ranksReturn() || capabilities.resetsRanks()).build();
    }

    /** A replay of the journal must decide as the engine will. */
    private void requireDescribed(final Map<String, String> description)
    {
        if (description.isEmpty())
        {
            return;
        }
        for (final Map.Entry<String, String> setting : config.settings().entrySet())
        {
            final String described = description.get(setting.getKey());
            if (!setting.getValue().equals(described))
            {
                throw new ConfigException("the journal describes a run with " + setting.getKey() + "=" + described +
                    ", but the engine would run with " + setting.getKey() + "=" + setting.getValue() +
                    "; begin the journal with the settings of ThreadedEngine.configFor(config, capabilities), or give " +
                    "the same value to both.");
            }
        }
    }

    /** To be called by an engine without a timer. */
    void refuseStepTimeout()
    {
        final Optional<Long> nanos = values.get(STEP_TIMEOUT_NANOS);
        if (nanos.orElse(0L) > 0)
        {
            throw ConfigException.because(
                    STEP_TIMEOUT_NANOS.of(nanos), " needs the timer of a threaded engine that wakes itself")
                .allowed("0").remedy("choose that engine or give 0");
        }
    }

    SchedulerConfig config()
    {
        return config;
    }

    Scheduler scheduler()
    {
        return start.scheduler();
    }

    /** The state with which the engine starts. */
    EngineStart start()
    {
        return start;
    }

    Backend backend()
    {
        return backend;
    }

    /** Nothing but what can be read back is appended. */
    GroupJournal journal()
    {
        final GroupJournal target = runJournal == null ? journal : start.journal();
        return target == NoJournal.INSTANCE ? target : new CheckedJournal(target);
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
        return start.finishedRows();
    }

    private long maxUntakenRowsBytes()
    {
        final long quarter = Math.max(1, Runtime.getRuntime().maxMemory() / UNTAKEN_ROWS_SHARE);
        return wakeSource() == WakeSource.ENGINE ?
            values.get(MAX_UNTAKEN_ROWS_BYTES).orElse(quarter) : FinishedRows.NO_BOUND;
    }

    LongSupplier clock()
    {
        return clock;
    }

    /** Latest possible time of a backend's report; unbounded if the caller wakes the engine, since it then sets the time. */
    LongSupplier latestReportNanos()
    {
        return wakeSource() == WakeSource.ENGINE ? clock : () -> Long.MAX_VALUE;
    }

    long stepTimeoutNanos()
    {
        return values.get(STEP_TIMEOUT_NANOS).orElseGet(backend::stepTimeoutNanos);
    }

    WakeSource wakeSource()
    {
        return values.get(WAKE_SOURCE);
    }

    RankResets resets()
    {
        return start.resets();
    }

    InputDoor inputDoor()
    {
        return new InputDoor(backend.capabilities());
    }

    void startBackend(final CompletionSink sink)
    {
        backend.sizes(new RankSizes(config.kvBlocks(), config.blockSizeTokens(), config.stepTokens(), config.maxRunning(),
            config.depth(), config.draftTokens()));
        backend.start(config.ranks(), config.capture(), sink);
        start.begin();
    }

    ReportCheck reportCheck()
    {
        return new ReportCheck(config.capture(), values.get(VOCABULARY_SIZE), values.get(IMPOSSIBLE_ROWS));
    }

    Waiting waiting()
    {
        return values.get(WAITING);
    }

    int ingressSlots()
    {
        return values.get(INGRESS_SLOTS);
    }

    int trackSlots()
    {
        return values.get(TRACK_SLOTS);
    }

    long closeTimeoutNanos()
    {
        return values.get(CLOSE_TIMEOUT_NANOS);
    }
}
