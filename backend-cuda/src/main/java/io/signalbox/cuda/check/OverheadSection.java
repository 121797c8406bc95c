// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.InvariantViolation;
import io.signalbox.cuda.kernel.CaptureForm;

import java.util.Arrays;

/**
 * What capture adds to the time of a step, fused and unfused, and beside a router that shows nothing. Runs go off, fused,
 * unfused, unfused, fused, off, so that for each form off and on take turns and a steady drift of the clocks cancels; with
 * the other router they go off, beside, beside, off. Each run is cut into batches of consecutive steps, whose means are
 * paired in order with those of the runs without capture.
 */
final class OverheadSection implements CheckSection
{
    private static final int BATCHES = 20;
    private static final int RUNS = 6;
    private static final double SETUP_SECONDS = 10.0;
    private static final int WARM_UP_STEPS = 10;
    private static final int JUDGED_STEPS = 2000;
    private static final int BESIDE_SHARE = 4;
    private static final double JUDGED_MILLIS = 10.0;
    private static final double FUSED_LIMIT_PERCENT = 0.3;
    private static final double UNFUSED_LIMIT_PERCENT = 1.0;

    @Override
    public void run(final CheckDevice device, final CheckOptions options, final Findings findings)
    {
        final long bytes = new StepLength(device).bytesPerLayer(options);
        findings.figure("memory read per layer", bytes / (double)(1L << 20), "MiB");
        shownChoices(device, options, bytes, findings);
        hiddenChoices(device, options, bytes, findings);
    }

    /** How long the section takes on a device that is as fast as the options assume. */
    static double expectedSeconds(final CheckOptions options)
    {
        final double steps = options.timedSteps() * (RUNS + 4.0 / BESIDE_SHARE);
        return SETUP_SECONDS + steps * options.stepMillis() / 1e3;
    }

    private static void shownChoices(
        final CheckDevice device, final CheckOptions options, final long bytes, final Findings findings)
    {
        try (TimedSteps off = new TimedSteps(device, StepSetup.of(options, null).reading(bytes));
            TimedSteps fused = new TimedSteps(device, StepSetup.of(options, CaptureForm.FUSED).reading(bytes));
            TimedSteps unfused = new TimedSteps(device, StepSetup.of(options, CaptureForm.UNFUSED).reading(bytes)))
        {
            for (final TimedSteps run : new TimedSteps[] {off, fused, unfused, unfused, fused, off})
            {
                run.run(options.timedSteps());
            }
            final double millis = mean(off.batchNanos()) / 1e6;
            findings.figure("step without capture, mean", millis, "ms");
            final boolean judged = options.timedSteps() >= JUDGED_STEPS && millis >= JUDGED_MILLIS;
            judge("fused", report("fused", off, fused, findings), FUSED_LIMIT_PERCENT, judged, findings);
            judge("unfused", report("unfused", off, unfused, findings), UNFUSED_LIMIT_PERCENT, judged, findings);
            findings.note("Off, fused, unfused, unfused, fused, off, " + options.timedSteps() + " steps each, two in " +
                "flight, results verified; Student's paired interval over means of " + options.timedSteps() / BATCHES +
                " steps.");
            if (!judged)
            {
                findings.note("The limits are not applied: they are for runs of " + JUDGED_STEPS + " steps of " +
                    JUDGED_MILLIS + " ms or more.");
            }
        }
    }

    /** No limit is set for it, so that shorter runs suffice. */
    private static void hiddenChoices(
        final CheckDevice device, final CheckOptions options, final long bytes, final Findings findings)
    {
        final StepSetup setup = StepSetup.of(options, CaptureForm.BESIDE).reading(bytes);
        final int count = Math.max(BATCHES, options.timedSteps() / BESIDE_SHARE);
        try (TimedSteps off = new TimedSteps(device, setup.withoutCapture());
            TimedSteps beside = new TimedSteps(device, setup))
        {
            for (final TimedSteps run : new TimedSteps[] {off, beside, beside, off})
            {
                run.run(count);
            }
            report("beside", off, beside, findings);
            findings.note("Beside a router that shows nothing: off, beside, beside, off, " + count + " steps each.");
        }
    }

    /** The upper bound in percent. */
    private static double report(final String name, final TimedSteps off, final TimedSteps on, final Findings findings)
    {
        final PairedInterval interval = PairedInterval.of(off.batchNanos(), on.batchNanos());
        findings.figure(name + " capture adds", interval.mean() * 100.0, "%");
        findings.figure(name + " capture adds, 95 % from", interval.lower() * 100.0, "%");
        findings.figure(name + " capture adds, 95 % up to", interval.upper() * 100.0, "%");
        // How far the two pairs of runs differ is not in the interval, which is over batches.
        for (int pair = 0; pair < 2; pair++)
        {
            final int start = pair * BATCHES;
            final double without = mean(Arrays.copyOfRange(off.batchNanos(), start, start + BATCHES));
            final double with = mean(Arrays.copyOfRange(on.batchNanos(), start, start + BATCHES));
            findings.figure(
                name + " capture adds, pair " + (pair + 1) + " of runs alone", (with / without - 1.0) * 100.0, "%");
        }
        return interval.upper() * 100.0;
    }

    private static void judge(
        final String name, final double upperPercent, final double limitPercent, final boolean judged,
        final Findings findings)
    {
        findings.figure(name + " capture may add", limitPercent, "%");
        if (judged && upperPercent > limitPercent)
        {
            findings.failed("What " + name + " capture adds is not shown to be within " + limitPercent + " %.");
        }
    }

    private static double mean(final double[] values)
    {
        double sum = 0.0;
        for (final double value : values)
        {
            sum += value;
        }
        return sum / values.length;
    }

    /** Steps of one kind, timed where their results reach the host. */
    private static final class TimedSteps implements AutoCloseable
    {
        private final CheckSteps steps;
        private final int tokens;
        private final double[] batchNanos = new double[2 * BATCHES];
        private int batches;
        private long step;

        private TimedSteps(final CheckDevice device, final StepSetup setup)
        {
            steps = new CheckSteps(device, setup);
            tokens = setup.tokens();
        }

        private void run(final int count)
        {
            final int batch = count / BATCHES;
            steps.submit(++step, tokens);
            for (int i = 0; i < WARM_UP_STEPS; i++)
            {
                next();
            }
            for (int i = 0; i < BATCHES; i++)
            {
                final long startNanos = System.nanoTime();
                for (int j = 0; j < batch; j++)
                {
                    next();
                }
                batchNanos[batches++] = (double)(System.nanoTime() - startNanos) / batch;
            }
            verify(step);
        }

        /** Submits a step and waits for the one before it. */
        private void next()
        {
            steps.submit(++step, tokens);
            verify(step - 1);
        }

        private void verify(final long awaited)
        {
            final String fault = steps.await(awaited).fault();
            if (fault != null)
            {
                throw new InvariantViolation(fault);
            }
        }

        private double[] batchNanos()
        {
            return batchNanos;
        }

        @Override
        public void close()
        {
            steps.close();
        }
    }
}
