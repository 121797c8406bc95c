// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.engine.GroupJournal;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.JournalWriter;
import io.signalbox.journal.Verification;
import io.signalbox.journal.JournalConfig;
import io.signalbox.report.RunReport;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.Simulation;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.SimulationProgress;
import io.signalbox.workload.MooncakeTrace;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Simulated requests per second over a trace on 8 ranks with 512-token blocks: the scheduler alone, with every decision
 * journaled, and with rows of 4 layers × top-2 stored per block and journaled; then what verifying that journal takes.
 * All four by turns in one process; the first turn warms up and does not count.
 */
public final class SimulationRate
{
    private static final int ROUNDS = 5;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private SimulationRate()
    {
    }

    public static void main(final String[] arguments) throws IOException
    {
        if (arguments.length != 1)
        {
            System.err.println("give one argument, a trace file in the Mooncake format, plain or gzipped.");
            System.exit(2);
        }
        final MooncakeTrace trace = MooncakeTrace.read(Path.of(arguments[0]));
        final Simulation plain = simulation(trace, null);
        final Simulation rows = simulation(trace, new ModelShape(4, 64, 2));
        final double[][] seconds = new double[4][ROUNDS];
        final double[] leastCpu = {Double.MAX_VALUE, Double.MAX_VALUE, Double.MAX_VALUE, Double.MAX_VALUE};
        long requests = 0;
        long steps = 0;
        for (int round = -1; round < ROUNDS; round++)
        {
            final Path directory = Files.createTempDirectory("signalbox-bench");
            final long[] times = new long[5];
            final long[] cpu = new long[5];
            read(0, times, cpu);
            requests = run(plain, null).requests().completed();
            read(1, times, cpu);
            run(plain, journal(plain, directory.resolve("plain")));
            read(2, times, cpu);
            steps = run(rows, journal(rows, directory.resolve("rows"))).steps().steps();
            read(3, times, cpu);
            final Verification verification = JournalVerifier.verify(directory.resolve("rows"), Scheduler::new);
            read(4, times, cpu);
            if (!verification.matches())
            {
                throw new IllegalStateException("the journal does not verify: " + verification.difference());
            }
            JournalAppend.delete(directory);
            for (int i = 0; round >= 0 && i < 4; i++)
            {
                seconds[i][round] = (times[i + 1] - times[i]) / 1e9;
                leastCpu[i] = Math.min(leastCpu[i], (cpu[i + 1] - cpu[i]) / 1e9);
            }
        }
        print("scheduler and simulator alone", requests, steps, seconds[0], leastCpu[0]);
        print("every decision journaled", requests, steps, seconds[1], leastCpu[1]);
        print("rows stored and journaled", requests, steps, seconds[2], leastCpu[2]);
        print("verify the journal with rows", requests, steps, seconds[3], leastCpu[3]);
    }

    private static void read(final int index, final long[] times, final long[] cpu)
    {
        times[index] = System.nanoTime();
        cpu[index] = THREADS.getCurrentThreadCpuTime();
    }

    private static Simulation simulation(final MooncakeTrace trace, final ModelShape capture)
    {
        final SchedulerConfig config = SchedulerConfig.builder()
            .ranks(8).blockSizeTokens(512).kvBlocks(2048).capture(capture).build();
        return new Simulation(config, SimulationConfig.DEFAULT, trace);
    }

    private static GroupJournal journal(final Simulation simulation, final Path directory)
    {
        return JournalWriter.create(directory, simulation.settings(), JournalConfig.of(Durability.PROCESS));
    }

    private static RunReport run(final Simulation simulation, final GroupJournal journal)
    {
        return simulation.run(SteppedEngine::new, journal, SimulationProgress.NONE);
    }

    private static void print(
        final String name, final long requests, final long steps, final double[] seconds, final double leastCpu)
    {
        final double median = Interleaved.median(seconds);
        System.out.printf(Locale.ROOT,
            "%-32s %7.2f s   %,9.0f requests/s   %,11.0f steps/s   (median of %d)   least CPU %7.2f s%n",
            name, median, requests / median, steps / median, seconds.length, leastCpu);
    }
}
