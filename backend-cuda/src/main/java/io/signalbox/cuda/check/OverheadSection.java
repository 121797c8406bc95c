// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.kernel.CaptureForm;

import java.util.Arrays;

/**
 * The time that capture adds to a step, fused and unfused, for each of several batches. All kinds of steps read the same
 * memory in the same context. Runs go off, fused, unfused, off again, off again, unfused, fused, off, so that for each kind
 * a steady drift of the clocks cancels; off against off again says how small a difference can be seen. Batch means of
 * consecutive steps are paired in order.
 */
final class OverheadSection implements CheckSection
{
    private static final int RUNS = 8;
    private static final int BESIDE_RUNS = 4;
    private static final int BESIDE_SHARE = 4;
    private static final double SETUP_SECONDS = 5.0;
    private static final int JUDGED_STEPS = 1000;
    private static final double FUSED_LIMIT_PERCENT = 0.3;
    private static final double FUSED_JUDGED_MILLIS = 1.0;
    private static final double UNFUSED_LIMIT_PERCENT = 0.5;
    private static final double UNFUSED_JUDGED_MILLIS = 10.0;

    @Override
    public void run(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        findings.note("Off, fused, unfused, off again, off again, unfused, fused, off, " + options.timedSteps() +
            " steps each, two in flight, results verified; all kinds read the same memory; Student's paired 95 % interval " +
            "over means of " + options.timedSteps() / TimedSteps.BATCHES + " steps.");
        for (final OverheadCell cell : options.cells())
        {
            compare(device, options, cell, findings);
            findings.publish();
        }
        hiddenChoices(device, options, options.cells().get(0), findings);
    }

    /** How long the section takes on a device that is as fast as the options assume. */
    static double expectedSeconds(final CheckConfig options)
    {
        double seconds = SETUP_SECONDS + besideSteps(options) * BESIDE_RUNS * options.cells().get(0).millis() / 1e3;
        for (final OverheadCell cell : options.cells())
        {
            seconds += SETUP_SECONDS + options.timedSteps() * RUNS * cell.millis() / 1e3;
        }
        return seconds;
    }

    private static int besideSteps(final CheckConfig options)
    {
        return Math.max(TimedSteps.BATCHES, options.timedSteps() / BESIDE_SHARE);
    }

    private static void compare(
        final CheckDevice device, final CheckConfig options, final OverheadCell cell, final Findings findings)
    {
        final long bytes = new StepLength(device).bytesPerLayer(options, cell);
        final String name = cell.label() + ": ";
        try (TimedSteps off = new TimedSteps(device, StepSetup.of(options, null, cell).reading(bytes));
            TimedSteps again = off.beside(StepSetup.of(options, null, cell).reading(bytes));
            TimedSteps fused = off.beside(StepSetup.of(options, CaptureForm.FUSED, cell).reading(bytes));
            TimedSteps unfused = off.beside(StepSetup.of(options, CaptureForm.UNFUSED, cell).reading(bytes)))
        {
            for (final TimedSteps run : new TimedSteps[] {off, fused, unfused, again, again, unfused, fused, off})
            {
                run.run(options.timedSteps());
            }
            final double millis = mean(off.batchNanos()) / 1e6;
            findings.figure(name + "memory read per layer", bytes / (double)(1L << 20), "MiB");
            findings.figure(name + "step without capture, mean", millis, "ms");
            findings.figure(name + "host time of a submit without capture", off.submitNanos() / 1e3, "us");
            findings.figure(name + "host time of a submit, fused", fused.submitNanos() / 1e3, "us");
            findings.figure(name + "host time of a submit, unfused", unfused.submitNanos() / 1e3, "us");
            final PairedInterval noise = report(name + "off against off", off, again, findings);
            final boolean enough = options.timedSteps() >= JUDGED_STEPS;
            judge(name + "fused capture", report(name + "fused capture", off, fused, findings), FUSED_LIMIT_PERCENT,
                enough && millis >= FUSED_JUDGED_MILLIS && noise.isWithin(FUSED_LIMIT_PERCENT / 2), findings);
            judge(name + "unfused capture", report(name + "unfused capture", off, unfused, findings), UNFUSED_LIMIT_PERCENT,
                enough && millis >= UNFUSED_JUDGED_MILLIS && noise.isWithin(UNFUSED_LIMIT_PERCENT / 2), findings);
        }
    }

    /** No limit is set for it, so that shorter runs suffice. */
    private static void hiddenChoices(
        final CheckDevice device, final CheckConfig options, final OverheadCell cell, final Findings findings)
    {
        final long bytes = new StepLength(device).bytesPerLayer(options, cell);
        final StepSetup setup = StepSetup.of(options, CaptureForm.BESIDE, cell).reading(bytes);
        final int count = besideSteps(options);
        try (TimedSteps off = new TimedSteps(device, setup.withoutCapture()); TimedSteps beside = off.beside(setup))
        {
            for (final TimedSteps run : new TimedSteps[] {off, beside, beside, off})
            {
                run.run(count);
            }
            report(cell.label() + ": beside capture", off, beside, findings);
            findings.note("Beside a router that shows nothing: off, beside, beside, off, " + count + " steps each.");
        }
    }

    private static PairedInterval report(
        final String name, final TimedSteps off, final TimedSteps on, final Findings findings)
    {
        final PairedInterval interval = PairedInterval.of(off.batchNanos(), on.batchNanos());
        findings.figure(name + " adds", interval.mean() * 100.0, "%");
        findings.figure(name + " adds, 95 % from", interval.lower() * 100.0, "%");
        findings.figure(name + " adds, 95 % up to", interval.upper() * 100.0, "%");
        // How far the two pairs of runs differ is not in the interval, which is over batches.
        for (int pair = 0; pair < 2; pair++)
        {
            final int start = pair * TimedSteps.BATCHES;
            final double without = mean(Arrays.copyOfRange(off.batchNanos(), start, start + TimedSteps.BATCHES));
            final double with = mean(Arrays.copyOfRange(on.batchNanos(), start, start + TimedSteps.BATCHES));
            findings.figure(name + " adds, pair " + (pair + 1) + " of runs alone", (with / without - 1.0) * 100.0, "%");
        }
        return interval;
    }

    private static void judge(
        final String name, final PairedInterval added, final double limitPercent, final boolean judged,
        final Findings findings)
    {
        findings.figure(name + (judged ? " may add" : " may add, not judged"), limitPercent, "%");
        if (judged && 100.0 * added.upper() > limitPercent)
        {
            findings.failed("The time that " + name.replaceAll(".*: ", "") + " adds in " + name.replaceAll(":.*", "") +
                " is not shown to be within " + limitPercent + " %.");
        }
    }

    private static double mean(final double[] values)
    {
        return Arrays.stream(values).sum() / values.length;
    }
}
