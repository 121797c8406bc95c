// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.InvariantViolation;
import io.signalbox.Quantiles;
import io.signalbox.backend.RankSizes;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.StreamWait;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.model.ModelWeights;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The time that capture adds to decode steps of the real forward pass with the fast kernels. Off, off again, fused and
 * unfused have separate buffers and the same weights. A run is steps with two in flight, timed on the device's clock from
 * before the first step to after the result of the last one, so that packing, copies and the clearing of slots are in it.
 * Runs go off, fused, unfused, off again, off again, unfused, fused, off: the mean of a kind's two runs is free of a steady
 * drift of the clocks. These eight runs are repeated; off again against off says how small a difference can be seen.
 */
final class ModelForms
{
    /** Of keys and values, one for each form. */
    static final int POOLS = 4;
    private static final int MOST_ROUNDS = 10;
    /** A kind has two runs in each round. */
    private static final int[] ORDER = {0, 2, 3, 1, 1, 3, 2, 0};
    /** Of each run: eight runs in eleven rounds are 2,288 steps, 23 s if a step takes 10 ms. */
    private static final int MOST_STEPS = 24;
    /** Before each run, not timed. */
    private static final int WARM_UP = 2;
    private static final int JUDGED_STEPS = 200;
    private static final int STEPS_PER_ROUND = 20;
    private static final double LIMIT_PERCENT = 0.3;
    private static final double NOISE_PERCENT = LIMIT_PERCENT / 2;
    private static final double JUDGED_MILLIS = 1.0;
    private static final List<CaptureForm> FORMS = Arrays.asList(null, null, CaptureForm.FUSED, CaptureForm.UNFUSED);
    private static final List<String> NAMES = List.of("off", "off again", "fused", "unfused");

    private final CheckDevice device;
    private final CheckedModel model;
    private final List<List<ModelToken>> tokens;
    private final int rounds;
    private final int count;

    ModelForms(
        final CheckDevice device, final CheckConfig options, final CheckedModel model, final ModelWeights weights)
    {
        this.device = device;
        this.model = model;
        tokens = ModelTimes.decode(model, weights, model.formsBatch());
        rounds = Math.min(MOST_ROUNDS, options.timedSteps() / STEPS_PER_ROUND);
        count = Math.min(MOST_STEPS, options.timedSteps() / STEPS_PER_ROUND);
    }

    /**
     * @param first of the weights.
     * @param sizes of the buffers of each form.
     */
    void compare(final CheckConfig options, final ModelSteps first, final RankSizes sizes, final Findings findings)
    {
        final ModelSteps[] steps = new ModelSteps[POOLS];
        try
        {
            for (int form = 0; form < steps.length; form++)
            {
                steps[form] = first.beside(options.device(), sizes, KernelFamily.FAST, FORMS.get(form));
                steps[form].fillCache(options.seed());
            }
            report(measured(steps), findings);
        }
        finally
        {
            for (int form = steps.length - 1; form >= 0; form--)
            {
                if (steps[form] != null)
                {
                    steps[form].close();
                }
            }
        }
    }

    /** Milliseconds of a step of each form in each round. */
    private double[][] measured(final ModelSteps[] steps)
    {
        final double[][] millis = new double[steps.length][rounds];
        try (DriverResources owned = new DriverResources(device.driver()))
        {
            final Stopwatch stopwatch = new Stopwatch(device.driver(), owned);
            // The first round is for the clocks.
            for (int round = -1; round < rounds; round++)
            {
                for (final int form : ORDER)
                {
                    final double took = run(steps[form], stopwatch);
                    millis[form][Math.max(0, round)] += round < 0 ? 0.0 : took / 2;
                }
            }
        }
        return millis;
    }

    /** Milliseconds of a step. */
    private double run(final ModelSteps steps, final Stopwatch stopwatch)
    {
        inFlight(steps, WARM_UP);
        stopwatch.begin();
        inFlight(steps, count);
        return stopwatch.end() / count;
    }

    /** Two at a time. The results of all are on the host at the end. */
    private void inFlight(final ModelSteps steps, final int wanted)
    {
        long last = steps.submit(tokens.get(0));
        for (int i = 1; i < wanted; i++)
        {
            last = steps.submit(tokens.get(i % tokens.size()));
            steps.await(last - 1);
        }
        steps.await(last);
        if (steps.fault() != null)
        {
            throw new InvariantViolation("a step that was to be timed failed: " + steps.fault());
        }
    }

    /** Milliseconds between two moments of the host, on the device's clock: an idle stream records an event at once. */
    private static final class Stopwatch
    {
        private final CudaDriver driver;
        private final CudaDriver.Stream stream;
        private final CudaDriver.Event start;
        private final CudaDriver.Event end;

        private Stopwatch(final CudaDriver driver, final DriverResources owned)
        {
            this.driver = driver;
            stream = owned.stream("interval");
            start = owned.timedEvent();
            end = owned.timedEvent();
        }

        private void begin()
        {
            driver.record(start, stream);
        }

        private double end()
        {
            driver.record(end, stream);
            StreamWait.await(driver, stream);
            return driver.elapsedMillis(start, end);
        }
    }

    private void report(final double[][] millis, final Findings findings)
    {
        final String name = model.name() + ", fast kernels: decode of " + model.formsBatch() + ", capture ";
        findings.count(name + "in any form, timed steps of each", 2L * rounds * count);
        final double off = Quantiles.of(millis[0], 50);
        for (int form = 0; form < millis.length; form++)
        {
            findings.figure(name + NAMES.get(form), Quantiles.of(millis[form], 50), "ms");
        }
        final PairedInterval noise = added(name + NAMES.get(1), millis[0], millis[1], findings);
        final boolean isJudged = 2 * rounds * count >= JUDGED_STEPS && off >= JUDGED_MILLIS &&
            noise.isWithin(NOISE_PERCENT);
        for (int form = 2; form < millis.length; form++)
        {
            final PairedInterval interval = added(name + NAMES.get(form), millis[0], millis[form], findings);
            findings.figure(name + NAMES.get(form) + (isJudged ? " may add" : " may add, not judged"), LIMIT_PERCENT, "%");
            if (isJudged && !(100.0 * interval.upper() <= LIMIT_PERCENT))
            {
                findings.failed(String.format(Locale.ROOT, "The time that %s capture adds to a decode of %d is not shown " +
                    "to be within %.1f %%.", NAMES.get(form), model.formsBatch(), LIMIT_PERCENT));
            }
        }
    }

    private static PairedInterval added(
        final String name, final double[] off, final double[] on, final Findings findings)
    {
        final PairedInterval interval = PairedInterval.of(off, on);
        findings.figure(name + " adds", 100.0 * interval.mean(), "%");
        findings.figure(name + " adds, 95 % from", 100.0 * interval.lower(), "%");
        findings.figure(name + " adds, 95 % up to", 100.0 * interval.upper(), "%");
        return interval;
    }
}
