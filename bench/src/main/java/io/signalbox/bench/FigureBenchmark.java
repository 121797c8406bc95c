// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.stats.LiveFigures;
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

import java.util.concurrent.TimeUnit;

/** A decode step of the scheduler with live figures, without them, and with a reader: {@link FigureCost} for a count. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(value = 3, jvmArgsAppend = {"-Xms4g", "-Xmx4g"})
public class FigureBenchmark
{
    @Param({"256", "1024"})
    private int running;

    @Param({"none", "live"})
    private String figures;

    private LiveFigures live;
    private DecodeStepBenchmark steps;

    @Setup
    public void setUp()
    {
        live = FigureCost.figures();
        steps = DecodeStepBenchmark.of(running, figures.equals("none") ? null : live);
    }

    @Benchmark
    public int step()
    {
        return steps.planAndCommit();
    }

    /** A step and a question for the figures behind it, as the reader of a monitor asks. */
    @Benchmark
    public long question()
    {
        return steps.planAndCommit() + live.stats(null).requests().accepted();
    }
}
