// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.request;

import io.signalbox.InvariantViolation;
import io.signalbox.event.CommitView;
import io.signalbox.event.RequestContent;
import io.signalbox.event.RequestContents;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.SubmitDecoder;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayDeque;

/**
 * Tokens, block tables and sampling parameters of the requests that have not ended, folded from the events of the track
 * ahead of the backend, or of a journal. Only for a backend that reads them. Holds as many requests as the scheduler does;
 * allocates nothing once it has grown to the load. Not thread-safe.
 */
public final class LiveRequests implements RequestContents
{
    private static final int MAX_SPARE = 1024;

    private final Long2ObjectHashMap<LiveRequest> requests = new Long2ObjectHashMap<>();
    private final ArrayDeque<LiveRequest> spare = new ArrayDeque<>();
    private final TokenBytes bytes = new TokenBytes();
    /** Submitted by the input of the group that is being read; null: none. */
    private LiveRequest submitted;

    /** The request is live if it is accepted. */
    public void submit(final SubmitDecoder input)
    {
        submitted = spare.isEmpty() ? new LiveRequest() : spare.removeLast();
        submitted.submit(input, bytes);
    }

    public void accept(final long requestId)
    {
        if (submitted == null || submitted.requestId() != requestId)
        {
            throw new InvariantViolation("request " + requestId + " was accepted without its Submit ahead of it");
        }
        requests.put(requestId, submitted);
        submitted = null;
    }

    public void refuse()
    {
        reuse(submitted);
        submitted = null;
    }

    /** Block tables gain what the step allocated and matched. */
    public void schedule(final StepView step)
    {
        // Changes of one request follow one another.
        LiveRequest request = null;
        for (int change = 0; change < step.changeCount(); change++)
        {
            final long requestId = step.changeRequestId(change);
            request = request == null || request.requestId() != requestId ? find(requestId) : request;
            request.block(step.changeIndex(change), step.changeBlockId(change));
        }
    }

    public void commit(final CommitView commit)
    {
        int token = 0;
        for (int entry = 0; entry < commit.entryCount(); entry++)
        {
            final int emitted = commit.emitted(entry);
            final LiveRequest request = emitted == 0 ? null : find(commit.requestId(entry));
            for (int i = 0; i < emitted; i++)
            {
                request.addToken(commit.token(token + i));
            }
            token += emitted;
        }
    }

    /** The request starts over without blocks; its tokens stay. */
    public void requeue(final long requestId)
    {
        find(requestId).releaseBlocks();
    }

    public void free(final long requestId)
    {
        reuse(requests.remove(requestId));
    }

    private void reuse(final LiveRequest ended)
    {
        if (ended != null && spare.size() < MAX_SPARE)
        {
            ended.shrink();
            spare.addLast(ended);
        }
    }

    @Override
    public RequestContent of(final long requestId)
    {
        return find(requestId);
    }

    private LiveRequest find(final long requestId)
    {
        final LiveRequest request = requests.get(requestId);
        if (request == null)
        {
            throw new InvariantViolation("request " + requestId + " is in a step but not live");
        }
        return request;
    }

    public int size()
    {
        return requests.size();
    }
}
