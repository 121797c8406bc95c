// SPDX-License-Identifier: Apache-2.0
package io.signalbox.serving;

import io.signalbox.ConfigException;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelWeights;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A set that was announced is there when the switch comes, whatever happens in between; others are not kept. */
@Tag("threads")
@Timeout(60)
class WeightSetsTest
{
    private static final DecoderPlan PLAN = GeneratedModel.tiny();

    private final WeightSets<String> sets = new WeightSets<>("toy", PLAN, "first", "set 0");

    private static ModelWeights weights(final int seed)
    {
        return GeneratedModel.weights(PLAN, seed);
    }

    private static String version(final int seed)
    {
        return WeightVersion.of("policy-" + seed, weights(seed));
    }

    /** Sets are compared by identity. */
    private static String set(final int seed)
    {
        return ("set " + seed).intern();
    }

    private static String prepare(final WeightSets<String> sets, final int seed)
    {
        return sets.prepare("policy-" + seed, weights(seed), loaded -> set(seed));
    }

    /** The trainer prepares and announces three sets, the dispatcher switches to them later, in all orders. */
    @Test
    void shouldHaveEveryAnnouncedSetInEveryInterleaving()
    {
        final int orders = interleave(0, 0, new ArrayList<>());
        assertEquals(12, orders);
    }

    /** @param trainer steps that the trainer has taken, prepare and announce alternately. */
    private static int interleave(final int trainer, final int switches, final List<Boolean> order)
    {
        if (trainer == 6 && switches == 3)
        {
            play(order);
            return 1;
        }
        int orders = 0;
        if (trainer < 6)
        {
            order.add(true);
            orders += interleave(trainer + 1, switches, order);
            order.remove(order.size() - 1);
        }
        if (switches < trainer / 2)
        {
            order.add(false);
            orders += interleave(trainer, switches + 1, order);
            order.remove(order.size() - 1);
        }
        return orders;
    }

    private static void play(final List<Boolean> order)
    {
        final WeightSets<String> sets = new WeightSets<>("toy", PLAN, "first", "set 0");
        int trainer = 0;
        int switches = 0;
        for (final boolean isTrainer : order)
        {
            if (isTrainer && trainer % 2 == 0)
            {
                prepare(sets, 1 + trainer++ / 2);
            }
            else if (isTrainer)
            {
                sets.expect(version(1 + trainer++ / 2));
            }
            else
            {
                switches++;
                assertEquals(new WeightSets.StepWeights<>("set " + switches, null), sets.take(switches, version(switches)));
                assertFalse(sets.holds(set(switches - 1)), order.toString());
            }
        }
        assertTrue(sets.holds("set 3"));
    }

    @Test
    void shouldRefuseToExpectASetThatNobodyPrepared()
    {
        final String version = prepare(sets, 1);
        assertEquals(version(1), version);
        assertEquals("the backend toy does not have the weights 'policy-9'; it has 'first', '" + version +
            "'; prepare the weights before you announce them, or start the backend with them",
            assertThrows(IllegalArgumentException.class, () -> sets.expect("policy-9")).getMessage());
    }

    /** A missing set never falls back to the old weights. */
    @Test
    void shouldNameTheSetThatASwitchLacksAndTakeTheNext()
    {
        final WeightSets.StepWeights<String> missing = sets.take(4, "policy-9");
        assertNull(missing.weights());
        assertEquals("the backend toy has to compute with the weights 'policy-9' of generation 4, and has 'first'",
            missing.fault());
        final String version = prepare(sets, 1);
        assertEquals("set 1", sets.take(5, version).weights());
    }

    @Test
    void shouldGiveUpASetThatWasPreparedAndNotAnnounced()
    {
        final String version = prepare(sets, 1);
        prepare(sets, 2);
        assertFalse(sets.holds("set 1"));
        assertThrows(IllegalArgumentException.class, () -> sets.expect(version));
    }

    /** The weights that are current may be announced again while others are announced. */
    @Test
    void shouldKeepTheFormerSetIfItIsAnnouncedAgain()
    {
        final String version = prepare(sets, 1);
        sets.expect(version);
        sets.expect("first");
        assertEquals("set 1", sets.take(1, version).weights());
        assertEquals("set 0", sets.take(2, "first").weights());
        assertFalse(sets.holds("set 1"));
    }

    @Test
    void shouldLoadAVersionThatItHasOnlyOnce()
    {
        final String version = prepare(sets, 1);
        assertEquals(version, sets.prepare("policy-1", weights(1), loaded ->
        {
            throw new IllegalStateException("loaded again");
        }));
    }

    @Test
    void shouldRefuseAnotherPlanByItsFieldAndKeepEverything()
    {
        final DecoderPlan other = PLAN.withVocabulary(PLAN.vocabulary() + 1);
        final String version = prepare(sets, 1);
        final String refused = assertThrows(ConfigException.class,
            () -> sets.prepare("x", GeneratedModel.weights(other, 1), loaded -> "never")).getMessage();
        assertEquals("the new weights belong to another model than the backend toy computes: vocabulary is 513 and not " +
            "512; give weights of the same configuration, or start an engine with the other model.", refused);
        sets.expect(version);
    }

    @Test
    void shouldRefuseWithoutAVersionOfTheFirstSet()
    {
        final WeightSets<String> fixed = new WeightSets<>("toy", PLAN, null, "set 0");
        assertFalse(fixed.areReplaceable());
        assertEquals("the backend toy was started without a version of its weights, so they cannot be replaced; give it " +
            "weightVersion.", assertThrows(ConfigException.class, () -> prepare(fixed, 1)).getMessage());
    }

    @Test
    void shouldRefuseANameWithSpaces()
    {
        assertTrue(assertThrows(ConfigException.class, () -> sets.prepare("a b", weights(1), loaded -> "never"))
            .getMessage().startsWith("a name of weights with 3 characters is not allowed; "));
        prepare(sets, 1);
    }

    /** A loader that waits until the test lets it continue. */
    private final class HeldLoad
    {
        private final CountDownLatch began = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);
        private final CompletableFuture<String> version = CompletableFuture.supplyAsync(() ->
            sets.prepare("policy-1", weights(1), loaded ->
            {
                began.countDown();
                await(goOn);
                return "set 1";
            }));

        private HeldLoad()
        {
            await(began);
        }
    }

    private static void await(final CountDownLatch latch)
    {
        try
        {
            latch.await();
        }
        catch (final InterruptedException e)
        {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldPrepareOneSetAtATimeAndSwitchMeanwhile()
    {
        final HeldLoad held = new HeldLoad();
        assertEquals("the backend toy is preparing other weights; wait until that call of prepareWeights has returned.",
            assertThrows(ConfigException.class, () -> prepare(sets, 2)).getMessage());
        sets.expect("first");
        assertEquals("set 0", sets.take(1, "first").weights());
        assertThrows(IllegalArgumentException.class, () -> sets.expect(version(1)));
        held.goOn.countDown();
        sets.expect(held.version.join());
    }

    @Test
    void shouldDropASetThatIsReadyAfterTheClose()
    {
        final HeldLoad held = new HeldLoad();
        assertFalse(sets.close(0));
        assertTrue(sets.isClosed());
        held.goOn.countDown();
        final Throwable refused = assertThrows(CompletionException.class, held.version::join).getCause();
        assertEquals("the backend toy was closed before the new weights were ready; start another engine with them.",
            refused.getMessage());
        assertTrue(sets.close(Long.MAX_VALUE));
        assertThrows(ConfigException.class, () -> prepare(sets, 2));
    }

    @Test
    void shouldFindTheDigestInAVersion()
    {
        final String version = version(3);
        final String digest = WeightVersion.digest(version);
        assertEquals("policy-3@sha256:" + digest, version);
        assertEquals("sha256:" + digest, WeightVersion.of("", weights(3)));
        assertEquals(digest, WeightVersion.digest("sha256:" + digest));
        assertNull(WeightVersion.digest("policy-3"));
        assertNull(WeightVersion.digest("policy-3@sha256:" + digest.substring(1)));
        assertNull(WeightVersion.digest("sha256:" + digest + "0"));
    }
}
