// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.Request;
import io.signalbox.batch.StepCommit;
import io.signalbox.batch.StepPlan;
import io.signalbox.batch.WaitingQueue;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.saved.SavedFields;

/**
 * Ends requests: writes {@code Free}, removes them from their queue or rank, and releases their blocks. A request whose
 * client wants rows stays in the table until the client releases them.
 */
final class RequestEnding
{
    private final RequestTable requests;
    private final WaitingQueue queue;
    private final DpRank[] ranks;
    private final Placement placement;
    private final OutputEncoder out;
    private final PromptSamples samples;
    private final boolean capture;
    private final RowHandover rowHandover = new RowHandover();
    /** Why the last rank was lost. */
    private String lossSentence = "";
    private long lossStep;
    private int lossRank = Request.NO_RANK;

    /** @param queue requests that wait for a rank. */
    RequestEnding(
        final RequestTable requests,
        final WaitingQueue queue,
        final DpRank[] ranks,
        final Placement placement,
        final OutputEncoder out,
        final PromptSamples samples,
        final boolean capture)
    {
        this.requests = requests;
        this.samples = samples;
        this.queue = queue;
        this.ranks = ranks;
        this.placement = placement;
        this.out = out;
        this.capture = capture;
    }

    /** Rows of ended requests that were handed over or released since the last clear. */
    RowHandover rowHandover()
    {
        return rowHandover;
    }

    void save(final SavedFields fields)
    {
        lossSentence = fields.text(lossSentence);
        lossStep = fields.number(lossStep);
        lossRank = fields.int32(lossRank);
    }

    /** Ends the requests that the step completed. */
    void endBy(final StepPlan plan, final StepCommit commit)
    {
        for (int i = 0; i < commit.endedCount(); i++)
        {
            final int entry = commit.ended(i);
            switch (commit.outcome(entry))
            {
                case STOPPED -> end(plan.entryRequest(entry), FreeReason.STOP);
                case REACHED_LENGTH -> end(plan.entryRequest(entry), FreeReason.LENGTH);
                case OWNER_GONE -> endUnlessInFlight(plan.entryRequest(entry));
                case CONTINUES, VOID, DEAD ->
                {
                }
            }
        }
    }

    /** Cancels a request that has not ended; it ends now or with the last step that computes it. */
    void cancel(final long requestId)
    {
        final Request request = requests.find(requestId);
        if (request != null && request.stage() != Request.Stage.FINISHED && !request.isCancelled())
        {
            request.cancel();
            endUnlessInFlight(request);
        }
    }

    /** A client has found the end of an answer; without effect if the request has ended, or is cancelled. */
    void stopAfter(final long requestId, final int answerTokens)
    {
        final Request request = requests.find(requestId);
        if (request != null && request.stage() != Request.Stage.FINISHED && !request.isCancelled())
        {
            request.stopAfter(answerTokens);
            endUnlessInFlight(request);
        }
    }

    /** Ends all requests that are to end and that no step in flight computes. */
    void endAllEnding()
    {
        for (int i = requests.size() - 1; i >= 0; i--)
        {
            if (requests.at(i).isEnding() && requests.at(i).stage() != Request.Stage.FINISHED)
            {
                endUnlessInFlight(requests.at(i));
            }
        }
    }

    /** Ends every request that former weights have given a token, or whose KV blocks they compute. */
    void endBegun()
    {
        for (int i = requests.size() - 1; i >= 0; i--)
        {
            final Request request = requests.at(i);
            if (request.hasBegun() && request.stage() != Request.Stage.FINISHED && !request.isEnding())
            {
                request.outdate();
                endUnlessInFlight(request);
            }
        }
    }

    /** Whether former weights have given a request a token, or compute its KV blocks, that has not ended. */
    boolean isAnyBegun()
    {
        boolean isAny = false;
        for (int i = 0; i < requests.size() && !isAny; i++)
        {
            isAny = requests.at(i).hasBegun() && requests.at(i).stage() != Request.Stage.FINISHED;
        }
        return isAny;
    }

    private void endUnlessInFlight(final Request request)
    {
        if (request.isInFlight())
        {
            ranks[request.rank()].planner.ends(request);
        }
        else
        {
            end(request, request.isStopped() ? FreeReason.STOP :
                request.isExpired() ? FreeReason.DEADLINE :
                request.isCancelled() ? FreeReason.CANCELLED :
                request.isOutdated() ? FreeReason.NEW_WEIGHTS : FreeReason.FAILED);
        }
    }

    /** Keeps why a rank was lost, for requests that find no rank. */
    void rankLost(final String sentence, final long step, final int rank)
    {
        lossSentence = sentence;
        lossStep = step;
        lossRank = rank;
    }

    /** Ends every request that waits for a rank, because every rank is lost. */
    void failQueued()
    {
        while (!queue.isEmpty())
        {
            queue.first().fail(lossSentence, lossStep, lossRank);
            end(queue.first(), FreeReason.FAILED);
        }
    }

    void end(final Request request, final FreeReason reason)
    {
        if (request.isStopped())
        {
            request.cutAnswer();
        }
        out.free(request, reason);
        if (request.stage() == Request.Stage.QUEUED)
        {
            queue.remove(request);
            placement.gone(request.id());
        }
        else
        {
            queue.ended(request);
            ranks[request.rank()].planner.remove(request);
            ranks[request.rank()].due();
        }
        if (reason == FreeReason.STOP || reason == FreeReason.LENGTH)
        {
            placement.answered(request);
        }
        placement.due();
        samples.ended(request);
        request.finished();
        if (request.wantsRows() && capture)
        {
            rowHandover.waits(request.id());
        }
        else
        {
            requests.remove(request);
        }
    }

    /** Releases the rows of a request: the client has taken them or does not want them. */
    void releaseRows(final long requestId)
    {
        final Request request = requests.find(requestId);
        if (request != null && request.stage() == Request.Stage.FINISHED)
        {
            rowHandover.released(requestId);
            requests.remove(request);
        }
    }
}
