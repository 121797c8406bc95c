// SPDX-License-Identifier: Apache-2.0
package io.signalbox.backend;

import io.signalbox.event.codec.FaultClass;

/**
 * Receives the reports of a backend. Calls may come from any thread, in any order across ranks; for one rank {@code forward}
 * comes before the completion of the same step, and each completion after the call for the step before has returned. A call
 * blocks while the engine's ingress ring is full, and throws {@link IllegalStateException} once the engine has failed or is
 * closing: the report is then no longer wanted.
 *
 * <p>A backend is not trusted. Results that do not fit the step become a fault of the step. A report of a former step, or
 * a second report of a step, is ignored and counted. A report of a step that was never given to the rank makes the rank
 * lost, because the step that it has may never be reported. In each case the journal has the reason.
 *
 * <p>{@code timeNanos} is on the engine's clock. An engine that wakes itself replaces a time ahead of its clock by the
 * current time.
 *
 * <p>Every method throws {@link IllegalArgumentException} if the rank does not exist; nothing is reported then.
 */
public interface CompletionSink
{
    /** Reports that the step was launched. */
    void forward(long timeNanos, int epoch, int rank, long step, long deviceTimeNanos);

    /**
     * The step's results are on the host: the form for a backend without draft tokens.
     *
     * @param sampledTokens one token id per entry of the step, in batch order, within the vocabulary, also of an
     *                      entry that does not sample, whose token is not used. Read before the call returns.
     * @param rows          the routed-expert rows, or null if capture is off; the engine releases it in every case.
     * @throws UnsupportedOperationException if the sink is no engine's and its backend uses the other form.
     */
    default void d2hComplete(
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step,
        final int[] sampledTokens,
        final int sampledCount,
        final CaptureSlice rows)
    {
        throw new UnsupportedOperationException(getClass().getName() + " does not take one token per entry");
    }

    /**
     * The step's results are on the host: the form for a backend that runs draft tokens, and decides itself where an entry
     * starts and how many tokens it accepts.
     *
     * @param tokens read before the call returns.
     * @param rows   the routed-expert rows, or null if capture is off; the engine releases it in every case. One row per
     *               token that the plan feeds, also for tokens that were not accepted, whose rows may be anything.
     * @throws UnsupportedOperationException if the sink is no engine's and its backend uses the other form.
     */
    default void d2hComplete(
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step,
        final StepTokens tokens,
        final CaptureSlice rows)
    {
        throw new UnsupportedOperationException(getClass().getName() + " takes one token per entry only");
    }

    /**
     * The step produced nothing and never will.
     *
     * @param faultClass null counts as {@link FaultClass#RANK_LOST}.
     * @param detail     for the journal, cut after 4,096 characters; may be null.
     */
    void fault(long timeNanos, int epoch, int rank, long step, FaultClass faultClass, String detail);
}
