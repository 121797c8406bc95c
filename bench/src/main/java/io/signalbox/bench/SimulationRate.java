// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import com.sun.management.OperatingSystemMXBean;
import io.signalbox.engine.GroupJournal;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.JournalWriter;
import io.signalbox.journal.Verification;
import io.signalbox.journal.WriteBehind;
import io.signalbox.report.RunReport;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.Simulation;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.SimulationProgress;
import io.signalbox.workload.FirstRequests;
import io.signalbox.workload.MooncakeTrace;
import io.signalbox.workload.Workload;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * Simulated requests per second over a trace on 8 ranks with 512-token blocks: the scheduler alone, with every decision
 * journaled, and with rows of 4 layers × top-2 stored per block and journaled; then what verifying that journal takes.
 * All four by turns in one process; the first turn warms up and does not count. With two cores a second thread writes the
 * journal, as in {@code simulate}, or reads it, or makes the report if there is none. So two columns tell the least CPU
 * time: of the thread that simulates or verifies, and of all threads, those of the JVM included.
 */
public final class SimulationRate
{
    private static final int ROUNDS = 5;
    private static final int PARTS = 4;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean PROCESS =
        (OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean();

    private final long[] nanos = new long[PARTS + 1];
    private final long[] threadNanos = new long[PARTS + 1];
    private final long[] processNanos = new long[PARTS + 1];
    private final double[][] seconds = new double[PARTS][ROUNDS];
    private final double[] leastOfThread = new double[PARTS];
    private final double[] leastOfProcess = new double[PARTS];

    private SimulationRate()
    {
        Arrays.fill(leastOfThread, Double.MAX_VALUE);
        Arrays.fill(leastOfProcess, Double.MAX_VALUE);
    }

    public static void main(final String[] arguments) throws IOException
    {
        if (arguments.length < 1 || arguments.length > 2)
        {
            System.err.println("give a trace file in the Mooncake format, plain or gzipped, and, if not all of it, how " +
                "many of its first requests.");
            System.exit(2);
        }
        final Workload trace = MooncakeTrace.read(Path.of(arguments[0]));
        new SimulationRate().run(
            arguments.length == 1 ? trace : new FirstRequests(trace, Integer.parseInt(arguments[1])));
    }

    private void run(final Workload trace) throws IOException
    {
        final Simulation plain = simulation(trace, null);
        final Simulation rows = simulation(trace, new ModelShape(4, 64, 2));
        long requests = 0;
        long steps = 0;
        for (int round = -1; round < ROUNDS; round++)
        {
            final Path directory = Files.createTempDirectory("signalbox-bench");
            read(0);
            requests = run(plain, null).requests().completed();
            read(1);
            run(plain, journal(plain, directory.resolve("plain")));
            read(2);
            steps = run(rows, journal(rows, directory.resolve("rows"))).steps().steps();
            read(3);
            final Verification verification = JournalVerifier.verify(directory.resolve("rows"), Scheduler::new);
            read(4);
            if (!verification.matches())
            {
                throw new IllegalStateException("the journal does not verify: " + verification.difference());
            }
            JournalAppend.delete(directory);
            for (int i = 0; round >= 0 && i < PARTS; i++)
            {
                seconds[i][round] = (nanos[i + 1] - nanos[i]) / 1e9;
                leastOfThread[i] = Math.min(leastOfThread[i], (threadNanos[i + 1] - threadNanos[i]) / 1e9);
                leastOfProcess[i] = Math.min(leastOfProcess[i], (processNanos[i + 1] - processNanos[i]) / 1e9);
            }
        }
        print(0, "scheduler and simulator alone", requests, steps);
        print(1, "every decision journaled", requests, steps);
        print(2, "rows stored and journaled", requests, steps);
        print(3, "verify the journal with rows", requests, steps);
    }

    private void read(final int index)
    {
        nanos[index] = System.nanoTime();
        threadNanos[index] = THREADS.getCurrentThreadCpuTime();
        processNanos[index] = PROCESS.getProcessCpuTime();
    }

    private static Simulation simulation(final Workload trace, final ModelShape capture)
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
        return simulation.run(SteppedEngine::new, journal, WriteBehind::of, SimulationProgress.NONE);
    }

    private void print(final int part, final String name, final long requests, final long steps)
    {
        final double median = Interleaved.median(seconds[part]);
        System.out.printf(Locale.ROOT, "%-32s %7.2f s   %,9.0f requests/s   %,11.0f steps/s   (median of %d)   " +
            "least CPU %7.2f s, of all threads %7.2f s%n",
            name, median, requests / median, steps / median, ROUNDS, leastOfThread[part], leastOfProcess[part]);
    }
}
