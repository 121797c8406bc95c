// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.latency;

import io.signalbox.engine.EngineConfig.Waiting;
import io.signalbox.engine.HandlerThreads;
import io.signalbox.journal.Durability;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LatencyArgumentsTest
{
    private static LatencyArguments parse(final int cores, final String... args)
    {
        return LatencyArguments.parse(args, cores);
    }

    @Test
    void shouldMeasureEverythingThatTheMachineHasTheCoresFor()
    {
        final LatencyArguments few = parse(2, "10", "out", "journals");
        assertEquals(List.of(Waiting.BLOCKING, Waiting.YIELDING), few.waitings());
        assertTrue(few.skipsSpinning());
        assertEquals(List.of(Optional.empty(), Optional.of(Durability.PROCESS), Optional.of(Durability.BATCH),
            Optional.of(Durability.RECORD)), few.levels());
        final LatencyArguments many = parse(8, "10", "out", "journals");
        assertEquals(List.of(Waiting.BLOCKING, Waiting.YIELDING, Waiting.SPINNING), many.waitings());
        assertFalse(many.skipsSpinning());
    }

    @Test
    void shouldMeasureSpinningAloneWhereThereAreCores()
    {
        final LatencyArguments arguments = parse(8, "2.5", "out", "journals", "spinning", "none", "each");
        assertEquals(List.of(Waiting.SPINNING), arguments.waitings());
        assertEquals(HandlerThreads.EACH, arguments.threads());
        assertEquals(2.5, arguments.seconds());
    }

    @Test
    void shouldRefuseSpinningAloneOnFewCores()
    {
        assertEquals("WAITING=spinning needs 8 cores, one for each thread of the engine and one for the sender among " +
            "them, and this machine has 2; run WAITING=spinning scripts/measure-latency DIR on a machine that has them, " +
            "or measure blocking or yielding.", fault(2, "1", "out", "journals", "spinning"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0 | blocking | none | one | SECONDS_EACH=0 is no time for each rate; give seconds, above 0 and at most 3600.",
        "NaN | blocking | none | one | SECONDS_EACH=NaN is no time for each rate; give seconds, above 0 and at most 3600.",
        "x | blocking | none | one | SECONDS_EACH=x is no time for each rate; give seconds, above 0 and at most 3600.",
        "1 | asleep | none | one | WAITING=asleep is not one of blocking, yielding, spinning; " +
            "give one of them, or several with commas between them.",
        "1 | blocking | none,disk | one | JOURNALS=disk is not one of none, process, batch, record; " +
            "give one of them, or several with commas between them.",
        "1 | blocking | none | two | THREADS=two is not one of by_cores, one, each; " +
            "give one of them."})
    void shouldNameTheArgumentThatIsNotAllowed(
        final String seconds, final String waiting, final String journals, final String threads, final String sentence)
    {
        assertEquals(sentence, fault(2, seconds, "out", "journals", waiting, journals, threads));
    }

    @Test
    void shouldSayHowItIsCalled()
    {
        assertTrue(fault(2, "1").startsWith("usage: EngineLatency "));
    }

    private static String fault(final int cores, final String... args)
    {
        return assertThrows(IllegalArgumentException.class, () -> parse(cores, args)).getMessage();
    }
}
