// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.backend.Backend;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.engine.WeightSwap;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.WeightsWay;
import io.signalbox.event.codec.WithdrawnDecoder;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunStep;
import org.opentest4j.AssertionFailedError;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;

/**
 * A backend under test behind a stepped engine: the scheduler makes real plans, reports come from any thread, and the
 * thread of the test passes them to the engine. A backend that does not answer is given up after the patience.
 */
final class BackendRun implements AutoCloseable
{
    private static final long GATHER_MILLIS = 2;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final CountDownLatch gate;
    private final WatchedReports reports;
    private final WatchedBackend watched;
    private final String name;
    private final BooleanSupplier work;
    private final long patienceNanos;
    private final SteppedEngine engine;
    private final InputWriter inputs = new InputWriter();
    private final List<CompletionHandle> open = new ArrayList<>();
    private long clock = 1;

    /**
     * @param work drives a backend that works on its caller's thread; returns whether there was something to do.
     * @param held whether reports wait until {@link #openGate}.
     */
    BackendRun(
        final Backend backend,
        final SchedulerConfig scheduler,
        final BackendTraits traits,
        final BooleanSupplier work,
        final boolean held)
    {
        gate = new CountDownLatch(held ? 1 : 0);
        name = "the backend " + backend.capabilities().name();
        reports = new WatchedReports(backend.capabilities().reportsLaunches(), traits, gate);
        watched = new WatchedBackend(backend, reports);
        this.work = work;
        patienceNanos = traits.patience().toNanos();
        engine = new SteppedEngine(new EngineConfig().scheduler(scheduler).backend(watched)
            .vocabularySize(traits.vocabularySize()).impossibleRows(EngineConfig.ImpossibleRows.FAIL_STEP)
            .clock(() -> ++clock).listener(RunFold.of(new Refusals())::onGroup));
    }

    /** Results that the engine refused are findings, in its words. */
    private final class Refusals implements RunListener
    {
        @Override
        public void onFault(final BackendFaultDecoder fault)
        {
            final String detail = fault.detail();
            if (!reports.isOwnFault(detail))
            {
                reports.found("reported results that an engine refuses: " + detail);
            }
        }

        @Override
        public void onWithdrawn(final RunStep step, final WithdrawnDecoder withdrawn)
        {
            final String detail = withdrawn.detail();
            if (!detail.isEmpty() && !reports.isOwnFault(detail))
            {
                reports.found("reported results that an engine refuses: " + detail);
            }
        }
    }

    RowOracle oracle()
    {
        return reports.oracle();
    }

    int submits()
    {
        return reports.submits();
    }

    /** Aborts the step that was answered last. */
    void abortAnswered()
    {
        final PlanCopy step = reports.lastAnswered();
        watched.abort(step.rank(), step.step());
    }

    CompletionHandle submit(final CompletionRequest request)
    {
        final CompletionHandle handle = engine.submit(request);
        open.add(handle);
        return handle;
    }

    void openGate()
    {
        gate.countDown();
    }

    void newWeights(final WeightSwap way, final String version)
    {
        inputs.control().timeNanos(++clock).requestId(-1).kind(ControlKind.NEW_WEIGHTS)
            .way(WeightsWay.valueOf(way.name())).note(version);
        engine.offer(inputs.buffer(), 0, inputs.length(), null);
    }

    void reset(final int rank)
    {
        engine.resetRank(rank);
    }

    /** Passes reports on until every request has ended. */
    void awaitAll() throws InterruptedException
    {
        long lastNanos = System.nanoTime();
        while (!open.isEmpty())
        {
            final boolean progress = gather() > 0;
            deliver();
            check();
            open.removeIf(CompletionHandle::isDone);
            if (progress)
            {
                lastNanos = System.nanoTime();
            }
            else if (reports.unanswered().isEmpty())
            {
                tick();
            }
            if (!open.isEmpty() && System.nanoTime() - lastNanos > patienceNanos)
            {
                throw new AssertionFailedError(name + late());
            }
        }
    }

    private String late()
    {
        final List<String> steps = reports.unanswered();
        return steps.isEmpty() ? " answered every step, and " + open.size() + " requests have not ended." :
            " did not answer " + steps.get(0) + " within " + patienceNanos / NANOS_PER_MILLI + " ms.";
    }

    /** Lets the backend report what it can before any of it reaches the engine, so that memory lent twice is noticed. */
    private int gather() throws InterruptedException
    {
        int known;
        do
        {
            known = reports.waiting();
        }
        while (work.getAsBoolean() ||
            !reports.unanswered().isEmpty() && reports.awaitReport(known, GATHER_MILLIS));
        return reports.waiting();
    }

    private void deliver()
    {
        for (Runnable report = reports.nextReport(); report != null; report = reports.nextReport())
        {
            try
            {
                report.run();
            }
            catch (final RuntimeException e)
            {
                reports.found("made a report that an engine refuses: " + e.getMessage());
                return;
            }
        }
    }

    /** A rank whose steps failed rests until then. */
    private void tick()
    {
        final long due = engine.nextTickNanos();
        if (due != Long.MAX_VALUE)
        {
            clock = Math.max(clock, due);
            inputs.tick().timeNanos(clock);
            engine.offer(inputs.buffer(), 0, inputs.length(), null);
        }
    }

    /** Fails with the first finding. */
    void check()
    {
        final List<String> findings = reports.findings();
        if (!findings.isEmpty())
        {
            throw new AssertionFailedError(name + " " + findings.get(0) + "." +
                (findings.size() == 1 ? "" : " (" + (findings.size() - 1) + " further findings)"));
        }
    }

    @Override
    public void close()
    {
        gate.countDown();
        engine.close();
    }
}
