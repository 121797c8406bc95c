// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.request.TokenBuffer;
import io.signalbox.event.codec.FreeReason;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.L_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The listener thread, a thread that fails the engine and threads of a client, at a handle and its parts. */
public class CompletionHandleStress
{
    private static final EngineClient CLIENT = new EngineClient(new EngineConfig());
    private static final CompletionRequest REQUEST = CompletionRequest.prompt(new int[1]);
    private static final IllegalStateException CAUSE = new IllegalStateException("planted");

    private static CompletionHandle handle()
    {
        return new CompletionHandle(CLIENT, 1, REQUEST);
    }

    /** A request ends at the moment in which the engine fails. */
    @JCStressTest
    @Outcome(id = {"true, false", "false, true"}, expect = Expect.ACCEPTABLE, desc = "It has one end.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "It has none, or two.")
    @State
    public static class FirstEnd
    {
        private final CompletionHandle handle = handle();

        @Actor
        public void listener()
        {
            handle.freed(new RequestEnd(FreeReason.LENGTH, 0, 0, 0, 0, List.of(), null));
        }

        @Actor
        public void failing()
        {
            handle.failed(CAUSE);
            handle.finish();
        }

        @Arbiter
        public void after(final ZZ_Result result)
        {
            result.r1 = handle.end() != null;
            result.r2 = handle.failure() != null;
        }
    }

    /** A client asks for the future of a request that ends. */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "It completes.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "It does not.")
    @State
    public static class Ended
    {
        private final CompletionHandle handle = handle();
        private CompletableFuture<Completion> future;

        @Actor
        public void client()
        {
            future = handle.ended();
        }

        @Actor
        public void listener()
        {
            handle.freed(new RequestEnd(FreeReason.LENGTH, 0, 0, 0, 0, List.of(), null));
        }

        @Arbiter
        public void after(final Z_Result result)
        {
            result.r1 = future.join() == handle.end();
        }
    }

    /** A token becomes visible in an array that has grown. */
    @JCStressTest
    @Outcome(id = {"16, 16", "17, 17"}, expect = Expect.ACCEPTABLE, desc = "Every visible token is there.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A visible token is not there.")
    @State
    public static class VisibleTokens
    {
        private static final int FIRST = 16;
        private final TokenBuffer tokens = new TokenBuffer(false);

        /** The array is full. */
        public VisibleTokens()
        {
            for (int token = 1; token <= FIRST; token++)
            {
                tokens.append(token, 0);
            }
            tokens.show();
        }

        @Actor
        public void listener()
        {
            tokens.append(FIRST + 1, 0);
            tokens.show();
        }

        @Actor
        public void client(final II_Result result)
        {
            result.r1 = tokens.count();
            result.r2 = tokens.token(result.r1 - 1);
        }
    }

    /** A client waits for news that come at the same time. */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "The wait ends.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "It ended without news.")
    @State
    public static class AwaitedNews
    {
        private final Audience audience = new Audience();
        private volatile boolean news;

        @Actor
        public void client(final Z_Result result)
        {
            try
            {
                audience.await(() -> news, Long.MAX_VALUE);
            }
            catch (final InterruptedException e)
            {
                throw new IllegalStateException(e);
            }
            result.r1 = news;
        }

        @Actor
        public void listener()
        {
            news = true;
            audience.tell();
        }
    }

    /** A request is submitted at the moment in which the engine fails. */
    @JCStressTest
    @Outcome(id = {"refused", "failed"}, expect = Expect.ACCEPTABLE, desc = "The client hears of it.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The request never ends.")
    @State
    public static class OpenedHandle
    {
        private final OpenHandles handles = new OpenHandles();
        private final CompletionHandle handle = handle();
        private boolean isRefused;

        @Actor
        public void client()
        {
            try
            {
                handles.add(handle);
            }
            catch (final IllegalStateException e)
            {
                isRefused = true;
            }
        }

        @Actor
        public void failing()
        {
            handles.failAll(CAUSE);
        }

        @Arbiter
        public void after(final L_Result result)
        {
            result.r1 = isRefused ? "refused" : handle.failure() == CAUSE ? "failed" : "open";
        }
    }
}
