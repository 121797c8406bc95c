// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The weights that clients have announced, in the order of their announcements. The stage of each completes with its
 * generation when the first step of that generation is planned, and fails if the engine stops before. Thread-safe; the
 * executor of callbacks runs what depends on a stage.
 */
public final class AnnouncedWeights
{
    /** A generation that has come, of which no step is planned yet. */
    private record Planned(int generation, CompletableFuture<Integer> stage)
    {
    }

    private final Executor callbacks;
    /** The engine has not processed the announcement. */
    private final ArrayDeque<CompletableFuture<Integer>> sent = new ArrayDeque<>();
    /** The scheduler knows of them, and they have not come. */
    private final ArrayDeque<CompletableFuture<Integer>> awaited = new ArrayDeque<>();
    private final ArrayDeque<Planned> come = new ArrayDeque<>();
    private volatile boolean anyCome;
    private Throwable end;

    public AnnouncedWeights(final Executor callbacks)
    {
        this.callbacks = callbacks;
    }

    /** The engine continues a run with weights that were announced and have not come. */
    public synchronized void resume(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            awaited.addLast(new CompletableFuture<>());
        }
    }

    /** @param offer gives the announcement to the engine: announcements must be in one order here and there. */
    public synchronized void send(final CompletableFuture<Integer> stage, final Runnable offer)
    {
        sent.addLast(stage);
        try
        {
            offer.run();
        }
        catch (final RuntimeException | Error e)
        {
            sent.removeLast();
            throw e;
        }
        if (end != null)
        {
            fail(sent.removeLast(), end);
        }
    }

    /** The scheduler has processed the oldest announcement. */
    public synchronized void announced()
    {
        if (!sent.isEmpty())
        {
            awaited.addLast(sent.removeFirst());
        }
    }

    /** The weights that were announced first have come. */
    public synchronized void replaced(final int generation)
    {
        if (!awaited.isEmpty())
        {
            come.addLast(new Planned(generation, awaited.removeFirst()));
            anyCome = true;
        }
    }

    /** A step of this generation was planned. */
    public void planned(final int generation)
    {
        if (anyCome)
        {
            complete(generation);
        }
    }

    private synchronized void complete(final int generation)
    {
        while (!come.isEmpty() && come.peekFirst().generation <= generation)
        {
            final Planned next = come.removeFirst();
            new Handover(callbacks, () -> next.stage.complete(next.generation)).handOver();
        }
        anyCome = !come.isEmpty();
    }

    /** The engine accepts no further input. */
    public synchronized void failAll(final Throwable cause)
    {
        end = cause;
        final List<CompletableFuture<Integer>> open = new ArrayList<>(awaited);
        open.addAll(sent);
        come.forEach(planned -> open.add(planned.stage));
        awaited.clear();
        sent.clear();
        come.clear();
        anyCome = false;
        open.forEach(stage -> fail(stage, cause));
    }

    private void fail(final CompletableFuture<Integer> stage, final Throwable cause)
    {
        new Handover(callbacks, () -> stage.completeExceptionally(cause)).handOver();
    }
}
