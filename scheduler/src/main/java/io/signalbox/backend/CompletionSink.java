// SPDX-License-Identifier: Apache-2.0
package io.signalbox.backend;

/**
 * Receives the reports of a backend. Calls may come from any thread, in any order across ranks; for one rank {@code forward}
 * comes before the completion of the same step, and each completion after the call for the step before has returned. A call
 * blocks while the engine's ingress ring is full, and throws {@link IllegalStateException} once the engine has failed or is
 * closing: the report is then no longer wanted.
 *
 * <p>A backend is not trusted. Results that do not fit the step become a fault of the step, and so do results that name
 * another step than the one that they are reported for: the step that they name fails. A report of a former step, or
 * a second report of a step, is ignored and counted. A report of a step that was never given to the rank makes the rank
 * lost, because the step that it has may never be reported. In each case the journal has the reason.
 *
 * <p>{@code timeNanos} is a time of {@link System#nanoTime}, or of the clock that the engine was given instead, or
 * {@link #NOW}. If the time is more than a second before the engine began, or more than a second ahead, the backend reads
 * another clock: the step fails with a sentence that says so.
 *
 * <p>Every method throws {@link IllegalArgumentException} if the rank does not exist; nothing is reported then.
 */
public interface CompletionSink
{
    /** As {@code timeNanos}: the time of the call. */
    long NOW = Long.MAX_VALUE;

    /** Reports that the step was launched. */
    void forward(long timeNanos, int epoch, int rank, long step, long deviceTimeNanos);

    /**
     * The step's results are on the host.
     *
     * @param tokens begun with the plan of the step, with one entry per entry of it, in batch order. An entry without
     *               draft tokens accepts one token if it samples, and none otherwise. Read before the call returns.
     * @param rows   the routed-expert rows, or null if capture is off; the engine releases it in every case. One row per
     *               token that the plan feeds, also for tokens that were not accepted, whose rows may be anything.
     */
    void d2hComplete(long timeNanos, int epoch, int rank, long step, StepTokens tokens, CaptureSlice rows);

    /**
     * The step produced nothing and never will.
     *
     * @param fault  null counts as {@link StepFault#RANK_LOST}.
     * @param detail for the journal, cut after 4,096 characters; may be null.
     */
    void fault(long timeNanos, int epoch, int rank, long step, StepFault fault, String detail);
}
