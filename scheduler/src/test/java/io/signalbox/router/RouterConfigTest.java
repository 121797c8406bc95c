// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RouterConfigTest
{
    private static final DpRouters INSTALLED = DpRouters.installed();

    /** A router whose maker is an action of the test. */
    private static class Own extends DpRouterProvider
    {
        private final DpRouter made;

        Own(final String label, final int version, final DpRouter made, final Setting<?>... knobs)
        {
            super(label, version, "A router of a test.", knobs);
            this.made = made;
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return made;
        }
    }

    private static String refused(final Runnable action)
    {
        final String message = assertThrows(ConfigException.class, action::run).getMessage();
        assertTrue(message.endsWith("."), message);
        return message;
    }

    @ParameterizedTest
    @MethodSource("io.signalbox.router.Routers#all")
    void shouldReadBackEverySettingItWrote(final DpRouterProvider provider)
    {
        for (int seed = 0; seed < 50; seed++)
        {
            final RouterConfig config = Routers.random(provider, new Random(seed));

            final RouterConfig read = RouterConfig.of(config.settings(), INSTALLED);

            assertEquals(config.settings(), read.settings());
            assertEquals(provider.label(), read.label());
        }
    }

    @Test
    void shouldNameLabelVersionFallbackAndTheKnobsOfItsRouterOnly()
    {
        assertEquals(
            "{router.fallback.label=default, router.fallback.version=1, router.knob.beta=0.5, " +
            "router.label=kv-aware-pr, router.version=1}",
            RouterConfig.of("kv-aware-pr").with("beta", 0.5).settings().toString());
        assertEquals("{router.label=lmetric, router.version=1}", RouterConfig.of("lmetric").settings().toString());
        assertEquals("signalbox", RouterConfig.standard().label());
    }

    @Test
    void shouldRefuseASettingThatItDoesNotKnow()
    {
        final Map<String, String> settings = RouterConfig.of("kv-aware-pr").settings();
        settings.put("scheduler.ranks", "8");
        assertEquals("kv-aware-pr", RouterConfig.of(settings, INSTALLED).label());
        settings.put("router.snapshot", "AAAA");
        assertEquals("a router has no setting 'snapshot'; read the run with the version of Signalbox that wrote it.",
            refused(() -> RouterConfig.of(settings, INSTALLED)));
    }

    @Test
    void shouldHaveTheKnobsOfTensorRtLlm()
    {
        assertEquals("{beta=1.0, coldStartWarmup=false, fairShareMultiplier=2.0, matchRateThreshold=0.1}",
            RouterConfig.of("kv-aware").knobs().print("").toString());
        assertEquals("{fairShareMultiplier=2.0, maxSessions=65536, newConversation=round_robin}",
            RouterConfig.of("conversation").knobs().print("").toString());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        kv-aware | beta | -0.5 | beta=-0.5 is not a number between 0 and 1.0E12; give a number in that range.
        kv-aware | beta | NaN | beta=NaN is not a number between 0 and 1.0E12; give a number in that range.
        kv-aware | beta | 1e308 | beta=1e308 is not a number between 0 and 1.0E12; give a number in that range.
        kv-aware | beta | much | beta=much is not a number between 0 and 1.0E12; give a number in that range.
        dynamo-cost | overlapCredit | 1e308 | overlapCredit=1e308 is not a number between 0 and 1.0E12; give a number in
        dynamo-cost | seed | 99999999999999999999 | seed=99999999999999999999 is not a whole number of 64 bits; give
        kv-aware | matchRateThreshold | 1.01 | matchRateThreshold=1.01 is not a number between 0 and 1; give a number
        kv-aware | fairShareMultiplier | 0.99 | fairShareMultiplier=0.99 is not a finite number >= 1; give a number
        kv-aware | fairShareMultiplier | Infinity | fairShareMultiplier=Infinity is not a finite number >= 1; give a
        conversation | maxSessions | 0 | maxSessions=0 is not a whole number between 1 and 16777216; give a number in
        conversation | maxSessions | 1.5 | maxSessions=1.5 is not a whole number between 1 and 16777216; give a number
        conversation | maxSessions | 99999999999 | maxSessions=99999999999 is not a whole number between 1 and 16777216;
        kv-aware | coldStartWarmup | yes | coldStartWarmup=yes is not true or false; give one of the two.
        kv-aware | coldStartWarmup | TRUE | coldStartWarmup=TRUE is not true or false; give one of the two.
        signalbox | backlog | Infinity | backlog=Infinity is not a finite number >= 0; give a number in that range.
        conversation | newConversation | random | newConversation=random is not one of round_robin, least_queued; give
        kv-aware | betta | 1 | the kv-aware router has no setting 'betta'; it has beta, matchRateThreshold, fair
        lmetric | beta | 1 | the lmetric router has no setting 'beta'; it has none.
        """)
    void shouldRefuseAKnobByName(final String label, final String knob, final String value, final String named)
    {
        final RouterConfig config = RouterConfig.of(label);
        final String message = refused(() -> config.with(knob, value));
        assertTrue(message.startsWith(named), message);

        final Map<String, String> settings = config.settings();
        settings.put("router.knob." + knob, value);
        assertEquals(message.startsWith(knob) ? "router.knob." + message : message,
            refused(() -> RouterConfig.of(settings, INSTALLED)), "it names the setting as the run description does");
    }

    @Test
    void shouldCarrySettingValueRangeAndRemedyOfARefusal()
    {
        final ConfigException refusal =
            assertThrows(ConfigException.class, () -> RouterConfig.of("kv-aware").with("beta", -1));

        assertEquals("beta", refusal.setting());
        assertEquals("-1", refusal.value());
        assertEquals("a number between 0 and 1.0E12", refusal.allowed());
        assertEquals("give a number in that range", refusal.remedy());
    }

    @Test
    void shouldRefuseALabelThatNoRouterHasAndNameThoseThatThereAre()
    {
        final String message = refused(() -> RouterConfig.of("load-balanced"));
        assertTrue(message.startsWith("router=load-balanced is not known; give one of default, kv-aware-pr"), message);
        assertTrue(message.endsWith("or the jar that holds it with --plugins."), message);
    }

    @Test
    void shouldRefuseARunDescriptionOfARouterThatIsAbsentOrOfAnotherVersion()
    {
        final Own own = new Own("own", 3, null);
        final Map<String, String> settings = RouterConfig.of(own).settings();
        assertEquals(settings, RouterConfig.of(settings, INSTALLED.with(List.of(own))).settings());

        final String absent =
            assertThrows(AbsentRouterException.class, () -> RouterConfig.of(settings, INSTALLED)).getMessage();
        assertEquals("the run used the router own, version 3, which is not installed; give the jar that holds it with " +
            "--plugins.", absent);
        final DpRouters older = INSTALLED.with(List.of(new Own("own", 2, null)));
        final String other = assertThrows(AbsentRouterException.class, () -> RouterConfig.of(settings, older)).getMessage();
        assertTrue(other.startsWith("the run used version 3 of the router own, and version 2 is installed; give"), other);

        final Map<String, String> fallback = RouterConfig.of("kv-aware").settings();
        fallback.put("router.fallback.version", "7");
        assertTrue(assertThrows(AbsentRouterException.class, () -> RouterConfig.of(fallback, INSTALLED)).getMessage()
            .startsWith("the run's fallback was version 7 of the router default"));
    }

    @Test
    void shouldMissASetting()
    {
        for (final String name : RouterConfig.of("kv-aware").settings().keySet())
        {
            final Map<String, String> settings = RouterConfig.of("kv-aware").settings();
            settings.remove(name);
            assertTrue(refused(() -> RouterConfig.of(settings, INSTALLED)).contains(name), name);
        }
    }

    @Test
    void shouldRefuseTwoRoutersWithOneLabelAndBadDeclarations()
    {
        final String twice = refused(() -> INSTALLED.with(List.of(new Own("lmetric", 1, null))));
        assertTrue(twice.startsWith("two routers have the label lmetric, io.signalbox.router.published.LMetricDpRouter"),
            twice);
        for (final String label : new String[] {"", "all", "Own", "1own", "o wn", "own\n", "o".repeat(65), null})
        {
            assertTrue(refused(() -> new Own(label, 1, null)).startsWith("label of a router=" + label + " is not"), label);
        }
        assertTrue(refused(() -> new Own("own", 0, null)).startsWith("version of the router own=0 is not 1 or more"));
        final Setting<Boolean> knob = Setting.flag("knob", false, "A knob.");
        assertEquals("the router own declares the knob knob twice; declare it once.",
            refused(() -> new Own("own", 1, null, knob, knob)));
        assertTrue(refused(() -> Setting.flag("Knob", false, "A knob.")).startsWith("name of a setting=Knob is not"));
        assertTrue(refused(() -> Setting.flag("knob", false, " ")).contains("has no meaning"));
        assertTrue(refused(() -> Setting.weight("knob", -1, "A knob.")).startsWith("knob=-1.0 is not between 0 and"));
    }

    @Test
    void shouldNameTheRouterThatCannotBeMade()
    {
        final String none = assertThrows(
            RouterException.class, () -> RouterConfig.of(new Own("own", 3, null)).router(2, true)).getMessage();
        assertTrue(none.startsWith("the router own, version 3, cannot be made (its maker returned null); report"), none);
        final Own failing = new Own("own", 3, null)
        {
            @Override
            public DpRouter create(final SettingValues values, final int ranks)
            {
                throw new Error("no ranks of " + ranks);
            }
        };
        final String failed =
            assertThrows(RouterException.class, () -> RouterConfig.of(failing).router(2, true)).getMessage();
        assertTrue(failed.contains("cannot be made (java.lang.Error: no ranks of 2)"), failed);
    }

    /** No knob value that is allowed makes a score infinite or no number, on ranks as loaded as they can be. */
    @ParameterizedTest
    @MethodSource("io.signalbox.router.Routers#all")
    void shouldScoreFinitelyWithTheLargestKnobs(final DpRouterProvider provider)
    {
        RouterConfig config = RouterConfig.of(provider);
        for (final Setting<?> knob : provider.knobs())
        {
            config = config.with(knob.name(), largest(knob));
        }
        final DpRouter router = config.router(2, true);
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
        router.place(batch);

        assertEquals(1, batch.decisions());
        for (int rank = 0; rank < 2; rank++)
        {
            assertTrue(Double.isFinite(batch.score(0, rank)), rank + ": " + batch.score(0, rank));
        }
    }

    /** The largest of some values that the knob allows; for a temperature the smallest, which makes weights extreme. */
    private static String largest(final Setting<?> knob)
    {
        final List<String> values = knob.name().equals("temperature") ? List.of(Double.toString(Double.MIN_VALUE)) :
            List.of(Double.toString(Double.MAX_VALUE), Double.toString(Setting.MAX_WEIGHT), "1.0",
                Integer.toString(Integer.MAX_VALUE), Integer.toString(1 << 24), "8", "true", "round_robin", "absolute");
        for (final String value : values)
        {
            try
            {
                knob.parse(value);
                return value;
            }
            catch (final ConfigException e)
            {
                assertEquals(knob.name(), e.setting());
            }
        }
        throw new AssertionError("no value for " + knob);
    }

    @Test
    void shouldSayWhichRouterDecidesWithoutPrefixCaching()
    {
        for (final DpRouterProvider provider : Routers.all())
        {
            final RouterConfig config = RouterConfig.of(provider);
            // The others score loads as well, and do so with matches of 0.
            final boolean fallsBack = provider.label().startsWith("kv-aware");

            assertEquals(provider, config.deciding(true));
            assertEquals(fallsBack ? "default" : provider.label(), config.deciding(false).label());
            assertFalse(fallsBack && config.router(2, false).readsMatches());
        }
    }
}
