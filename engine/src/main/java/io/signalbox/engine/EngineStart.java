// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.engine.request.ShellInputs;
import io.signalbox.engine.request.UntakenEnds;
import io.signalbox.engine.step.ClosingSteps;
import io.signalbox.engine.step.LaunchedSteps;
import io.signalbox.engine.step.StepFlights;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.RunFold;
import io.signalbox.stats.LiveFigures;
import org.agrona.DirectBuffer;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * The state with which an engine starts: empty for a new run, else the one that the last engine of the run left. The run is
 * replayed into a new scheduler, whose every decision must be the recorded one. Then the first input of this engine is a
 * {@code BackendReset} of all ranks: it withdraws what was in flight, in a new epoch, without KV memory. Requests that were
 * running wait again with the tokens that they have; their rows stay. If an earlier version of the router decided so far, a
 * {@code RouterVersion} precedes it.
 */
final class EngineStart
{
    private final SchedulerConfig config;
    private final FinishedRows finishedRows;
    private final LaunchedSteps launches;
    private final RankResets resets;
    private final Dispatcher dispatcher;
    private Scheduler scheduler;
    private LateJournal journal;
    private long timeNanos;
    private boolean continues;

    /** For a run that begins; {@link #open} for one that may continue. */
    EngineStart(
        final SchedulerConfig config, final Backend backend, final RankResets resets, final FinishedRows finishedRows)
    {
        this.config = config;
        this.finishedRows = finishedRows;
        launches = new LaunchedSteps(config.ranks(), config.depth(), config.capture() != null);
        this.resets = resets;
        dispatcher = Dispatcher.of(backend, launches, new StepFlights(config.ranks(), config.depth()), resets);
    }

    /**
     * Opens the run and replays it.
     *
     * @param description  {@link #description} of the run.
     * @param client       follows the engine; {@code null} if there is none, and no figures either.
     * @param requests     receives the requests that the run left.
     */
    void open(
        final RunJournal runs,
        final Map<String, String> description,
        final EngineClient client,
        final LiveFigures figures,
        final ResumedRequests requests)
    {
        final RecordedRun run = runs.open(description);
        try
        {
            replay(run, client, figures, requests);
            journal = new LateJournal(run);
        }
        catch (final Throwable e)
        {
            new ClosingSteps().run(run::close);
            throw e;
        }
    }

    /** Everything that the decisions and the tokens of a run depend on. */
    static Map<String, String> description(final SchedulerConfig config, final BackendCapabilities capabilities)
    {
        final Map<String, String> description = new TreeMap<>(config.settings());
        description.put("backend.name", capabilities.name());
        description.put("backend.readsTokens", Boolean.toString(capabilities.readsTokens()));
        description.put("backend.reportsLogprobs", Boolean.toString(capabilities.reportsLogprobs()));
        description.put("backend.masksStopTokens", Boolean.toString(capabilities.masksStopTokens()));
        return description;
    }

    private void replay(
        final RecordedRun run, final EngineClient client, final LiveFigures figures, final ResumedRequests requests)
    {
        run.replayInto(config, new Replayed(client == null ? null : figures, requests));
        continues = run.groups() > 0;
        timeNanos = run.lastTimeNanos();
        resets.continueAfter(dispatcher.lastEpoch());
        if (client != null)
        {
            client.resume(requests, scheduler == null ? 0 : scheduler.awaitedWeights().size());
        }
    }

    /** Passes the groups of the run to everything that follows them. */
    private final class Replayed implements ReplayTarget
    {
        /** {@code null} without a client. */
        private final LiveFigures figures;
        private final ResumedRequests requests;
        private UntakenEnds ends = new UntakenEnds();
        private final RunFold endsFold = RunFold.within(ends);

        private Replayed(final LiveFigures figures, final ResumedRequests requests)
        {
            this.figures = figures;
            this.requests = requests;
        }

        @Override
        public void begin(final Scheduler confirmed)
        {
            scheduler = confirmed;
            finishedRows.resume(confirmed, ends);
            ends = null;
        }

        @Override
        public void onGroup(final DirectBuffer group, final int offset, final int length)
        {
            if (ends == null)
            {
                finishedRows.update(scheduler);
            }
            else
            {
                endsFold.onGroup(group, offset, length);
            }
            dispatcher.replay(group, offset, length);
            if (figures != null)
            {
                figures.onGroup(group, offset, length);
                requests.onGroup(group, offset, length);
            }
        }
    }

    /** New if the run is; made when it is first asked for, because a run that continues has one. */
    Scheduler scheduler()
    {
        scheduler = scheduler == null ? new Scheduler(config) : scheduler;
        return scheduler;
    }

    FinishedRows finishedRows()
    {
        return finishedRows;
    }

    LaunchedSteps launches()
    {
        return launches;
    }

    Dispatcher dispatcher()
    {
        return dispatcher;
    }

    RankResets resets()
    {
        return resets;
    }

    /** {@code null} for a run that is not kept by a {@link RunJournal}. */
    GroupJournal journal()
    {
        return journal;
    }

    /** Logical time of the last group of the run. */
    long timeNanos()
    {
        return timeNanos;
    }

    /** The backend has started. */
    void begin()
    {
        dispatcher.beginWithWeights(scheduler == null ? List.of() : scheduler.awaitedWeights());
        if (journal != null)
        {
            journal.open();
        }
    }

    /** Sequences the first inputs of an engine that continues a run. */
    void offerRestart(final Engine engine, final LongSupplier clock)
    {
        if (continues)
        {
            final ShellInputs input = new ShellInputs();
            if (scheduler.repeatsPlacements())
            {
                input.routerVersion(clock.getAsLong(), scheduler.routerLabel(),
                    scheduler.installedRouterVersion());
                engine.offer(input.buffer(), 0, input.length(), null);
            }
            input.restart(clock.getAsLong(), resets.nextEpoch());
            engine.offer(input.buffer(), 0, input.length(), null);
        }
    }

    /** The engine did not start. */
    void abandon()
    {
        if (journal != null)
        {
            journal.close();
        }
    }
}
