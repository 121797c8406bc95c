// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import java.util.concurrent.Executor;

/** Calls a listener with the tokens of a request, until it throws, and with the end, which it hears in every case. */
final class FollowingListener extends Follower
{
    private final CompletionHandle request;
    private final TokenListener listener;
    private int next;
    private boolean threw;
    private boolean ended;

    FollowingListener(final CompletionHandle request, final TokenListener listener, final Executor executor)
    {
        super(executor);
        this.request = request;
        this.listener = listener;
    }

    @Override
    void read()
    {
        // The end first: when it is there, so are all tokens.
        final boolean last = request.isDone();
        final int visible = request.tokenCount();
        if (!ended && !threw && next < visible)
        {
            final int from = next;
            next = visible;
            tokens(from, visible);
        }
        if (!ended && last)
        {
            ended = true;
            final Throwable failure = request.failure();
            if (failure == null)
            {
                listener.onEnd(request, request.end());
            }
            else
            {
                listener.onFailure(request, failure);
            }
        }
    }

    private void tokens(final int from, final int to)
    {
        try
        {
            listener.onTokens(request, from, to);
        }
        catch (final Throwable e)
        {
            threw = true;
            report(e);
        }
    }

    @Override
    void stop()
    {
        ended = true;
        request.unfollow(this);
    }
}
