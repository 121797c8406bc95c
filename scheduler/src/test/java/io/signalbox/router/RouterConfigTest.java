// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.ConfigException;
import io.signalbox.router.trtllm.NewConversation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RouterConfigTest
{
    @ParameterizedTest
    @EnumSource(RouterPolicy.class)
    void shouldReadBackEverySettingItWrote(final RouterPolicy policy)
    {
        final RouterConfig config = RouterConfig.builder().policy(policy).beta(0.3).matchRateThreshold(0.25)
            .fairShareMultiplier(1.5).coldStartWarmup(true).maxSessions(77).newConversation(NewConversation.LEAST_QUEUED)
            .seed(-9).build();

        final RouterConfig read = RouterConfig.of(config.settings());

        assertEquals(config.settings(), read.settings());
        assertEquals(config.settings(), config.toBuilder().build().settings());
        assertEquals(policy, read.policy());
        assertEquals(0.3, read.beta());
        assertEquals(77, read.maxSessions());
    }

    @Test
    void shouldHaveItsOwnPolicyAndTheKnobsOfTensorRtLlm()
    {
        final RouterConfig config = RouterConfig.builder().build();

        assertEquals(RouterPolicy.SIGNALBOX, config.policy());
        assertEquals(1.0, config.beta());
        assertEquals(0.1, config.matchRateThreshold());
        assertEquals(2.0, config.fairShareMultiplier());
        assertEquals(65_536, config.maxSessions());
        assertEquals(NewConversation.ROUND_ROBIN, config.newConversation());
    }

    @ParameterizedTest
    @CsvSource({
        "router.beta, -0.5, beta=-0.5 is not between 0 and 1.0E12", "router.beta, NaN, beta=NaN",
        "router.beta, 1e308, beta=1.0E308 is not between 0 and 1.0E12",
        "router.overlapCredit, 1e308, overlapCredit=1.0E308 is not between 0 and 1.0E12",
        "router.beta, much, the setting router.beta=much is not a number",
        "router.matchRateThreshold, 1.01, matchRateThreshold=1.01 is not between 0 and 1",
        "router.matchRateThreshold, NaN, matchRateThreshold=NaN",
        "router.fairShareMultiplier, 0.99, fairShareMultiplier=0.99 is not a finite value >= 1",
        "router.fairShareMultiplier, Infinity, fairShareMultiplier=Infinity",
        "router.maxSessions, 0, maxSessions=0 is not between 1 and 16777216",
        "router.maxSessions, 1.5, the setting router.maxSessions=1.5 is not a whole number",
        "router.maxSessions, 99999999999, the setting router.maxSessions=99999999999 is not between",
        "router.coldStartWarmup, yes, the setting router.coldStartWarmup=yes is not true or false",
        "router.outputPrediction, TRUE, the setting router.outputPrediction=TRUE is not true or false",
        "router.rowWeight, 1e13, rowWeight=1.0E13 is not between 0 and 1.0E12",
        "router.decodeWeight, NaN, decodeWeight=NaN is not between 0",
        "router.backlog, Infinity, backlog=Infinity is not a finite value >= 0",
        "router.newConversation, random, newConversation=random is not known",
        "router.policy, load-balanced, router=load-balanced is not known; it is one of default"})
    void shouldRefuseASettingByName(final String name, final String value, final String named)
    {
        final Map<String, String> settings = RouterConfig.builder().build().settings();
        settings.put(name, value);

        final String message = assertThrows(ConfigException.class, () -> RouterConfig.of(settings)).getMessage();

        assertTrue(message.startsWith(named), message);
    }

    @Test
    void shouldKnowWhichPolicyReadsAKnob()
    {
        final Set<String> read = new TreeSet<>();
        for (final RouterPolicy policy : RouterPolicy.values())
        {
            read.addAll(policy.knobs());
        }
        final Set<String> settings = new TreeSet<>();
        RouterConfig.builder().build().settings().keySet().forEach(name -> settings.add(name.substring("router.".length())));
        settings.remove("policy");

        assertEquals(settings, read);
    }

    /** No knob that is let through makes a score infinite or no number, on ranks as loaded as they can be. */
    @ParameterizedTest
    @EnumSource(RouterPolicy.class)
    void shouldScoreFinitelyWithTheLargestKnobs(final RouterPolicy policy)
    {
        final double most = KnobRange.MAX_WEIGHT;
        final DpRouter router = DpRouters.of(RouterConfig.builder().policy(policy).beta(most)
            .fairShareMultiplier(Double.MAX_VALUE).sglang(new SglangKnobs(Double.MAX_VALUE, 0, Double.MAX_VALUE))
            .dynamo(new DynamoKnobs(most, Double.MIN_VALUE))
            .signalbox(new SignalboxWeights(most, most, most, most, most, Double.MAX_VALUE, most, true)).build(), 2, true);
        final PlacementBatch batch = new PlacementBatch(2, 65_536);
        for (int rank = 0; rank < 2; rank++)
        {
            batch.rank(rank, 65_535, false);
            for (final RankFigure figure : RankFigure.values())
            {
                batch.figure(rank, figure, 65_536L * Integer.MAX_VALUE);
            }
        }
        batch.figure(1, RankFigure.FREE_TOKENS, 1L << 60);
        batch.add(1, PlacementBatch.NO_CONVERSATION, Integer.MAX_VALUE, PlacementBatch.NO_RANK, Relax.NO_PARAMETERS);
        batch.matchedTokens(0, 0, Integer.MAX_VALUE);
        router.finished(Integer.MAX_VALUE);
        router.place(batch);

        assertEquals(1, batch.decisions());
        for (int rank = 0; rank < 2; rank++)
        {
            assertTrue(Double.isFinite(batch.score(0, rank)), rank + ": " + batch.score(0, rank));
        }
    }

    @Test
    void shouldMissASetting()
    {
        final Map<String, String> settings = RouterConfig.builder().build().settings();
        settings.remove("router.seed");

        final String message = assertThrows(ConfigException.class, () -> RouterConfig.of(settings)).getMessage();
        assertTrue(message.contains("router.seed"), message);
    }

    @Test
    void shouldSayWhichRouterDecidesWherePrefixCachingIsOff()
    {
        for (final RouterPolicy policy : RouterPolicy.values())
        {
            final RouterConfig config = RouterConfig.builder().policy(policy).build();
            // The others score loads as well, and do so with matches of 0.
            final RouterPolicy expected = policy.label().startsWith("kv-aware") ? RouterPolicy.DEFAULT : policy;

            assertEquals(policy, DpRouters.of(config, 2, true).policy());
            assertEquals(expected, DpRouters.of(config, 2, false).policy());
            assertEquals(expected, DpRouters.policy(config, false));
        }
    }
}
