// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.ring.CallbackThreads;
import io.signalbox.scheduler.SchedulerConfig;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Random requests of several threads through the front door, each followed in several ways, with callbacks that throw,
 * block, or call the engine, cancels, and a close in order or at once. Checks that each follower sees each token once and in
 * order, and one end.
 */
public final class FrontDoorRun
{
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(Integer.getInteger("signalbox.frontDoorSeconds", 120));
    private static final int THREADS = 4;
    private static final int REQUESTS_PER_THREAD = 12;

    private final long seed;
    private final SignalboxEngine engine;
    private final Queue<FollowedRequest> requests = new ConcurrentLinkedQueue<>();
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private final CountDownLatch release = new CountDownLatch(1);
    private final ExecutorService refusing = Executors.newSingleThreadExecutor();
    private final boolean closesAtOnce;

    private FrontDoorRun(final long seed)
    {
        this.seed = seed;
        final SplittableRandom random = new SplittableRandom(seed);
        closesAtOnce = random.nextInt(3) == 0;
        refusing.shutdown();
        engine = SignalboxEngine.launch(new EngineConfig()
            .scheduler(SchedulerConfig.builder().ranks(2).kvBlocks(257).build())
            .backend(new CountingBackend(random.nextInt(2) * 20_000L))
            .ingressSlots(16).submitWait(Duration.ofNanos(random.nextBoolean() ? Long.MAX_VALUE : 0))
            .drainTimeout(LONG_ENOUGH));
    }

    /** Returns what was wrong in the first run that failed, or {@code null}. */
    public static String firstFailure(final int runs)
    {
        for (int seed = 1; seed <= runs; seed++)
        {
            final String fault = new FrontDoorRun(seed).run();
            if (fault != null)
            {
                return "seed " + seed + ": " + fault;
            }
        }
        return null;
    }

    private String run()
    {
        try
        {
            final List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++)
            {
                final SplittableRandom random = new SplittableRandom(seed * THREADS + i);
                final Thread thread = new Thread(() -> submitAll(random));
                thread.setDaemon(true);
                thread.start();
                threads.add(thread);
            }
            if (closesAtOnce)
            {
                engine.closeNow();
            }
            final long end = System.nanoTime() + LONG_ENOUGH.toNanos();
            for (final Thread thread : threads)
            {
                // Threads that hang do so together.
                thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
                check(!thread.isAlive(), "a thread that submits hangs");
            }
            if (!closesAtOnce)
            {
                engine.close();
            }
            release.countDown();
            for (final FollowedRequest request : requests)
            {
                final String fault = request.fault(LONG_ENOUGH, closesAtOnce);
                check(fault == null, fault);
                if (fault != null)
                {
                    break;
                }
            }
        }
        catch (final Exception e)
        {
            faults.add(e.toString());
        }
        finally
        {
            release.countDown();
            closeAnyhow();
        }
        return faults.peek();
    }

    private void closeAnyhow()
    {
        try
        {
            engine.closeNow();
        }
        catch (final RuntimeException e)
        {
            faults.add(e.toString());
        }
    }

    private void check(final boolean holds, final String fault)
    {
        if (!holds)
        {
            faults.add(fault);
        }
    }

    private void submitAll(final SplittableRandom random)
    {
        try
        {
            for (int i = 0; i < REQUESTS_PER_THREAD; i++)
            {
                submit(random, 2);
            }
        }
        catch (final IllegalStateException e)
        {
            check(closesAtOnce && e.getMessage().contains("closed"), "submit threw " + e);
        }
    }

    /** @param depth requests that a callback submits may submit again this often. */
    private void submit(final SplittableRandom random, final int depth)
    {
        final int prompt = 1 + random.nextInt(60);
        final int newTokens = random.nextInt(20);
        final CompletionHandle handle =
            engine.submit(CompletionRequest.prompt(new int[prompt]).maxNewTokens(newTokens));
        final FollowedRequest request = new FollowedRequest(handle, prompt, newTokens, release);
        requests.add(request);
        for (int i = random.nextInt(3); i >= 0; i--)
        {
            follow(request, random, depth);
        }
        if (random.nextInt(6) == 0)
        {
            handle.cancel();
        }
    }

    private void follow(final FollowedRequest request, final SplittableRandom random, final int depth)
    {
        switch (random.nextInt(7))
        {
            case 0 -> request.listen(Runnable::run, FollowedRequest.Manner.CALM);
            case 1 -> request.listen(refusing, FollowedRequest.Manner.CALM);
            case 2 -> request.listen(CallbackThreads.EXECUTOR, FollowedRequest.Manner.THROWS);
            case 3 -> request.listen(CallbackThreads.EXECUTOR, FollowedRequest.Manner.BLOCKS);
            case 4 -> request.iterate();
            case 5 ->
            {
                final SplittableRandom own = random.split();
                request.whenDone(() -> submitAgain(own, depth));
            }
            default -> request.listen(CallbackThreads.EXECUTOR, FollowedRequest.Manner.CALM);
        }
    }

    private void submitAgain(final SplittableRandom random, final int depth)
    {
        try
        {
            if (depth > 0)
            {
                submit(random, depth - 1);
            }
        }
        catch (final IllegalStateException e)
        {
            // The engine closes.
        }
    }

    /** Waits for a latch, and says whether it opened. */
    static boolean opened(final CountDownLatch latch, final Duration time)
    {
        try
        {
            return latch.await(time.toNanos(), TimeUnit.NANOSECONDS);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** How a request must have ended, given that it was neither refused nor failed with the engine. */
    static String endFault(final Completion completion, final int prompt, final int newTokens)
    {
        final int[] tokens = completion.tokens();
        if (completion.reason() == FinishReason.LENGTH ? tokens.length != newTokens : tokens.length > newTokens)
        {
            return "a request for " + newTokens + " tokens ended by " + completion.reason() + " with " + tokens.length;
        }
        for (int i = 0; i < tokens.length; i++)
        {
            if (tokens[i] != prompt + i)
            {
                return "token " + i + " behind a prompt of " + prompt + " tokens is " + tokens[i];
            }
        }
        return completion.reason() == FinishReason.LENGTH || completion.reason() == FinishReason.CANCELLED ? null :
            "a request ended by " + completion.reason();
    }
}
