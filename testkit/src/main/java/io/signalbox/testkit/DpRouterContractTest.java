// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.RouterException;
import io.signalbox.router.RouterSnapshot;
import io.signalbox.router.ScoredDpRouter;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;

/**
 * The contract of {@link DpRouter}, for any router: extend this class, and give the provider of the router. Each test states
 * one duty; a router that breaks it fails the test with a sentence that names the router, whatever it throws, and also if
 * it never returns.
 *
 * <p>Batches are random, from a fixed seed, so that a failure repeats. If a series of batches shows a fault, the sentence
 * ends with the smallest series that was found to show it.
 */
public abstract class DpRouterContractTest
{
    private static final long SEED = 1;
    private static final int TRIALS = 400;
    private static final int SERIES = 20;
    private static final int SERIES_BATCHES = 20;
    private static final int RANKS = 3;
    private static final int TIED_RANKS = 4;
    private static final int TIED_REQUESTS = 400;
    private static final int DAMAGES = 500;

    /** The declaration of the router under test. */
    protected abstract DpRouterProvider provider();

    /** The router with the knobs that most tests use: the defaults unless a subclass overrides it. */
    protected RouterConfig config()
    {
        return RouterConfig.of(provider());
    }

    /**
     * Whether the router promises to prefer no rank for its number, as {@link ScoredDpRouter} does; equal ranks then get
     * equal shares of unrelated requests.
     */
    protected boolean prefersNoRank()
    {
        return router() instanceof ScoredDpRouter;
    }

    /** The time after which a router that has not returned has failed. */
    protected Duration patience()
    {
        return Duration.ofSeconds(60);
    }

    /** Label, version and knobs are declared, and the router can be made for 1 to 1,024 ranks. */
    @Test
    public void declaresItselfAndCanBeMade()
    {
        check("making the router", () ->
        {
            for (final int ranks : new int[] {1, 2, 8, EdgeBatches.MOST_RANKS})
            {
                config().router(ranks, true);
                config().router(ranks, false);
            }
            return null;
        });
    }

    /**
     * Choices are candidates and within the caps of ranks, the same batches give the same decisions, snapshots hold all
     * state, and nothing is allocated or thrown.
     */
    @Test
    public void keepsItsContractOnRandomBatches()
    {
        check("placing random batches", () -> RouterTrial.fault(config(), SEED, TRIALS));
    }

    /** The same for every knob at the ends of its range; values outside are refused with the knob's name. */
    @Test
    public void keepsItsContractWithEveryValueOfItsKnobs()
    {
        check("turning its knobs", () -> KnobTrial.fault(config()));
    }

    /** Every batch ends: empty ones, full ones, empty prompts, lost ranks, 1,024 ranks, figures at their ends. */
    @Test
    public void acceptsEveryBatch()
    {
        for (final EdgeBatches batch : EdgeBatches.values())
        {
            check("placing a batch of the kind " + batch, () -> batch.fault(config()));
        }
    }

    /** No clock, thread, identity or hidden random state: another thread at another time decides the same. */
    @Test
    public void decidesTheSameInAnotherThread()
    {
        report(RouterSeries.fault(SERIES, SERIES_BATCHES, SEED, series ->
            decisions(series, true).equals(decisions(series, true)) ? null :
                "decided differently for the same batches in another thread (a choice may depend only on the batches)"));
    }

    /** A router that says that it reads no matches decides the same, whatever they are. */
    @Test
    public void readsMatchesOnlyIfItSaysSo()
    {
        if (router().readsMatches())
        {
            return;
        }
        report(RouterSeries.fault(SERIES, SERIES_BATCHES, SEED, series ->
            decisions(series, true).equals(decisions(series, false)) ? null :
                "says that it reads no matches, and decided differently when they changed"));
    }

    /** A snapshot that was cut or damaged is refused, or restores the same state; it is never believed. */
    @Test
    public void refusesDamagedSnapshots()
    {
        check("reading a snapshot", this::damagedSnapshots);
    }

    private String damagedSnapshots()
    {
        final RouterConfig config = config();
        final DpRouter router = config.router(RANKS, true);
        new RouterSeries(RANKS, RouterSeries.batches(SERIES_BATCHES, SEED)).decisions(router, true);
        final byte[] whole = RouterSnapshot.of(config.provider(), router, RANKS);
        final RouterSeries later = new RouterSeries(RANKS, RouterSeries.batches(SERIES_BATCHES, SEED + 1));
        final Random random = new Random(SEED);
        for (int i = 0; i < DAMAGES; i++)
        {
            final byte[] damaged = i % 2 == 0 ? Arrays.copyOf(whole, random.nextInt(whole.length)) : whole.clone();
            if (i % 2 == 1)
            {
                damaged[random.nextInt(whole.length)] ^= (byte)(1 << random.nextInt(Byte.SIZE));
            }
            final DpRouter restored = KnobTrial.restored(config, damaged, RANKS);
            if (restored != null && restored.digest() != router.digest())
            {
                return "restored another state than it had from a damaged snapshot";
            }
            if (restored != null)
            {
                later.decisions(restored, true);
            }
        }
        return null;
    }

    /** If the router promises it: ranks that are alike get at least a quarter of an equal share each. */
    @Test
    public void prefersNoRankIfItPromisesSo()
    {
        if (!prefersNoRank())
        {
            return;
        }
        check("placing requests on equal ranks", this::preferredRank);
    }

    private String preferredRank()
    {
        final int[] placed = new int[TIED_RANKS];
        final DpRouter router = config().router(TIED_RANKS, true);
        for (int id = 0; id < TIED_REQUESTS; id++)
        {
            final PlacementBatch batch = EdgeBatches.single(TIED_RANKS, id);
            router.place(batch);
            placed[Math.max(0, batch.chosenRank(0))]++;
        }
        for (int rank = 0; rank < TIED_RANKS; rank++)
        {
            if (placed[rank] < TIED_REQUESTS / TIED_RANKS / 4)
            {
                return "promises to prefer no rank, and placed " + placed[rank] + " of " + TIED_REQUESTS +
                    " requests on rank " + rank + " of " + TIED_RANKS + " equal ranks";
            }
        }
        return null;
    }

    private DpRouter router()
    {
        return Bounded.call(name(), "it is made", patience(), () -> config().router(RANKS, true));
    }

    private List<String> decisions(final RouterSeries series, final boolean matches)
    {
        return Bounded.call(name(), "placing random batches", patience(), () ->
            series.decisions(config().router(series.ranks(), true), matches));
    }

    private String name()
    {
        final DpRouterProvider provider = Bounded.call(
            "the provider of " + getClass().getSimpleName(), "it is made", patience(), this::provider);
        if (provider == null)
        {
            throw new AssertionError("provider() of " + getClass().getSimpleName() +
                " returned null; return the provider of the router under test.");
        }
        return "the router " + provider.label() + ", version " + provider.version() + ",";
    }

    /** @param trial returns the fault in words that follow "the router", or null. */
    private void check(final String doing, final Callable<String> trial)
    {
        final String fault = Bounded.call(name(), doing, patience(), () ->
        {
            try
            {
                return trial.call();
            }
            catch (final RouterException e)
            {
                return e.fault();
            }
        });
        report(fault);
    }

    /** @param fault in words that follow "the router"; {@code null}: none. */
    private void report(final String fault)
    {
        if (fault != null)
        {
            throw new AssertionFailedError(name() + " " + fault + ".");
        }
    }
}
