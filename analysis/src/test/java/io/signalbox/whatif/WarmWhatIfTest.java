// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.ConfigException;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.D2hDelay;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.workload.SplitMix64;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Re-runs that begin in the middle of a record, with what its ranks had cached then. */
class WarmWhatIfTest
{
    private static final int PROMPTS = 100;
    private static final long SECOND = 1_000_000_000L;
    /** All requests of the first wave have ended, and none of the second one has come. */
    private static final long BETWEEN = 500 * SECOND;
    private static final SchedulerConfig CONFIG = SchedulerConfig.builder().ranks(3).kvBlocks(600).build();

    /** Without jitter, which depends on the number of a step. */
    private static final SimulationConfig SIMULATION = SimulationConfig.DEFAULT.withD2hDelay(new D2hDelay(40_000, 0, 0));

    /** Two waves of requests with the same prompts, the second one in the opposite order. */
    private record Waves(List<WorkloadRequest> requests) implements Workload
    {
        private static Waves make()
        {
            final List<WorkloadRequest> requests = new ArrayList<>();
            for (int i = 0; i < 2 * PROMPTS; i++)
            {
                final int prompt = i < PROMPTS ? i : 2 * PROMPTS - 1 - i;
                requests.add(WorkloadRequest.arriving(i + 1, (i < PROMPTS ? 0 : 600 * SECOND) + i % PROMPTS * 90_000_000L,
                    60 + prompt, 1 + prompt % 20));
            }
            return new Waves(requests);
        }

        @Override
        public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
        {
            final int blocks = request.promptTokens() / blockSizeTokens;
            for (int i = 0; i < blocks; i++)
            {
                target[i] = SplitMix64.mix(request.promptTokens(), i) >>> 1 | 1;
            }
            return blocks;
        }

        @Override
        public Map<String, String> settings()
        {
            return Map.of("workload.kind", "waves");
        }
    }

    private static WhatIf question(final Beginning beginning)
    {
        return WhatIf.read(WhatIfTest.record(CONFIG, SIMULATION, Waves.make()).cursor(), CONFIG, beginning);
    }

    private static WhatIfReport ask(final Beginning beginning, final Variant... variants)
    {
        return question(beginning).ask(List.of(variants), 2, 10, 1, (parts, ended, total) -> { });
    }

    @Test
    void shouldDecideAsTheRecordWithItsCaches()
    {
        final WhatIfReport whole = ask(Beginning.OF_RUN);
        final WhatIfReport warm = ask(new Beginning(BETWEEN, true));

        assertNull(whole.recorded().start());
        assertTrue(whole.unchanged().report().prefixCache().matchedTokens() > 0, "the second wave shares nothing");
        assertEquals(0, warm.unchanged().decisions().different(), warm.unchanged().decisions().list().toString());
        assertEquals(PROMPTS, warm.unchanged().decisions().placements().total());
        assertEquals(whole.recorded().report().prefixCache().matchedTokens(),
            warm.unchanged().report().prefixCache().matchedTokens());
        assertEquals(0, warm.unchanged().latency().e2e().maxNanos());
        assertEquals(PROMPTS, warm.unchanged().requests().equal());
        assertEquals(0, warm.recorded().start().begunBefore());
        assertTrue(warm.recorded().start().cachedBlocks() > PROMPTS, warm.recorded().start().toString());
    }

    @Test
    void shouldFindNothingWithEmptyCaches()
    {
        final WhatIfReport cold = ask(new Beginning(BETWEEN, false));

        assertEquals(0, cold.unchanged().report().prefixCache().matchedTokens());
        assertEquals(PROMPTS, cold.unchanged().requests().fewerCached());
        assertEquals(0, cold.recorded().start().cachedBlocks());
    }

    @Test
    void shouldSpreadTheCachesOverOtherRanksAndPools()
    {
        final WhatIfReport report = ask(new Beginning(BETWEEN, true),
            new Variant("one rank", CONFIG.toBuilder().ranks(1).kvBlocks(1800).build()),
            new Variant("more ranks", CONFIG.toBuilder().ranks(5).build()),
            new Variant("small", CONFIG.toBuilder().kvBlocks(80).build()),
            new Variant("turns", CONFIG.toBuilder().router("round-robin").build()),
            new Variant("kept by none", CONFIG.toBuilder().evictionPolicy(EvictionPolicy.REF_ZERO).build()));

        final long unchanged = report.unchanged().report().prefixCache().matchedTokens();
        assertEquals(unchanged, report.variants().get(0).report().prefixCache().matchedTokens());
        assertEquals(unchanged, report.variants().get(1).report().prefixCache().matchedTokens());
        final long small = report.variants().get(2).report().prefixCache().matchedTokens();
        assertTrue(small > 0 && small < unchanged, small + " of " + unchanged);
        assertEquals(0, report.variants().get(4).report().prefixCache().matchedTokens());
        assertTrue(report.variants().get(3).regret().tokens() > 0, "the caches at the beginning count");
    }

    /** Those that wait or run at the beginning are there at once; what they had cached is cached. */
    @Test
    void shouldStartOverWhatHadBegun()
    {
        final WhatIfReport report = ask(new Beginning(600 * SECOND + 100_000_000L, true));

        assertTrue(report.recorded().start().begunBefore() > 0, report.recorded().start().toString());
        final long rerun = report.unchanged().report().requests().submitted();
        assertEquals(rerun, report.unchanged().report().requests().completed());
        assertTrue(rerun > PROMPTS - 5 && rerun <= PROMPTS, rerun + " requests");
        assertEquals(rerun - report.recorded().start().begunBefore(), report.unchanged().decisions().placements().total());
    }

    @Test
    void shouldRefuseBlocksOfAnotherSizeAndATimeBehindTheEnd()
    {
        final Variant larger = new Variant("larger", CONFIG.toBuilder().blockSizeTokens(32).kvBlocks(300).build());
        assertEquals("variant larger: blockSizeTokens=32 is not that of the recorded caches, whose blocks have 16 tokens; " +
            "begin with empty caches, or with the run.", assertThrows(ConfigException.class,
                () -> ask(new Beginning(BETWEEN, true), larger)).getMessage());
        assertEquals(PROMPTS, ask(new Beginning(BETWEEN, false), larger).variants().get(0).requests().compared());
        assertEquals("the journal has no request that had not ended before the time at which the re-runs are to begin; " +
            "give an earlier one.", assertThrows(ConfigException.class,
                () -> question(new Beginning(5_000 * SECOND, true))).getMessage());
    }
}
