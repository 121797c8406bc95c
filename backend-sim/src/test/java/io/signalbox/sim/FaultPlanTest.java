// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.ConfigException;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The text of a fault plan, and which step it befalls. */
class FaultPlanTest
{
    private static final String REST = "late-by=50ms,step-timeout=5s,back-after=1s,kv=lost";
    private static final ModelShape SHAPE = new ModelShape(2, 16, 2);

    private static FaultKind kindOf(final FaultPlan plan, final int rank, final long step)
    {
        final Fault fault = plan.of(1, rank, step, SHAPE);
        return fault == null ? null : fault.kind();
    }

    @Test
    void shouldReadEveryStatement()
    {
        final FaultPlan plan = FaultPlan.parse("""
            # Rank 2 breaks down; it is the one with the old driver: "\u00e9".
            rank 2 step 40 failed ECC error, 2 bits\t at 0x1f = bad  # repaired
            rank 0..3 step 10..20 late 5ms; rank 1 step 50 lost back-after 200ms;
              rank * step 100.. duplicated
            rank 1 step 51 lost; rank 1 step 52 lost back-after never
            rank 7 step * corrupt token-range

            rank 0 step 5 dropped;rank 0 step 6 reordered
            seed=7, late=0.01,dropped=1e-3 , late-by=1.5ms
            step-timeout=2s
            back-after=never,kv=kept
            """);

        assertEquals("rank 2 step 40 failed ECC error, 2 bits  at 0x1f = bad; rank 0..3 step 10..20 late 5ms; " +
            "rank 1 step 50 lost back-after 200ms; rank * step 100.. duplicated; rank 1 step 51 lost; " +
            "rank 1 step 52 lost back-after never; rank 7 step 1.. corrupt token-range; rank 0 step 5 dropped; " +
            "rank 0 step 6 reordered; seed=7,late=0.01,dropped=0.001,late-by=1500us,step-timeout=2s,back-after=never," +
            "kv=kept",
            plan.text());
        assertEquals(plan, FaultPlan.parse(plan.text()));
    }

    @Test
    void shouldSayEveryDefault()
    {
        assertEquals("rank 0 step 1 dropped; " + REST, FaultPlan.parse("rank 0 step 1 dropped").text());
        assertEquals("failed=0.25," + REST, FaultPlan.parse("failed=0.25").text());
    }

    @Test
    void shouldChooseTheFirstListedFaultBeforeRates()
    {
        final FaultPlan plan = FaultPlan.parse("rank 1 step 5..6 dropped; rank * step 6.. late 1ms; failed=1");

        assertEquals(FaultKind.FAILED, kindOf(plan, 1, 4));
        assertEquals(FaultKind.DROPPED, kindOf(plan, 1, 5));
        assertEquals(FaultKind.DROPPED, kindOf(plan, 1, 6));
        assertEquals(FaultKind.LATE, kindOf(plan, 1, 7));
        assertEquals(FaultKind.FAILED, kindOf(plan, 0, 5));
        assertEquals(FaultKind.LATE, kindOf(plan, 900, Long.MAX_VALUE - 1));
        assertNull(kindOf(FaultPlan.parse("rank 1 step 5 dropped"), 1, 6));
    }

    @Test
    void shouldDrawEachKindAtItsRate()
    {
        final FaultPlan plan = FaultPlan.parse("seed=7,late=0.1,reordered=0.05,duplicated=0.05,dropped=0.1,corrupt=0.2," +
            "failed=0.1,lost=0.1");
        final int[] counts = new int[FaultKind.values().length];
        int none = 0;
        for (int rank = 0; rank < 10; rank++)
        {
            for (int step = 1; step <= 10_000; step++)
            {
                final FaultKind kind = kindOf(plan, rank, step);
                none += kind == null ? 1 : 0;
                counts[kind == null ? 0 : kind.ordinal()] += kind == null ? 0 : 1;
            }
        }
        final int[] expected = {10_000, 5_000, 5_000, 10_000, 20_000, 10_000, 10_000};
        for (int kind = 0; kind < counts.length; kind++)
        {
            assertEquals(expected[kind], counts[kind], 400, FaultKind.labels().get(kind));
        }
        assertEquals(30_000, none, 600);
    }

    @Test
    void shouldDrawByTheSeedOfTheRunUnlessThePlanHasOne()
    {
        final FaultPlan free = FaultPlan.parse("late=0.5");
        final FaultPlan fixed = FaultPlan.parse("late=0.5,seed=3");
        int differ = 0;
        for (int step = 1; step <= 100; step++)
        {
            differ += free.of(1, 0, step, SHAPE) == null ^ free.of(2, 0, step, SHAPE) == null ? 1 : 0;
            assertEquals(fixed.of(1, 0, step, SHAPE), fixed.of(2, 0, step, SHAPE));
            assertEquals(fixed.of(1, 0, step, SHAPE), free.of(3, 0, step, SHAPE));
        }
        assertTrue(differ > 20, "differ: " + differ);
    }

    @Test
    void shouldDrawOnlyCorruptionsThatTheRunCanHave()
    {
        final FaultPlan plan = FaultPlan.parse("corrupt=1");
        for (final ModelShape shape : new ModelShape[] {null, new ModelShape(1, 256, 1), new ModelShape(1, 65_536, 1)})
        {
            for (int step = 1; step <= 200; step++)
            {
                assertNull(plan.of(1, 0, step, shape).corruption().impossible(shape));
            }
        }
    }

    @ParameterizedTest
    @CsvFileSource(resources = "fault-plan-refusals.csv", delimiter = '|')
    void shouldRefuseInOneSentence(final String text, final String sentence)
    {
        assertEquals(sentence, assertThrows(ConfigException.class, () -> FaultPlan.parse(text)).getMessage());
    }

    @Test
    void shouldNameLineAndColumn()
    {
        final String message = assertThrows(ConfigException.class,
            () -> FaultPlan.parse(
                "# first; line\nrank 0 step 1 dropped\r\n  rank 0 step 2 late 1ms ;\trank x step 1 dropped\n"))
            .getMessage();

        assertTrue(message.startsWith("line 3, column 33 of the fault plan: 'x' is not a rank;"), message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"# nothing\n\n;", "late=0", "failed=0.0,seed=4"})
    void shouldRefuseAPlanWithoutAFault(final String text)
    {
        assertEquals("the fault plan has no fault; write a line such as 'rank 2 step 40 failed', or a rate such as " +
            "'late=0.01'.", assertThrows(ConfigException.class, () -> FaultPlan.parse(text)).getMessage());
    }

    @Test
    void shouldRefuseTooMuch()
    {
        assertTrue(assertThrows(ConfigException.class, () -> FaultPlan.parse("#".repeat(FaultPlan.MAX_TEXT_CHARS + 1)))
            .getMessage().startsWith("the fault plan has 65537 characters, more than 65536;"));
        assertTrue(assertThrows(ConfigException.class, () -> FaultPlan.parse("rank 0 step 1 dropped\n".repeat(1001)))
            .getMessage().startsWith(
                "line 1001, column 5 of the fault plan: this is fault 1001, and a plan lists at most 1000;"));
    }

    @Test
    void shouldRefuseFaultsThatTheRunCannotHave()
    {
        final SchedulerConfig two = SchedulerConfig.builder().ranks(2).capture(SHAPE).build();
        FaultPlan.parse("rank 0..1 step 1 dropped; rank * step 1 corrupt expert-range").check(two);

        assertEquals("the fault 'rank 0..2 step 1 dropped' names rank 2, but the ranks are 0 to 1; name one of them, or * " +
            "for all.", refusal("rank 0..2 step 1 dropped", two));
        assertEquals("the fault 'rank 0 step 1 corrupt row-count' needs captured rows, and capture is off; leave it out, " +
            "or name another corruption.", refusal("rank 0 step 1 corrupt row-count", SchedulerConfig.builder().build()));
        assertEquals("the fault 'rank 0 step 1 corrupt expert-range' needs ids that are no expert, and with 256 experts " +
            "every id is one; leave it out, or name another corruption.", refusal("rank 0 step 1 corrupt expert-range",
            SchedulerConfig.builder().capture(new ModelShape(1, 256, 2)).build()));
        assertEquals("the fault 'rank 0 step 1 corrupt expert-repeated' needs two experts in a layer, and each token has " +
            "one; leave it out, or name another corruption.", refusal("rank 0 step 1 corrupt expert-repeated",
            SchedulerConfig.builder().capture(new ModelShape(1, 16, 1)).build()));
        assertEquals("the fault 'rank 0 step 1 corrupt weight-not-finite' needs captured combine weights, and they are " +
            "off; leave it out, or name another corruption.", refusal("rank 0 step 1 corrupt weight-not-finite", two));
    }

    private static String refusal(final String text, final SchedulerConfig config)
    {
        return assertThrows(ConfigException.class, () -> FaultPlan.parse(text).check(config)).getMessage();
    }

    @Provide
    Arbitrary<String> texts()
    {
        final Arbitrary<String> word = Arbitraries.of("rank", "step", "*", "0", "3..7", "10..", "late", "5ms", "lost",
            "back-after", "never", "dropped", "failed", "corrupt", "token-range", "late=0.1", "seed=4", "kv=kept", ",", ";",
            "\n", "#", "=", "\u0000", "9".repeat(30), "1e-3", "duplicated=2", "..", "step-timeout=0.001s");
        return Combinators.combine(word.list().ofMaxSize(20), Arbitraries.of(" ", "", "  ", "\t"))
            .as((words, between) -> String.join(between, words));
    }

    /** The text of every plan reads as the same plan. */
    @Property(tries = 2000)
    void shouldReadItsOwnTextOrRefuseInOneSentence(@ForAll("texts") final String text)
    {
        FaultPlan plan = null;
        try
        {
            plan = FaultPlan.parse(text);
        }
        catch (final ConfigException e)
        {
            assertTrue(e.getMessage().matches("(line \\d+, column \\d+ of the|the) fault plan.*;.*\\."), e.getMessage());
        }
        if (plan != null)
        {
            assertEquals(plan.text(), FaultPlan.parse(plan.text()).text());
        }
    }
}
