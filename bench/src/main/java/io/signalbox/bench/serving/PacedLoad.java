// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.serving;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/** Requests of one token by several clients, each with one request at a time. */
final class PacedLoad
{
    private static final long END = Long.MIN_VALUE;

    /** Sends requests, one after the other. */
    interface Client extends AutoCloseable
    {
        /** Sends a request, reads its answer, and returns the time when the first token came. */
        long firstNanos() throws Exception;

        @Override
        default void close() throws IOException
        {
        }
    }

    /** Opens clients. */
    interface Clients
    {
        Client open() throws Exception;
    }

    private final Clients clients;
    private final int count;

    PacedLoad(final Clients clients, final int count)
    {
        this.clients = clients;
        this.count = count;
    }

    /** Requests per second if each client sends its next one at once. */
    double perSecond(final int requests) throws Exception
    {
        final long start = System.nanoTime();
        all(client ->
        {
            for (int i = 0; i < requests / count; i++)
            {
                client.firstNanos();
            }
            return List.of();
        });
        return requests / count * count * 1e9 / (System.nanoTime() - start);
    }

    /** Microseconds from the arrival of each request to its first token; arrivals are a Poisson process. */
    double[] micros(final int requests, final double perSecond, final long seed) throws Exception
    {
        final BlockingQueue<Long> arrivals = new ArrayBlockingQueue<>(requests + count);
        final Thread pace = new Thread(() -> arrive(arrivals, requests, perSecond, new Random(seed)), "arrivals");
        pace.setDaemon(true);
        pace.start();
        return all(client ->
        {
            final List<Double> micros = new ArrayList<>();
            for (long arrival = arrivals.take(); arrival != END; arrival = arrivals.take())
            {
                micros.add((client.firstNanos() - arrival) / 1e3);
            }
            return micros;
        }).stream().mapToDouble(Double::doubleValue).toArray();
    }

    private void arrive(
        final BlockingQueue<Long> arrivals, final int requests, final double perSecond, final Random random)
    {
        double due = System.nanoTime();
        for (int i = 0; i < requests; i++)
        {
            due -= Math.log(1.0 - random.nextDouble()) * 1e9 / perSecond;
            for (long left = (long)due - System.nanoTime(); left > 0; left = (long)due - System.nanoTime())
            {
                LockSupport.parkNanos(left);
            }
            arrivals.add(System.nanoTime());
        }
        for (int i = 0; i < count; i++)
        {
            arrivals.add(END);
        }
    }

    /** What one client does. */
    private interface Work
    {
        List<Double> run(Client client) throws Exception;
    }

    private List<Double> all(final Work work) throws InterruptedException, ExecutionException
    {
        final ExecutorService threads = Executors.newFixedThreadPool(count);
        try
        {
            final Callable<List<Double>> one = () ->
            {
                try (Client client = clients.open())
                {
                    return work.run(client);
                }
            };
            final List<Double> results = new ArrayList<>();
            for (final Future<List<Double>> part : threads.invokeAll(Collections.nCopies(count, one)))
            {
                results.addAll(part.get());
            }
            return results;
        }
        finally
        {
            threads.shutdownNow();
        }
    }
}
