// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.DocumentSchema;
import io.signalbox.JsonName;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.inspect.history.RunTotals;
import io.signalbox.report.RunReport.LatencySummary;
import io.signalbox.report.RunReport.Requests;

import java.nio.file.Path;
import java.util.List;

/**
 * {@code inspect run JOURNAL --from --to --json}: a part of the time of a run. Requests are those that were submitted in it;
 * what came of them later counts as well.
 *
 * @param path        the journal as it was named
 * @param fromNanos   logical time at which the window begins
 * @param toNanos     logical time of its end, or of the last event
 * @param requests    ends of the requests
 * @param latency     their latencies
 * @param goodput     requests within the limits of {@code --slo}; {@code null} without {@code --slo}
 * @param load        what arrived, and what the ranks could serve
 * @param ranks       the work of each rank
 * @param faults      faults and what followed
 * @param events      faults and new weights in order, those of one cause as one event
 * @param rows        rows of routed experts of requests that ended in the window; {@code null} without capture
 * @param bytes       bytes of the journal
 * @param disk        the disk of the journal; {@code null} if the run was simulated
 * @param journalEnd  how the journal ends
 */
@DocumentSchema("signalbox.inspect-window/1")
public record WindowReport(
    Path path, @JsonName("fromSeconds") long fromNanos, @JsonName("toSeconds") long toNanos, Requests requests,
    WindowLatencies latency, WindowGoodput goodput, Load load, List<WindowRank> ranks, WindowFaults faults,
    List<WindowEvent> events, WindowRows rows, WindowBytes bytes, Disk disk, JournalEnd journalEnd)
{
    /**
     * Latencies as a client sees them.
     *
     * @param ttft time to first token
     * @param tpot time per output token after the first, one mean per completed request with two tokens or more
     * @param e2e  Submit to end, of completed requests
     */
    public record WindowLatencies(LatencySummary ttft, LatencySummary tpot, LatencySummary e2e)
    {
    }

    /**
     * Requests that met the service level.
     *
     * @param requests          completed requests within all limits
     * @param counted           requests that ended, except by a cancel of their client; refused ones included
     * @param share             0 to 1; {@code null} if none was counted
     * @param requestsPerSecond requests within the limits per second
     */
    public record WindowGoodput(long requests, long counted, double share, double requestsPerSecond)
    {
    }

    /**
     * Arrivals against capacity.
     *
     * @param arrivalsPerSecond     submitted requests per second
     * @param completionsPerSecond  requests per second that completed in the window
     * @param outputTokensPerSecond output tokens per second
     * @param meanWaiting           waiting requests, mean over time
     * @param mostWaiting           most waiting requests at one time
     * @param mostWaitingNanos      logical time at which they were that many first
     * @param queuedNanos           time for which at least one request waited
     * @param queuedArrivalsPerSecond arrivals per second of this time; {@code null} if no request waited
     * @param capacityPerSecond     completions per second of this time: what the ranks could serve; {@code null} if no
     *                              request waited
     */
    public record Load(
        double arrivalsPerSecond, double completionsPerSecond, double outputTokensPerSecond, double meanWaiting,
        long mostWaiting, @JsonName("mostWaitingSeconds") long mostWaitingNanos,
        @JsonName("queuedSeconds") long queuedNanos, double queuedArrivalsPerSecond, double capacityPerSecond)
    {
    }

    /**
     * The work of one rank.
     *
     * @param rank     rank
     * @param requests requests that were placed on it last
     * @param hitRate  cached over prompt tokens of these requests, 0 to 1; {@code null} without prompt tokens
     * @param tokens   tokens of its steps
     * @param busy     share of the time for which its device computed, 0 to 1
     * @param kvUse    share of its KV blocks that requests held, mean over time
     * @param losses   times that it was lost
     * @param downNanos time without it
     * @param givenUp  whether the engine gave it up
     */
    public record WindowRank(
        int rank, long requests, double hitRate, long tokens, double busy, double kvUse, long losses,
        @JsonName("downSeconds") long downNanos, boolean givenUp)
    {
    }

    /**
     * Faults and what followed.
     *
     * @param failedSteps   steps that failed
     * @param timedOutSteps steps that were in flight for too long
     * @param lostRanks     ranks that were lost
     * @param resets        resets of the backend of a rank
     * @param restarts      engines that continued the run
     * @param newWeights    changes of weights
     * @param requeued      times that a request started over, except after a preemption
     * @param preemptions   times that a request was preempted
     */
    public record WindowFaults(
        long failedSteps, long timedOutSteps, long lostRanks, long resets, long restarts, long newWeights, long requeued,
        long preemptions)
    {
        /** Whether nothing went wrong. */
        boolean isEmpty()
        {
            return failedSteps + timedOutSteps + lostRanks + resets + restarts + newWeights + requeued + preemptions == 0;
        }
    }

    /**
     * One event.
     *
     * @param timeNanos logical time
     * @param endNanos  logical time of its end; of the loss of a rank, when it came back
     * @param record    its first record
     * @param what      what happened, in words
     * @param requeued  requests that started over
     * @param arrived   requests that arrived until queues were back to normal
     */
    public record WindowEvent(
        @JsonName("seconds") long timeNanos, @JsonName("endSeconds") long endNanos, long record, String what, long requeued,
        long arrived)
    {
    }

    /**
     * Rows of routed experts.
     *
     * @param captured  rows that were captured
     * @param inherited rows that came from another request with the same prefix
     * @param missing   rows that are missing
     */
    public record WindowRows(long captured, long inherited, long missing)
    {
        static WindowRows of(final RunTotals totals)
        {
            return totals.captured() + totals.inherited() + totals.missing() == 0 ? null :
                new WindowRows(totals.captured(), totals.inherited(), totals.missing());
        }
    }

    /**
     * Bytes of the records of the journal, without their envelopes.
     *
     * @param all        bytes
     * @param rows       bytes of rows of routed experts among them
     * @param rowShare   rows over all, 0 to 1; {@code null} without bytes
     * @param perRequest bytes over submitted requests; {@code null} without a request
     * @param perDay     bytes in 24 hours at this rate; {@code null} if no time passed
     */
    public record WindowBytes(long all, long rows, double rowShare, double perRequest, double perDay)
    {
    }

    /**
     * The disk of the journal on this machine, now.
     *
     * @param freeBytes     bytes that the user may write
     * @param daysUntilFull days until they are used at the rate of the window; {@code null} if nothing is written
     */
    public record Disk(long freeBytes, double daysUntilFull)
    {
    }
}
