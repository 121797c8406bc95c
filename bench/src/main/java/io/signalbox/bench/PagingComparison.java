// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.ConfigException;
import io.signalbox.InvariantViolation;

import java.util.List;
import java.util.Locale;

/**
 * Runs each {@link PagedRank} with the same load: same arrivals, pool, block size, token budget and most
 * requests, prefix caching with LRU, no routed experts. One step is one unit of time, whatever it computes, so the table
 * says how many steps and tokens a paging costs and not how many seconds. "Evicted" counts preemptions as well. Same
 * seed, same bytes.
 */
public final class PagingComparison
{
    /** Usable blocks; a request needs at most 48, and {@value PagedRank#MAX_REQUESTS} of them at most 1,536. */
    private static final int[] POOLS = {192, 384, 1536};
    private static final String[] POOL_NAMES = {"tight", "medium", "ample"};
    private static final String HEADER = """
        profile       steps    tokens  of these   spared    times  never     steps to end  mean pool
                             computed     again  by hits  evicted  ended     mean     max        use
        """;
    private static final String ROW = "%-10s %8d %9d %9d %8d %8d %6d %8.1f %7d %9.1f%%%s%n";

    private PagingComparison()
    {
    }

    public static void main(final String[] arguments)
    {
        try
        {
            final int seed = option(arguments, "--seed", 1);
            final int requests = option(arguments, "--requests", 1000);
            final PagingLoad load = new PagingLoad(seed, requests);
            System.out.printf(Locale.ROOT, "seed %d, %d requests, blocks of %d tokens, at most %d requests and %d tokens " +
                "in a step%n", seed, requests, PagedRank.BLOCK_SIZE_TOKENS, PagedRank.MAX_REQUESTS, PagedRank.STEP_TOKENS);
            for (int i = 0; i < POOLS.length; i++)
            {
                compare(load, POOL_NAMES[i], POOLS[i]);
            }
        }
        catch (final ConfigException e)
        {
            System.err.println(e.getMessage());
            System.exit(2);
        }
    }

    private static int option(final String[] arguments, final String name, final int byDefault)
    {
        int value = byDefault;
        for (int i = 0; i < arguments.length; i += 2)
        {
            final String number = i + 1 < arguments.length ? arguments[i + 1] : "";
            if (!arguments[i].matches("--seed|--requests") || !number.matches("[1-9]\\d{0,4}"))
            {
                throw new ConfigException(
                    arguments[i] + " " + number + " is not understood; give --seed N or --requests N, N from 1 to 99999.");
            }
            value = arguments[i].equals(name) ? Integer.parseInt(number) : value;
        }
        return value;
    }

    private static void compare(final PagingLoad load, final String name, final int usableBlocks)
    {
        System.out.printf(Locale.ROOT, "%n%s: %d blocks%n%s", name, usableBlocks, HEADER);
        // The dummy block comes on top.
        final int poolSize = usableBlocks + 1;
        for (final PagedRank rank : List.of(new RecomputeRank(poolSize, load), new MegatronRank(poolSize, load)))
        {
            System.out.printf(Locale.ROOT, ROW, run(load, rank).row(rank.paging()));
        }
    }

    /** Runs until all requests have ended, or until none of those left ever will. */
    private static PagingLedger run(final PagingLoad load, final PagedRank rank)
    {
        final PagingLedger ledger = new PagingLedger(load);
        int submitted = 0;
        boolean continues = true;
        for (int step = 0; continues && !ledger.allEnded(); step++)
        {
            while (submitted < load.requests() && load.arrivalStep(submitted) <= step)
            {
                rank.submit(submitted++);
            }
            ledger.beginStep(step);
            continues = rank.step(ledger);
        }
        if (ledger.allEnded() && rank.ownedBlocks() != 0)
        {
            throw new InvariantViolation(
                rank.paging() + ": all requests have ended and " + rank.ownedBlocks() + " blocks still have owners");
        }
        return ledger;
    }
}
