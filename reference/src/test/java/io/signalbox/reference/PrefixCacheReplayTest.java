// SPDX-License-Identifier: Apache-2.0
package io.signalbox.reference;

import io.signalbox.ConfigException;
import io.signalbox.reference.PrefixCacheReplay.RankChoice;
import io.signalbox.reference.PrefixCacheReplay.Result;
import io.signalbox.workload.MooncakeTrace;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The anchors of the shared trace, to the digits in which they are stated. */
class PrefixCacheReplayTest
{
    private static final Path TRACE = Path.of(System.getProperty("signalbox.root", ".."))
        .resolve("../shared/traces/mooncake_conversation_trace.jsonl.gz").normalize();

    private static MooncakeTrace trace;

    @BeforeAll
    static void readTrace()
    {
        Assumptions.assumeTrue(Files.isRegularFile(TRACE),
            "skipped: the shared trace " + TRACE + " is absent");
        trace = MooncakeTrace.read(TRACE);
    }

    private static String digits(final int count, final double value)
    {
        return String.format(Locale.ROOT, "%." + count + "f", value);
    }

    @Test
    void shouldHitTheAnchorOfAnInfiniteCache()
    {
        final Result result = PrefixCacheReplay.run(trace, 1, RankChoice.ROUND_ROBIN, PrefixCacheReplay.UNBOUNDED);
        assertEquals(12_031, result.requests());
        assertEquals(288_500, result.blocks());
        assertEquals(105_710, result.blockHits());
        assertEquals("0.373624", digits(6, result.tokenHitRate()));
        assertEquals("0.366412", digits(6, result.blockHitRate()));
        assertEquals(0, result.evictions());
    }

    @ParameterizedTest
    @CsvSource({"2,0.275997,1.009", "4,0.195575,1.010", "8,0.138990,1.044", "16,0.101040,1.109"})
    void shouldHitTheAnchorsOfRoundRobin(final int ranks, final String tokenHitRate, final String maxOverMean)
    {
        final Result result = PrefixCacheReplay.run(trace, ranks, RankChoice.ROUND_ROBIN, PrefixCacheReplay.UNBOUNDED);
        assertEquals(tokenHitRate, digits(6, result.tokenHitRate()));
        assertEquals(maxOverMean, digits(3, result.maxOverMeanLoad()));
    }

    @ParameterizedTest
    @CsvSource({"2,2.000", "4,4.000", "8,8.000", "16,16.000"})
    void shouldHitTheAnchorsOfLongestMatch(final int ranks, final String maxOverMean)
    {
        final Result result = PrefixCacheReplay.run(trace, ranks, RankChoice.LONGEST_MATCH, PrefixCacheReplay.UNBOUNDED);
        assertEquals("0.373624", digits(6, result.tokenHitRate()));
        assertEquals(105_710, result.blockHits());
        assertEquals(maxOverMean, digits(3, result.maxOverMeanLoad()));
    }

    /** Both sides of the table in docs/simulation.md; the plain LRU's side is also that of the trace's anchors. */
    @ParameterizedTest
    @CsvSource({
        "1000,  12831, 0.045356, 274669,  12847, 0.045413, 274653",
        "4000,  24747, 0.087447, 259753,  24964, 0.088214, 259536",
        "16000, 75776, 0.267814, 196724,  75791, 0.267867, 196709",
        "64000, 103648, 0.366332, 120852, 103648, 0.366332, 120852"})
    void shouldKeepMoreOfAPrefixThanAPlainLruBecauseLeavesGoFirst(
        final int capacity,
        final long plainHits,
        final String plainTokenHitRate,
        final long plainEvictions,
        final long hits,
        final String tokenHitRate,
        final long evictions)
    {
        final Result plain = PlainLru.run(trace, capacity);
        assertEquals(plainHits, plain.blockHits());
        assertEquals(plainTokenHitRate, digits(6, plain.tokenHitRate()));
        assertEquals(plainEvictions, plain.evictions());

        final Result result = PrefixCacheReplay.run(trace, 1, RankChoice.ROUND_ROBIN, capacity);
        assertEquals(hits, result.blockHits());
        assertEquals(tokenHitRate, digits(6, result.tokenHitRate()));
        assertEquals(evictions, result.evictions());
    }

    @Test
    void shouldRefuseAPoolThatTheLongestPromptDoesNotFit()
    {
        final String message = assertThrows(ConfigException.class,
            () -> PrefixCacheReplay.run(trace, 1, RankChoice.ROUND_ROBIN, 100)).getMessage();
        assertTrue(message.contains("smaller than the longest prompt of 247 blocks"), message);
        assertThrows(ConfigException.class, () -> PrefixCacheReplay.run(trace, 0, RankChoice.ROUND_ROBIN, 1000));
    }
}
