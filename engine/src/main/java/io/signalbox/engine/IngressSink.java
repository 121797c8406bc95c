// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.engine.ring.SliceRelease;
import io.signalbox.engine.step.LaunchedSteps;
import io.signalbox.engine.step.ReportTimes;
import io.signalbox.event.codec.FaultClass;

import java.util.function.Consumer;

/**
 * Turns the reports of a backend into inputs, from any thread. A report that does not fit the step of its rank becomes a
 * {@code BackendFault} with the reason: the journal then records the backend's fault, and no client waits for a step that
 * will never be reported.
 */
final class IngressSink implements CompletionSink
{
    private static final int MAX_DETAIL_CHARS = 4096;

    private final Engine engine;
    private final Consumer<Throwable> failEngine;
    private final LaunchedSteps launches;
    private final ReportCheck check;
    private final ReportEncoding.Pool encodings;
    private final ReportTimes times;

    /**
     * @param failEngine stops the engine when a report is lost to an error: its step would never be answered.
     */
    IngressSink(
        final Engine engine,
        final Consumer<Throwable> failEngine,
        final LaunchedSteps launches,
        final ReportCheck check,
        final ReportTimes times)
    {
        this.engine = engine;
        this.failEngine = failEngine;
        this.launches = launches;
        this.check = check;
        this.times = times;
        encodings = new ReportEncoding.Pool(launches.ranks(), check);
    }

    @Override
    public void forward(
        final long timeNanos, final int epoch, final int rank, final long step, final long deviceTimeNanos)
    {
        checkRank(rank);
        final long engineNanos = onClock(timeNanos);
        if (engineNanos == ReportTimes.IMPOSSIBLE)
        {
            refuseLaunch(timeNanos, epoch, rank, step);
        }
        final ReportEncoding encoding = encodings.take(rank);
        try
        {
            encoding.forward(engineNanos == ReportTimes.IMPOSSIBLE ? times.nowNanos() : engineNanos, epoch, rank, step,
                deviceTimeNanos);
            offer(encoding, null);
        }
        finally
        {
            encodings.giveBack(rank, encoding);
        }
    }

    /** A step that was launched at an impossible time fails when it completes: until then it writes to its blocks. */
    private void refuseLaunch(final long timeNanos, final int epoch, final int rank, final long step)
    {
        final LaunchedSteps.Launch launch = launches.find(rank, epoch, step);
        if (launch != null)
        {
            launch.refuseLaunch(times.fault(rank, step, timeNanos));
            launch.unpin();
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
        CaptureSlice held = rows;
        ReportEncoding encoding = null;
        LaunchedSteps.Launch launch = null;
        try
        {
            checkRank(rank);
            launch = misaddressed(timeNanos, epoch, rank, step, tokens) ? null :
                placed(timeNanos, epoch, rank, step);
            if (launch != null)
            {
                encoding = encodings.take(rank);
                final String fault = fault(encoding, launch, timeNanos, rank, tokens, rows);
                if (mayBeOffered(launch, fault, timeNanos, epoch, rank, step))
                {
                    final CaptureSlice beside = encoding.takeRowsBeside();
                    // The engine releases the rows, also if it refuses the input.
                    held = beside == rows ? null : rows;
                    offer(encoding, beside);
                }
            }
        }
        catch (final RuntimeException | Error e)
        {
            failOnError(e);
            SliceRelease.after(e, held);
            throw e;
        }
        finally
        {
            encodings.giveBack(rank, encoding);
            unpin(launch);
        }
        // After the report: a slice that throws here must not prevent it.
        release(held);
    }

    /**
     * Whether the results name another step in flight than the one that they are reported for. That step fails, since its
     * results went astray; the one that they are reported for is left alone, since its own may still come.
     */
    private boolean misaddressed(
        final long timeNanos, final int epoch, final int rank, final long step, final StepTokens tokens)
    {
        if (tokens == null || ReportCheck.isOf(tokens, epoch, rank, step) || !hasRank(tokens.rank()))
        {
            return false;
        }
        final LaunchedSteps.Launch launch = launches.find(tokens.rank(), tokens.epoch(), tokens.step());
        final boolean first = launch != null && launch.answer();
        unpin(launch);
        if (first)
        {
            offerFault(timeNanos, tokens.epoch(), tokens.rank(), tokens.step(), FaultClass.STEP_FAILED,
                ReportCheck.misaddressed(tokens, epoch, rank, step));
        }
        return first;
    }

    private static void unpin(final LaunchedSteps.Launch launch)
    {
        if (launch != null)
        {
            launch.unpin();
        }
    }

    /** The pinned step of a completion; null if the completion is refused. */
    private LaunchedSteps.Launch placed(final long timeNanos, final int epoch, final int rank, final long step)
    {
        final LaunchedSteps.Launch launch = launches.find(rank, epoch, step);
        if (launch == null)
        {
            refuseNotGiven(timeNanos, epoch, rank, step, "");
            return null;
        }
        final String misplaced = launch.isAnswered() ? ReportCheck.repeated(rank, step) :
            ReportCheck.order(launches, launch, rank);
        if (misplaced != null)
        {
            launch.unpin();
            offerFault(timeNanos, epoch, rank, step, FaultClass.STEP_FAILED, misplaced);
        }
        return misplaced == null ? launch : null;
    }

    /** Whether the completion may be offered: it is the first report of its step, and sound. Else a fault is offered. */
    private boolean mayBeOffered(
        final LaunchedSteps.Launch launch,
        final String fault,
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step)
    {
        final boolean first = launch.answer();
        if (!first)
        {
            offerFault(timeNanos, epoch, rank, step, FaultClass.STEP_FAILED, ReportCheck.repeated(rank, step));
        }
        else if (fault != null)
        {
            offerFault(timeNanos, epoch, rank, step, FaultClass.STEP_FAILED, fault);
        }
        return first && fault == null;
    }

    private void failOnError(final Throwable e)
    {
        if (e instanceof Error)
        {
            failEngine.accept(e);
        }
    }

    /** Encodes the completion; returns why it cannot be that of the step, or null. */
    private String fault(
        final ReportEncoding encoding,
        final LaunchedSteps.Launch launch,
        final long timeNanos,
        final int rank,
        final StepTokens tokens,
        final CaptureSlice rows)
    {
        final String wrongTokens = check.tokens(launch, rank, tokens);
        if (wrongTokens != null)
        {
            return wrongTokens;
        }
        final String launchFault = launch.launchFault();
        if (launchFault != null)
        {
            return launchFault;
        }
        final long engineNanos = onClock(timeNanos);
        return engineNanos == ReportTimes.IMPOSSIBLE ? times.fault(rank, launch.step(), timeNanos) :
            encode(encoding, launch, engineNanos, tokens, rows);
    }

    /** Returns why the results cannot be those of the step, or null. A slice is code of the backend, too. */
    private String encode(
        final ReportEncoding encoding,
        final LaunchedSteps.Launch launch,
        final long timeNanos,
        final StepTokens tokens,
        final CaptureSlice rows)
    {
        try
        {
            final String wrongRows = check.rows(launch, tokens.rank(), rows);
            return wrongRows != null ? wrongRows : encoding.d2hComplete(timeNanos, launch, tokens, rows);
        }
        catch (final RuntimeException e)
        {
            return "the capture slice of step " + tokens.step() + " of rank " + tokens.rank() + " failed: " + e;
        }
    }

    private static void release(final CaptureSlice rows)
    {
        if (rows != null)
        {
            rows.release();
        }
    }

    @Override
    public void fault(
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step,
        final StepFault fault,
        final String detail)
    {
        checkRank(rank);
        final FaultClass faultClass = fault == StepFault.STEP_FAILED ? FaultClass.STEP_FAILED : FaultClass.RANK_LOST;
        final String text = detail == null ? "the backend gave no reason" : detail;
        final LaunchedSteps.Launch launch = launches.find(rank, epoch, step);
        if (launch == null)
        {
            refuseNotGiven(timeNanos, epoch, rank, step, ", with the fault: " + text);
            return;
        }
        final boolean first = launch.answer();
        launch.unpin();
        if (!first)
        {
            offerFault(timeNanos, epoch, rank, step, FaultClass.STEP_FAILED,
                ReportCheck.repeated(rank, step) + ", with the fault: " + text);
        }
        else
        {
            offerFault(timeNanos, epoch, rank, step, faultClass,
                fault == null ? text + " (reported without a fault class)" : text);
        }
    }

    /**
     * Refuses a report of a step that was not found. A report of an earlier step is ignored and counted. If the rank never
     * received the reported step, reports of its real steps may never come. These steps may still be running, so the rank is
     * lost.
     */
    private void refuseNotGiven(
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step,
        final String end)
    {
        // Read after the search for the step: a step that was replaced in the meantime is older than this step.
        final long lastStep = launches.lastStep(rank);
        final int lastEpoch = launches.lastEpoch(rank);
        final String reason = ReportCheck.notGiven(lastEpoch, lastStep, epoch, rank, step) + end;
        if (ReportCheck.isFormer(lastEpoch, lastStep, epoch, step))
        {
            offerFault(timeNanos, epoch, rank, step, FaultClass.STEP_FAILED, reason);
            return;
        }
        final LaunchedSteps.Launch owed = launches.pinOldestOwed(rank);
        final int lostEpoch = owed == null ? lastEpoch : owed.epoch();
        final long lostStep = owed == null ? lastStep : owed.step();
        unpin(owed);
        offerFault(timeNanos, lostEpoch, rank, lostStep, FaultClass.RANK_LOST, reason);
    }

    private void offerFault(
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step,
        final FaultClass faultClass,
        final String detail)
    {
        final ReportEncoding encoding = encodings.take(rank);
        try
        {
            final long engineNanos = onClock(timeNanos);
            encoding.fault(engineNanos == ReportTimes.IMPOSSIBLE ? times.nowNanos() : engineNanos,
                epoch, rank, step, faultClass,
                detail.length() > MAX_DETAIL_CHARS ? detail.substring(0, MAX_DETAIL_CHARS) : detail);
            offer(encoding, null);
        }
        catch (final Error e)
        {
            failEngine.accept(e);
            throw e;
        }
        finally
        {
            encodings.giveBack(rank, encoding);
        }
    }

    /** @throws IllegalArgumentException when there is no such rank. */
    private void checkRank(final int rank)
    {
        if (!hasRank(rank))
        {
            throw new IllegalArgumentException("rank=" + rank + " of a backend's report is not one of the ranks 0 to " +
                (launches.ranks() - 1) + "; report the rank that the plan names.");
        }
    }

    private boolean hasRank(final int rank)
    {
        return rank >= 0 && rank < launches.ranks();
    }

    /** A report from the future would end every deadline and let a rank rest until that time comes. */
    private long onClock(final long timeNanos)
    {
        try
        {
            return times.engineNanos(timeNanos);
        }
        catch (final Throwable e)
        {
            // A clock that throws: the step would never be answered.
            failEngine.accept(e);
            throw e;
        }
    }

    private void offer(final ReportEncoding encoding, final CaptureSlice rows)
    {
        engine.offer(encoding.buffer(), 0, encoding.length(), rows);
    }
}
