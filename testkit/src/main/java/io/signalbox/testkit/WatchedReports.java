// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.engine.step.ReportTimes;
import io.signalbox.experts.ModelShape;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;

/**
 * The sink of a backend under test. It checks each report against the plans, from whatever thread it comes, and keeps it
 * until the thread of the test passes it to the engine. Findings are words that follow the backend's name.
 */
final class WatchedReports implements CompletionSink
{
    private final boolean reportsLaunches;
    private final boolean failsSteps;
    /** {@code null}: any time is right. */
    private final ReportTimes times;
    private final Map<List<Long>, PlanCopy> open = new TreeMap<>((a, b) ->
        a.get(0).equals(b.get(0)) ? Long.compare(a.get(1), b.get(1)) : Long.compare(a.get(0), b.get(0)));
    private final Set<List<Long>> launched = new HashSet<>();
    private final Set<List<Long>> former = new HashSet<>();
    /** Steps whose reports may still come, and are ignored. */
    private final Set<List<Long>> withdrawn = new HashSet<>();
    /** The thread whose results of a rank have not been taken yet. */
    private final Map<Integer, Thread> reporting = new HashMap<>();
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private final List<String> findings = new ArrayList<>();
    private final Set<String> faults = new HashSet<>();
    private final CountDownLatch gate;
    private RowOracle oracle;
    private ModelShape shape;
    private CompletionSink engine;
    private Thread submitter;
    private PlanCopy lastAnswered;
    private int submits;
    private boolean isClosing;
    private boolean isClosed;

    /** @param gate holds every report of a thread that does not submit, until it opens. */
    WatchedReports(final boolean reportsLaunches, final BackendTraits traits, final CountDownLatch gate)
    {
        this.reportsLaunches = reportsLaunches;
        failsSteps = traits.failsSteps();
        times = traits.reportTimes();
        this.gate = gate;
    }

    synchronized void start(final int ranks, final ModelShape captured, final CompletionSink sink)
    {
        shape = captured;
        engine = sink;
        oracle = captured == null ? null : new RowOracle(captured);
    }

    RowOracle oracle()
    {
        return oracle;
    }

    private static List<Long> key(final int rank, final long step)
    {
        return List.of((long)rank, step);
    }

    synchronized void submitting(final PlanCopy plan)
    {
        open.put(key(plan.rank(), plan.step()), plan);
        submitter = Thread.currentThread();
        submits++;
    }

    synchronized void submitted()
    {
        submitter = null;
    }

    synchronized int submits()
    {
        return submits;
    }

    synchronized void aborted(final int rank, final long step)
    {
        if (open.remove(key(rank, step)) != null)
        {
            withdrawn.add(key(rank, step));
        }
    }

    synchronized void closing()
    {
        isClosing = true;
    }

    synchronized void closed()
    {
        isClosed = true;
    }

    /** Whether the backend itself reported a fault with this text. */
    synchronized boolean isOwnFault(final String detail)
    {
        return faults.contains(detail);
    }

    synchronized void found(final String finding)
    {
        findings.add(finding);
    }

    synchronized List<String> findings()
    {
        return List.copyOf(findings);
    }

    /** The step that was answered last, or null. */
    synchronized PlanCopy lastAnswered()
    {
        return lastAnswered;
    }

    /** The steps for which a report is owed. */
    synchronized List<String> unanswered()
    {
        return open.values().stream().map(PlanCopy::name).toList();
    }

    /** Waits for more reports than are known; returns whether there are. */
    synchronized boolean awaitReport(final int known, final long millis) throws InterruptedException
    {
        if (waiting.size() == known)
        {
            wait(millis);
        }
        return waiting.size() > known;
    }

    /** Reports that were not passed on yet. */
    synchronized int waiting()
    {
        return waiting.size();
    }

    /** The oldest report that was not passed on yet, or null. */
    synchronized Runnable nextReport()
    {
        return waiting.poll();
    }

    /** Refuses what a closed engine refuses, and holds the calling thread while the gate is shut. */
    private void enter(final String what)
    {
        synchronized (this)
        {
            if (isClosed)
            {
                findings.add("reported " + what + " after close had returned");
            }
        }
        // A report that begins before the end may be held until after it: close waits for no report without a bound.
        if (Thread.currentThread() != submitter)
        {
            awaitGate();
        }
        synchronized (this)
        {
            if (engine == null)
            {
                findings.add("reported " + what + " before it was started");
            }
            else if (Thread.currentThread() == submitter)
            {
                findings.add("reported " + what + " from within submit; a report comes later, from another call or thread");
            }
            if (isClosing || isClosed)
            {
                throw new IllegalStateException("the engine is closed");
            }
        }
    }

    private void awaitGate()
    {
        try
        {
            gate.await();
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the engine is closed");
        }
    }

    @Override
    public void forward(
        final long timeNanos, final int epoch, final int rank, final long step, final long deviceTimeNanos)
    {
        final String what = "the launch of step " + step + " of rank " + rank;
        enter(what);
        synchronized (this)
        {
            if (!open.containsKey(key(rank, step)))
            {
                refuse(rank, step, "reported " + what);
                return;
            }
            checkTime(timeNanos, rank, step);
            if (!launched.add(key(rank, step)))
            {
                findings.add("reported " + what + " twice");
            }
            pass(() -> engine.forward(CompletionSink.NOW, epoch, rank, step, deviceTimeNanos));
        }
    }

    @Override
    public void d2hComplete(
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step,
        final StepTokens tokens,
        final CaptureSlice rows)
    {
        final String what = "step " + step + " of rank " + rank;
        boolean passed = false;
        beginReport(rank);
        try
        {
            enter(what);
            passed = complete(timeNanos, epoch, rank, step, tokens, rows);
        }
        finally
        {
            endReport(rank);
            if (!passed && rows != null)
            {
                rows.release();
            }
        }
    }

    /** Returns whether the engine will release the rows. */
    private synchronized boolean complete(
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step,
        final StepTokens tokens,
        final CaptureSlice rows)
    {
        final String what = "step " + step + " of rank " + rank;
        final PlanCopy plan = answer(epoch, rank, step, "reported " + what);
        final String fault = plan == null ? null : plan.fault(tokens);
        if (fault != null)
        {
            findings.add(fault);
        }
        final boolean sound = plan != null && fault == null;
        // The engine may plan the next step as soon as it has the report, before this call has returned.
        reporting.remove(rank, Thread.currentThread());
        checkTime(timeNanos, rank, step);
        if (sound)
        {
            final WatchedRows watched = rows == null ? null : new WatchedRows(rows, what, this::found);
            if (watched != null && oracle != null)
            {
                watched.remember(oracle, shape, plan, tokens);
            }
            final StepTokens copy = copy(tokens);
            pass(() -> engine.d2hComplete(CompletionSink.NOW, epoch, rank, step, copy, watched));
        }
        return sound;
    }

    @Override
    public void fault(
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step,
        final StepFault faultClass,
        final String detail)
    {
        final String what = "step " + step + " of rank " + rank;
        enter(what);
        synchronized (this)
        {
            faults.add(String.valueOf(detail));
            final PlanCopy plan = answer(epoch, rank, step, "reported a fault of " + what);
            if (!failsSteps)
            {
                findings.add("reported the fault " + faultClass + " of " + what + ": " + detail);
            }
            checkTime(timeNanos, rank, step);
            if (plan != null)
            {
                pass(() -> engine.fault(CompletionSink.NOW, epoch, rank, step, faultClass, detail));
            }
        }
    }

    /** The engine of the contract has a clock of its own, so the time of a report is checked here. */
    private void checkTime(final long timeNanos, final int rank, final long step)
    {
        if (times != null && times.engineNanos(timeNanos) == ReportTimes.IMPOSSIBLE)
        {
            findings.add("reported times that an engine refuses: " + times.fault(rank, step, timeNanos));
        }
    }

    /** Results of one rank follow one another; another thread that waits with results of it is noticed. */
    private synchronized void beginReport(final int rank)
    {
        if (reporting.putIfAbsent(rank, Thread.currentThread()) != null)
        {
            findings.add("reported results of rank " + rank + " from two threads at the same time");
        }
    }

    private synchronized void endReport(final int rank)
    {
        reporting.remove(rank, Thread.currentThread());
    }

    /** The plan that the report answers, or null, and a finding, if it answers none. */
    private PlanCopy answer(final int epoch, final int rank, final long step, final String what)
    {
        final PlanCopy plan = open.get(key(rank, step));
        if (plan == null || plan.epoch() != epoch)
        {
            refuse(rank, step, plan == null ? what : what + " in epoch " + epoch + ", and its plan is of " + plan.epoch());
            return null;
        }
        final PlanCopy oldest =
            open.values().stream().filter(other -> other.rank() == rank).findFirst().orElse(plan);
        if (oldest != plan)
        {
            findings.add(what + " before " + oldest.name() + ", which it got earlier");
        }
        if (reportsLaunches && !launched.contains(key(rank, step)) && what.startsWith("reported step"))
        {
            findings.add(what + " without its launch, and declares that it reports launches");
        }
        open.remove(key(rank, step));
        former.add(key(rank, step));
        lastAnswered = plan;
        return plan;
    }

    private void refuse(final int rank, final long step, final String what)
    {
        if (withdrawn.contains(key(rank, step)))
        {
            return;
        }
        findings.add(what + (former.contains(key(rank, step)) ? ", which was answered before" :
            ", which it was never given"));
    }

    private void pass(final Runnable report)
    {
        waiting.add(report);
        notifyAll();
    }

    private static StepTokens copy(final StepTokens tokens)
    {
        final StepTokens copy = new StepTokens().begin(tokens.epoch(), tokens.rank(), tokens.step())
            .computed(tokens.computeNanos());
        int token = 0;
        for (int entry = 0; entry < tokens.entryCount(); entry++)
        {
            copy.entry(tokens.start(entry));
            for (int i = 0; i < tokens.accepted(entry); i++, token++)
            {
                copy.accept(tokens.token(token), tokens.logprob(token));
            }
        }
        return copy;
    }
}
