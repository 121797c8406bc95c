// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.GroupWriter;
import io.signalbox.event.InputWriter;
import io.signalbox.event.RowsChecksum;
import io.signalbox.event.codec.BackendResetEncoder;
import io.signalbox.event.codec.ControlEncoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.D2hCompleteEncoder;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.RowForm;
import io.signalbox.event.codec.SubmitEncoder;
import io.signalbox.event.codec.WeightsWay;
import io.signalbox.experts.ModelShape;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A scheduler that a test drives input by input, with the verbs of {@code EngineHarness}. Each method encodes one input,
 * applies it, and hands over the group. The two subclasses need different devices:
 * <ul>
 * <li>{@link SchedulerHarness} completes a step without devices, at depth 1. The rows of a token differ with each
 * computation, so that {@link FirstRowOracle} can tell whether the first one was kept.
 * <li>{@link DepthRig} has devices that keep KV content, at depth 1 to 4 with drafts. Tokens and rows depend on the content
 * alone, so that every order of events must lead to the same ones. Therefore a second computation of a row equals the first.
 * </ul>
 */
abstract class DrivenScheduler<T extends DrivenScheduler<T>>
{
    /** Writes the row of one token of a step. */
    interface RowWriter
    {
        void write(int token, ModelShape shape, MutableDirectBuffer rows, int offset);
    }

    final SchedulerConfig config;
    final Scheduler scheduler;
    final InputWriter writer = new InputWriter();
    private final GroupWriter group = new GroupWriter(1024);
    private final RowsChecksum checksum = new RowsChecksum();
    /** {@code null} unless it was asked for. */
    private ImageCheck image;
    private int epoch;
    private long now;

    DrivenScheduler(final SchedulerConfig config, final Scheduler scheduler)
    {
        this.config = config;
        this.scheduler = scheduler;
    }

    abstract T self();

    /** The group of the last input. */
    abstract void onGroup(GroupWriter output);

    /** From now on images are compared, see {@link ImageCheck}; before the first input. */
    final T checkImages(final int every)
    {
        image = new ImageCheck(config, every);
        return self();
    }

    final long now()
    {
        return now;
    }

    /** A Submit without a conversation, deadline and hint. */
    final SubmitEncoder submission(final long id, final int promptTokens, final int newTokens)
    {
        return writer.submit().timeNanos(++now).requestId(id).conversationId(-1).predecessorId(-1).thinkTimeNanos(0)
            .deadlineNanos(-1).samplingSeed(0).promptTokens(promptTokens).maxNewTokens(newTokens).rowsFrom(0).priority(0)
            .rankHint(-1).temperature(1f).topP(1f).rankHintRelaxed(Flag.NO);
    }

    T wake()
    {
        writer.wake().timeNanos(++now);
        return apply(null);
    }

    final T tickAt(final long timeNanos)
    {
        now = timeNanos;
        writer.tick().timeNanos(now);
        return apply(null);
    }

    T cancel(final long id)
    {
        writer.cancel().timeNanos(++now).requestId(id);
        return apply(null);
    }

    /** The client has found the end of the answer in its first tokens. */
    T stopAfter(final long id, final int answerTokens)
    {
        writer.cancel().timeNanos(++now).requestId(id).answerTokens(answerTokens);
        return apply(null);
    }

    T releaseRows(final long id)
    {
        control(ControlKind.RELEASE_ROWS, id);
        return apply(null);
    }

    T resetCache()
    {
        control(ControlKind.CACHE_RESET, -1);
        return apply(null);
    }

    /** From now on no request is accepted; those that live end as they would. */
    final T stopAdmission()
    {
        control(ControlKind.DRAIN, -1);
        return apply(null);
    }

    T newWeights(final WeightsWay way)
    {
        control(ControlKind.NEW_WEIGHTS, -1).way(way);
        return apply(null);
    }

    private ControlEncoder control(final ControlKind kind, final long id)
    {
        return writer.control().timeNanos(++now).requestId(id).kind(kind).note("");
    }

    final T forward(final int rank, final int ofEpoch, final long step)
    {
        writer.forward().timeNanos(++now).step(step).deviceTimeNanos(0).epoch(ofEpoch).rank(rank);
        return apply(null);
    }

    final T fault(final int rank, final int ofEpoch, final long step, final FaultClass faultClass)
    {
        writer.backendFault().timeNanos(++now).step(step).epoch(ofEpoch).rank(rank).faultClass(faultClass)
            .detail("planted");
        return apply(null);
    }

    final T timeOut(final int rank, final int ofEpoch, final long step)
    {
        writer.stepTimedOut().timeNanos(++now).step(step).epoch(ofEpoch).rank(rank);
        return apply(null);
    }

    T reset(final boolean kvMemoryKept)
    {
        reset().kvMemoryKept(kvMemoryKept ? Flag.YES : Flag.NO);
        return apply(null);
    }

    /** One rank begins anew, without the KV that it had. */
    T resetRank(final int rank)
    {
        reset().rank(rank).kvMemoryKept(Flag.NO);
        return apply(null);
    }

    private BackendResetEncoder reset()
    {
        return writer.backendReset().timeNanos(++now).newEpoch(++epoch);
    }

    /** Rows go within the message or apart, by turns; many rows always apart. */
    final T complete(
        final int rank,
        final int ofEpoch,
        final long step,
        final int rowCount,
        final RowWriter row,
        final ModelAnswer answer)
    {
        final boolean capture = config.capture() != null;
        final int rowBytes = capture ? config.capture().rowBytes() : 0;
        final int bytes = rowCount * rowBytes;
        final UnsafeBuffer rows = new UnsafeBuffer(new byte[Math.max(1, bytes)]);
        for (int i = 0; capture && i < rowCount; i++)
        {
            row.write(i, config.capture(), rows, i * rowBytes);
        }
        final boolean inline = step % 2 == 1 && bytes <= InputWriter.MAX_INLINE_ROWS_BYTES;
        final D2hCompleteEncoder message = writer.d2hComplete();
        message.timeNanos(++now).step(step).epoch(ofEpoch).rank(rank).rowCount(capture ? rowCount : 0).rowBytes(rowBytes)
            .rowsChecksum(capture ? checksum.of(rows, 0, bytes) + answer.checksumError() : 0)
            .rowForm(!capture ? RowForm.NONE : inline ? RowForm.INLINE : RowForm.CHUNKED);
        answer.encode(message);
        message.impossibleRowsCount(0);
        message.logprobsCount(0);
        message.putRows(rows, 0, capture && inline ? bytes : 0);
        return apply(rows);
    }

    /** Applies the input that {@link #writer} has. */
    final T apply(final DirectBuffer rows)
    {
        group.reset();
        scheduler.apply(writer.buffer(), 0, writer.length(), rows, 0, group);
        if (image != null)
        {
            image.onInput(writer.buffer(), writer.length(), rows, scheduler, group);
        }
        onGroup(group);
        return self();
    }
}
