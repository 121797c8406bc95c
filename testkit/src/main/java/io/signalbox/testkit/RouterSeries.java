// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.PluginFault;
import io.signalbox.router.DpRouter;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementBatchWriter;
import io.signalbox.router.RouterException;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomGenerator;
import net.jqwik.api.Shrinkable;
import net.jqwik.api.sessions.JqwikSession;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A series of batches for a router of so many ranks. jqwik makes series and shrinks one that a router fails. */
record RouterSeries(int ranks, List<TrialBatch> batches)
{
    static final int MAX_RANKS = 8;
    /** A small cap of requests per rank, so that many batches meet it. */
    static final int MAX_ACTIVE = 6;

    private static final int GENERATED_SIZE = 1000;
    private static final int MOST_TRIALS = 1_000;

    private static Arbitrary<RouterSeries> upTo(final int batches)
    {
        return Combinators.combine(Arbitraries.integers().between(1, MAX_RANKS), TrialBatch.batches().list().ofMinSize(1)
            .ofMaxSize(batches)).as(RouterSeries::new).withoutEdgeCases();
    }

    /** Random batches, the same for the same seed. */
    static List<TrialBatch> batches(final int count, final long seed)
    {
        final List<TrialBatch> drawn = new ArrayList<>();
        JqwikSession.run(() ->
        {
            final RandomGenerator<TrialBatch> generator = TrialBatch.batches().generator(GENERATED_SIZE);
            final Random random = new Random(seed);
            for (int i = 0; i < count; i++)
            {
                drawn.add(generator.next(random).value());
            }
        });
        return drawn;
    }

    /**
     * The fault of the smallest series that is found to have one, in words that follow "the router"; {@code null} if no
     * series has a fault.
     *
     * @param tries   series with at most so many batches each.
     * @param seed    of the series; the same seed gives the same series.
     * @param trial   returns the fault of a series, or {@code null}.
     */
    static String fault(
        final int tries, final int mostBatches, final long seed, final Function<RouterSeries, String> trial)
    {
        final String[] found = new String[1];
        JqwikSession.run(() ->
        {
            final RandomGenerator<RouterSeries> generator = upTo(mostBatches).generator(GENERATED_SIZE);
            final Random random = new Random(seed);
            for (int i = 0; i < tries && found[0] == null; i++)
            {
                final Shrinkable<RouterSeries> series = generator.next(random);
                if (named(trial, series.value()) != null)
                {
                    found[0] = shrunk(series, trial);
                }
            }
        });
        return found[0];
    }

    private static String shrunk(final Shrinkable<RouterSeries> failed, final Function<RouterSeries, String> trial)
    {
        Shrinkable<RouterSeries> smallest = failed;
        String fault = named(trial, failed.value());
        int trials = 0;
        Iterator<Shrinkable<RouterSeries>> smaller = failed.shrink().iterator();
        while (smaller.hasNext() && trials++ < MOST_TRIALS)
        {
            final Shrinkable<RouterSeries> candidate = smaller.next();
            final String its = named(trial, candidate.value());
            if (its != null)
            {
                smallest = candidate;
                fault = its;
                smaller = candidate.shrink().iterator();
            }
        }
        return fault == null ? "fails only sometimes with the same batches: " + failed.value() :
            fault + "; the smallest series of batches that shows it has " + smallest.value();
    }

    private static String named(final Function<RouterSeries, String> trial, final RouterSeries series)
    {
        try
        {
            return trial.apply(series);
        }
        catch (final RouterException e)
        {
            return e.fault();
        }
        catch (final AssertionError e)
        {
            throw e;
        }
        catch (final Throwable e)
        {
            return "threw " + PluginFault.of(e);
        }
    }

    PlacementBatchWriter writer()
    {
        return new PlacementBatchWriter(ranks, MAX_ACTIVE);
    }

    /**
     * One line per decision of the router, in the order of the decisions.
     *
     * @param matches whether requests match prefixes; if false, the batches are the same apart from that.
     */
    List<String> decisions(final DpRouter router, final boolean matches)
    {
        final PlacementBatchWriter writer = writer();
        final List<String> decisions = new ArrayList<>();
        for (int i = 0; i < batches.size(); i++)
        {
            batches.get(i).fill(writer, matches);
            final PlacementBatch batch = writer.batch();
            router.place(batch);
            batches.get(i).end(router, ranks);
            for (int decision = 0; decision < batch.decisions(); decision++)
            {
                final int request = batch.decision(decision);
                decisions.add("batch " + i + ": request " + request + " on rank " + batch.chosenRank(request));
            }
        }
        return decisions;
    }

    @Override
    public String toString()
    {
        return (ranks == 1 ? "1 rank" : ranks + " ranks") + ": " +
            batches.stream().map(batch -> batch.text(ranks)).collect(Collectors.joining("; then "));
    }
}
