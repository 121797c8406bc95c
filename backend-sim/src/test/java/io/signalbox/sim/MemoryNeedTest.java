// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.Arrivals;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.Workload;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.management.ManagementFactory;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Compares the estimate with the objects that a run really holds. */
class MemoryNeedTest
{
    @ParameterizedTest(name = "{0} ranks, capture {1}")
    @CsvSource({"1,false", "1,true", "8,false", "8,true", "64,false", "64,true", "256,false", "1024,false"})
    void shouldNotBeBelowWhatARunHolds(final int ranks, final boolean capture)
    {
        assumeTrue(ranks <= 256 || "full".equals(System.getProperty("signalbox.tests")), "runs with -Pfull");
        final SchedulerConfig config = SchedulerConfig.builder()
            .ranks(ranks).kvBlocks(1024).capture(capture ? new ModelShape(4, 64, 2) : null).build();
        assertEnough(config, new HeapLimits(Long.MAX_VALUE, Long.MAX_VALUE));
    }

    /** The arrays of a default pool are as large as the regions of a small heap. */
    @ParameterizedTest(name = "{0} blocks")
    @ValueSource(ints = {65_536, 131_072, 40_000})
    void shouldCountTheRegionsOfLargeArrays(final int kvBlocks)
    {
        final SchedulerConfig config = SchedulerConfig.builder().ranks(8).kvBlocks(kvBlocks).capture(null).build();
        assertEnough(config, new HeapLimits(Long.MAX_VALUE, Long.MAX_VALUE, regionBytes()));
    }

    private static long regionBytes()
    {
        final HotSpotDiagnosticMXBean jvm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        return Boolean.parseBoolean(jvm.getVMOption("UseG1GC").getValue()) ?
            Long.parseLong(jvm.getVMOption("G1HeapRegionSize").getValue()) : 0;
    }

    private static void assertEnough(final SchedulerConfig config, final HeapLimits limits)
    {
        final Workload workload = GeneratedWorkload.of(GeneratedWorkloadConfig.builder()
            .conversations(Math.max(50, config.ranks())).arrivals(new Arrivals.Poisson(1000)).maxContextTokens(16_000)
            .build());
        final long before = usedBytes();
        final long[] held = new long[1];
        new Simulation(config, SimulationConfig.DEFAULT, workload).run(SteppedEngine::new, null, (ended, total, nanos) ->
        {
            if (ended == total / 2 || ended == total)
            {
                held[0] = Math.max(held[0], usedBytes() - before);
            }
        });
        final long estimate = MemoryNeed.bytes(config, workload, limits);
        assertTrue(held[0] <= estimate, "holds " + held[0] + " bytes, estimated are " + estimate);
    }

    /** After a collection, which an explicit request makes a full one. */
    private static long usedBytes()
    {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
