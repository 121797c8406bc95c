// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Passes the tokens of a request to one subscriber, no more than it asked for. All signals come from the executor, one after
 * the other, {@code onSubscribe} first and one terminal signal last.
 */
final class TokenSubscription extends Follower implements Flow.Subscription
{
    private final CompletionHandle request;
    private final AtomicLong demand = new AtomicLong();
    /** {@code null} once the subscriber is signalled no more, so that it can be collected. */
    private volatile Flow.Subscriber<? super Integer> subscriber;
    private volatile boolean askedForTooFew;
    private boolean subscribed;
    private int next;

    TokenSubscription(
        final CompletionHandle request, final Flow.Subscriber<? super Integer> subscriber, final Executor executor)
    {
        super(executor);
        this.request = request;
        this.subscriber = subscriber;
    }

    @Override
    public void request(final long tokens)
    {
        if (tokens <= 0)
        {
            askedForTooFew = true;
        }
        else
        {
            demand.accumulateAndGet(tokens, Nanos::sum);
        }
        if (subscriber != null)
        {
            signal();
        }
    }

    @Override
    public void cancel()
    {
        stop();
    }

    @Override
    void read()
    {
        if (!subscribed)
        {
            subscribed = true;
            subscriber.onSubscribe(this);
        }
        final boolean last = request.isDone();
        final int visible = request.tokenCount();
        pass(visible);
        final Flow.Subscriber<? super Integer> open = subscriber;
        if (open == null)
        {
            return;
        }
        if (askedForTooFew)
        {
            stop();
            open.onError(new IllegalArgumentException(
                "a subscriber asked for 0 or fewer tokens; request at least 1, or cancel (Reactive Streams, rule 3.9)"));
        }
        else if (last && next == visible)
        {
            stop();
            end(open);
        }
    }

    private void pass(final int visible)
    {
        while (next < visible && !askedForTooFew && demand.get() > 0)
        {
            final Flow.Subscriber<? super Integer> open = subscriber;
            if (open == null)
            {
                return;
            }
            demand.updateAndGet(wanted -> wanted == Long.MAX_VALUE ? wanted : wanted - 1);
            open.onNext(request.token(next++));
        }
    }

    private void end(final Flow.Subscriber<? super Integer> open)
    {
        final RuntimeException fault = request.fault();
        if (fault == null)
        {
            open.onComplete();
        }
        else
        {
            open.onError(fault);
        }
    }

    @Override
    void stop()
    {
        subscriber = null;
        request.unfollow(this);
    }
}
