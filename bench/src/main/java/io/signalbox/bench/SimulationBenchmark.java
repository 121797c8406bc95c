// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.engine.GroupJournal;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.report.RunReport;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.Simulation;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.SimulationProgress;
import io.signalbox.workload.MooncakeTrace;
import io.signalbox.workload.Workload;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * A short simulation of 8 ranks with steps of two to three entries, as {@link SimulationRate} has them for a whole trace:
 * few enough steps to count their instructions. The difference between two output lengths is that of their decode steps.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class SimulationBenchmark
{
    private static final int REQUESTS = 24;
    private static final int BLOCK_TOKENS = 512;

    /** Tokens that each request generates. */
    @Param({"20", "60"})
    public int output;

    /** {@code here}: in the thread that simulates; {@code elsewhere}: the report is made by nobody, as if behind the run. */
    @Param({"here", "elsewhere"})
    public String report;

    private Simulation simulation;
    private UnaryOperator<GroupJournal> behind;

    @Setup
    public void setUp() throws IOException
    {
        final Path file = Files.createTempFile("simulation", ".jsonl");
        final StringBuilder lines = new StringBuilder();
        for (int i = 0; i < REQUESTS; i++)
        {
            lines.append("{\"timestamp\": ").append(i).append(", \"input_length\": ").append(2 * BLOCK_TOKENS + 1 + i)
                .append(", \"output_length\": ").append(output).append(", \"hash_ids\": [0, ").append(2 * i + 1)
                .append(", ").append(2 * i + 2).append("]}\n");
        }
        Files.writeString(file, lines);
        final Workload workload = MooncakeTrace.read(file);
        Files.delete(file);
        simulation = new Simulation(
            SchedulerConfig.builder().ranks(8).blockSizeTokens(BLOCK_TOKENS).kvBlocks(64).build(),
            SimulationConfig.DEFAULT, workload);
        behind = report.equals("elsewhere") ? journal -> GroupJournal.NONE : null;
    }

    @Benchmark
    public RunReport run()
    {
        return simulation.run(SteppedEngine::new, null, behind, SimulationProgress.NONE);
    }
}
