// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.ConfigException.Named;
import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.RankSizes;
import io.signalbox.engine.ring.InputDoor;
import io.signalbox.engine.step.ReportTimes;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.stats.LiveFigures;

import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** The parts of one engine, made from a complete {@link EngineConfig} that was validated before anything starts. */
final class EngineContext
{
    /** Unless the configuration says otherwise. */
    static final int USUAL_TRACK_SLOTS = 1024;

    private final EngineConfig given;
    private final SchedulerConfig config;
    private final Backend backend;
    private final EngineClient client;
    private final ContinuedClock clock;
    /** {@code null} without a client. */
    private final LiveFigures figures;
    private final EngineStart start;
    private final ForeignCall closing = ForeignCall.ofEngine();
    private final String backendName;
    private final long backendCloseNanos;
    /** {@code null} before the first use, and without a journal. */
    private CheckedJournal journal;

    /** @param defaultDepth of an engine of this kind, if the configuration gives none and the backend takes it. */
    EngineContext(final EngineConfig given, final int defaultDepth)
    {
        this.given = given;
        backend = given.backend();
        backendName = backend.capabilities().name();
        backendCloseNanos = Math.max(given.value(EngineConfig.CLOSE_TIMEOUT_NANOS), backend.closeTimeoutNanos());
        client = given.client();
        clock = given.clock();
        config = fitted(given.schedulerConfig(), backend.capabilities(), defaultDepth);
        backend.capabilities().require(config.capture() != null, config.depth(), config.draftTokens());
        backend.capabilities().requireCombineWeights(config.capture() != null && config.capture().combineWeights());
        backend.capabilities().requireSameStepSharing(config.sameStepSharing());
        if (clock.getAsLong() < 0)
        {
            throw new ConfigException(
                "the clock of the engine is negative; give one that counts from an origin before the engine is opened.");
        }
        requireDescribed(given.journal().runDescription());
        figures = client == null ? null : new LiveFigures(config.ranks(), config.kvBlocks(), config.blockSizeTokens(),
            config.capture() == null ? 0 : config.capture().rowBytes(), config.routerLabel(true),
            config.routerLabel(false));
        start = new EngineStart(config, backend,
            new RankResets(backend, config.ranks(), given.value(EngineConfig.RANK_RESETS)), emptyFinishedRows());
        refuseTwoJournals();
        fillCaches();
    }

    private void fillCaches()
    {
        if (given.cachedPrefixes() == null)
        {
            return;
        }
        if (given.runJournal() != null || !given.journal().runDescription().isEmpty())
        {
            throw new ConfigException("an engine that begins with cached prefixes has a journal, which could not be " +
                "replayed; leave one of them out.");
        }
        given.cachedPrefixes().fill(start.scheduler(), config.ranks());
    }

    /** Opens the run, after everything was checked that can be checked without it. */
    void openRun()
    {
        if (given.runJournal() != null)
        {
            start.open(given.runJournal(), EngineStart.description(config, backend.capabilities()), client,
                figures, new ResumedRequests(client, config.capture() != null, unseenGroups()));
            clock.continueAt(start.timeNanos());
        }
    }

    /** The engine before may have had the usual ring, although this one has a smaller one. */
    private int unseenGroups()
    {
        return Math.max(USUAL_TRACK_SLOTS, trackSlots());
    }

    private void refuseTwoJournals()
    {
        if (given.runJournal() != null && given.journal() != GroupJournal.NONE)
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
                final String name = setting.getKey();
                throw ConfigException.because(
                        "the journal describes a run with ", new Named(name, String.valueOf(described)),
                        ", but the engine would run with ", new Named(name, setting.getValue())).allowed(described)
                    .remedy("begin the journal with EngineConfig.runSettings(), or give the same value to both");
            }
        }
    }

    /** To be called by an engine without a timer. */
    void refuseStepTimeout()
    {
        final Optional<Long> nanos = given.value(EngineConfig.STEP_TIMEOUT_NANOS);
        if (nanos.orElse(0L) > 0)
        {
            throw ConfigException.because(
                    EngineConfig.STEP_TIMEOUT_NANOS.of(nanos), " needs the timer of a threaded engine that wakes itself")
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

    EngineClient client()
    {
        return client;
    }

    /** Appends only groups that can be read back. Call once. */
    GroupJournal journal()
    {
        final GroupJournal target = given.runJournal() == null ? given.journal() : start.journal();
        if (client != null)
        {
            client.journal(target);
        }
        if (target == GroupJournal.NONE)
        {
            return target;
        }
        journal = new CheckedJournal(target, closing, closeTimeoutNanos());
        return journal;
    }

    LiveFigures figures()
    {
        return figures;
    }

    /** The client ahead of the listener: its credits come back even if the listener is slow. */
    GroupListener listener()
    {
        if (client == null)
        {
            return given.listener();
        }
        final GroupListener following = given.listener();
        return (group, offset, length) ->
        {
            // First, so that they count what a client sees.
            figures.onGroup(group, offset, length);
            client.onGroup(group, offset, length);
            following.onGroup(group, offset, length);
        };
    }

    /** Receives the reason why the engine accepts no further input; {@code null} without a client. */
    Consumer<Throwable> clientEnd()
    {
        return client == null ? null : client::failAll;
    }

    /** Receives the cause if the engine fails. */
    Consumer<Throwable> failureListener()
    {
        return given.failureListener();
    }

    FinishedRows finishedRows()
    {
        return start.finishedRows();
    }

    private FinishedRows emptyFinishedRows()
    {
        final boolean discards = wakeSource() == EngineConfig.WakeSource.ENGINE;
        final boolean bounded =
            discards && given.value(EngineConfig.UNTAKEN_ROWS) == EngineConfig.UntakenRows.DISCARD_OLDEST;
        return new FinishedRows(config, bounded ? given.mostUntakenBytes() : FinishedRows.NO_BOUND,
            discards ? given.value(EngineConfig.MAX_UNTAKEN_ROWS_AGE_NANOS) : 0);
    }

    String backendName()
    {
        return backendName;
    }

    ContinuedClock clock()
    {
        return clock;
    }

    /** Times of the backend's reports. If the caller wakes the engine, the caller sets the time. */
    ReportTimes reportTimes()
    {
        return wakeSource() == EngineConfig.WakeSource.ENGINE ?
            ReportTimes.of(clock, clock.isSystem(), clock.aheadNanos()) :
            ReportTimes.ofCaller(start.scheduler()::timeNanos);
    }

    /** Time of resets: the one of the input before, if the caller sets the time. */
    LongSupplier resetClock()
    {
        return wakeSource() == EngineConfig.WakeSource.ENGINE ? clock : start.scheduler()::timeNanos;
    }

    long stepTimeoutNanos()
    {
        return given.value(EngineConfig.STEP_TIMEOUT_NANOS).orElseGet(backend::stepTimeoutNanos);
    }

    EngineConfig.WakeSource wakeSource()
    {
        return given.value(EngineConfig.WAKE_SOURCE);
    }

    RankResets resets()
    {
        return start.resets();
    }

    InputDoor inputDoor()
    {
        return new InputDoor(backend);
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
        return new ReportCheck(config.capture(), given.value(EngineConfig.VOCABULARY_SIZE),
            given.value(EngineConfig.IMPOSSIBLE_ROWS));
    }

    /** Calls the user's hook in a thread that has started. */
    void threadStarted(final EngineThread role)
    {
        given.threadStarted().accept(role);
    }

    /** The threads of the rings, if they spin, else 0: the scheduler's and those of the handlers behind it. */
    int spinningThreads()
    {
        return waiting() == EngineConfig.Waiting.SPINNING ? 1 + TrackHandlers.threads(handlerThreads()) : 0;
    }

    EngineConfig.Waiting waiting()
    {
        return given.value(EngineConfig.WAITING);
    }

    /** How long the scheduler's thread polls before it sleeps, if threads block. */
    long pollNanos()
    {
        return given.value(EngineConfig.POLL_NANOS);
    }

    HandlerThreads handlerThreads()
    {
        return given.value(EngineConfig.HANDLER_THREADS);
    }

    int ingressSlots()
    {
        return given.value(EngineConfig.INGRESS_SLOTS);
    }

    int trackSlots()
    {
        return given.value(EngineConfig.TRACK_SLOTS);
    }

    long closeTimeoutNanos()
    {
        return given.value(EngineConfig.CLOSE_TIMEOUT_NANOS);
    }

    /** The calls of foreign code at the end of the engine. */
    ForeignCall closing()
    {
        return closing;
    }

    /** @throws IllegalStateException if the backend has not closed in time. */
    void closeBackend()
    {
        closing.run("the backend " + backendName + " was not closed", backendCloseNanos, backend::close);
    }

    /** The engine did not start. */
    void abandonRun()
    {
        if (given.runJournal() != null && journal != null)
        {
            journal.close();
        }
        else
        {
            closing.run("the run was not closed", closeTimeoutNanos(), start::abandon);
        }
    }
}
