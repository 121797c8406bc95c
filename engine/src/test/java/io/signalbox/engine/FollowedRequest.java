// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;

/** A request with those who follow it, each of whom notes what it sees. */
final class FollowedRequest
{
    /** Conduct of a listener. */
    enum Manner
    {
        CALM, THROWS, BLOCKS
    }

    /** Reasons for which a sound request may be refused here: a full ring, and a callback that submits while it closes. */
    private static final Set<Refusal.Reason> EXPECTED =
        Set.of(Refusal.Reason.ENGINE_FULL, Refusal.Reason.DRAINING);

    private final CompletionHandle handle;
    private final int prompt;
    private final int newTokens;
    /** Opens when the engine has closed: those that block come back then. */
    private final CountDownLatch release;
    private final Queue<Notes> followers = new ConcurrentLinkedQueue<>();

    FollowedRequest(
        final CompletionHandle handle, final int prompt, final int newTokens, final CountDownLatch release)
    {
        this.handle = handle;
        this.prompt = prompt;
        this.newTokens = newTokens;
        this.release = release;
    }

    /** Tokens that one follower saw, and its ends. */
    private static final class Notes
    {
        private final String who;
        private final boolean sawAll;
        private final List<Integer> tokens = new ArrayList<>();
        private final CountDownLatch done = new CountDownLatch(1);
        private volatile int ends;
        private volatile String fault;

        /** @param sawAll whether it sees all tokens, however the request ends. */
        Notes(final String who, final boolean sawAll)
        {
            this.who = who;
            this.sawAll = sawAll;
        }

        private void end()
        {
            ends = ends + 1;
            done.countDown();
        }

        private void checkThread()
        {
            final String thread = Thread.currentThread().getName();
            if (thread.startsWith("signalbox-") && !thread.startsWith("signalbox-callback-"))
            {
                fault = "was called in the thread " + thread;
            }
        }
    }

    private Notes notes(final String who, final boolean sawAll)
    {
        final Notes notes = new Notes(who, sawAll);
        followers.add(notes);
        return notes;
    }

    void listen(final Executor executor, final Manner manner)
    {
        final Notes notes = notes("a listener that is " + manner, manner != Manner.THROWS);
        handle.listen(new TokenListener()
        {
            @Override
            public void onTokens(final CompletionHandle request, final int from, final int to)
            {
                notes.checkThread();
                for (int i = from; i < to; i++)
                {
                    notes.tokens.add(request.token(i));
                }
                if (manner == Manner.THROWS)
                {
                    Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> { });
                    throw new IllegalStateException("planted");
                }
                if (manner == Manner.BLOCKS && !FrontDoorRun.opened(release, Duration.ofMinutes(5)))
                {
                    notes.fault = "was never released";
                }
            }

            @Override
            public void onEnd(final CompletionHandle request, final Completion completion)
            {
                notes.checkThread();
                notes.end();
            }

            @Override
            public void onFailure(final CompletionHandle request, final Throwable cause)
            {
                notes.checkThread();
                notes.end();
            }
        }, executor);
    }

    void iterate()
    {
        final Notes notes = notes("an iterator", true);
        final Thread thread = new Thread(() ->
        {
            try
            {
                handle.forEach(notes.tokens::add);
            }
            catch (final IllegalStateException e)
            {
                // Refused, or the engine has closed.
            }
            notes.end();
        });
        thread.setDaemon(true);
        thread.start();
    }

    void whenDone(final Runnable next)
    {
        final Notes notes = notes("a stage", false);
        handle.completion().whenComplete((completion, thrown) ->
        {
            next.run();
            notes.end();
        });
    }

    /** Waits for the end, and returns what was wrong with it, or {@code null}. */
    String endFault() throws InterruptedException
    {
        return FrontDoorRun.endFault(handle.await(), prompt, newTokens);
    }

    /** Returns what was wrong with the request, or {@code null}. */
    String fault(final Duration longEnough, final boolean mayFail) throws Exception
    {
        Completion completion = null;
        try
        {
            completion = handle.await(longEnough);
        }
        catch (final IllegalStateException e)
        {
            if (!mayFail)
            {
                return handle.requestId() + " failed: " + e;
            }
        }
        final boolean refused = completion != null && completion.isRefused();
        final String fault = completion == null || refused ? null :
            FrontDoorRun.endFault(completion, prompt, newTokens);
        if (fault != null || refused && !EXPECTED.contains(completion.refusal().orElseThrow().reason()))
        {
            return fault == null ? completion.toString() : fault;
        }
        for (final Notes notes : followers)
        {
            final String seen = fault(notes, longEnough);
            if (seen != null)
            {
                return notes.who + " of request " + handle.requestId() + " " + seen;
            }
        }
        return null;
    }

    private String fault(final Notes notes, final Duration longEnough)
    {
        if (!FrontDoorRun.opened(notes.done, longEnough))
        {
            return "saw no end; tokens: " + notes.tokens;
        }
        if (notes.fault != null || notes.ends > 1)
        {
            return notes.fault == null ? "saw " + notes.ends + " ends" : notes.fault;
        }
        final List<Integer> all = new ArrayList<>();
        for (final int token : handle.tokens())
        {
            all.add(token);
        }
        final boolean right = notes.sawAll ? notes.tokens.equals(all) :
            notes.tokens.equals(all.subList(0, Math.min(all.size(), notes.tokens.size())));
        return right ? null : "saw " + notes.tokens + " of " + all;
    }
}
