// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.Request;
import io.signalbox.saved.SavedFields;

/**
 * Samples of one prompt. One request computes the prompt; the others stay in the queue until it has, then go to its rank and
 * share its KV blocks. If it ends before, another one of them computes the prompt.
 */
final class PromptSamples
{
    private final RequestTable requests;
    /** Queued requests that wait for the first one of their prompt. */
    private int waiting;

    PromptSamples(final RequestTable requests)
    {
        this.requests = requests;
    }

    void save(final SavedFields fields)
    {
        waiting = fields.int32(waiting);
    }

    void accepted(final Request request)
    {
        waiting += request.sampleOf() == Request.NO_REQUEST ? 0 : 1;
    }

    /** Whether the queue holds a request that waits for another one. */
    boolean areWaiting()
    {
        return waiting > 0;
    }

    /** Whether the request has to wait; once it does not, it is bound to the rank of the first request. */
    boolean waits(final Request request)
    {
        if (request.sampleOf() == Request.NO_REQUEST)
        {
            return false;
        }
        final Request first = requests.find(request.sampleOf());
        final boolean isAlive = first != null && first.stage() != Request.Stage.FINISHED;
        if (isAlive && !hasPrompt(first))
        {
            return true;
        }
        join(request, isAlive ? first.rank() : Request.NO_RANK);
        return false;
    }

    private static boolean hasPrompt(final Request request)
    {
        return request.computedHighWater() >= request.promptTokens();
    }

    private void join(final Request request, final int rank)
    {
        request.joins(rank);
        waiting--;
    }

    /** The request has ended: it waits no longer, and its samples do not wait for it. */
    void ended(final Request request)
    {
        if (request.sampleOf() != Request.NO_REQUEST)
        {
            join(request, Request.NO_RANK);
        }
        // The blocks of a prompt that was computed stay cached on the rank.
        final Request next = waiting == 0 || hasPrompt(request) ? null : firstSampleOf(request.id());
        if (next != null)
        {
            join(next, Request.NO_RANK);
        }
        for (int i = 0; waiting > 0 && i < requests.size(); i++)
        {
            final Request sample = requests.at(i);
            if (sample.sampleOf() == request.id() && next == null)
            {
                join(sample, request.rank());
            }
            else if (sample.sampleOf() == request.id())
            {
                sample.sampleOf(next.id());
            }
        }
    }

    /** The sample that computes the prompt if the first request did not; {@code null} if there is none. */
    private Request firstSampleOf(final long id)
    {
        Request first = null;
        for (int i = 0; i < requests.size(); i++)
        {
            final Request sample = requests.at(i);
            first = sample.sampleOf() == id && (first == null || sample.id() < first.id()) ? sample : first;
        }
        return first;
    }
}
