// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.backend.RankSizes;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.model.ModelWeights;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The time that capture adds to a decode step of the real forward pass, on the device's clock. Off, off again, fused and
 * unfused have separate buffers and the same weights, and take turns; every second round goes backwards, so that a drift of
 * the clocks cancels. Off against off again says how small a difference can be seen.
 */
final class ModelForms
{
    /** Of keys and values, one for each form. */
    static final int POOLS = 4;
    private static final int ROUNDS = 12;
    /** Rounds that are not counted. */
    private static final int WARM_UP = 2;
    private static final double LIMIT_PERCENT = 0.3;
    private static final double NOISE_PERCENT = LIMIT_PERCENT / 2;
    private static final double JUDGED_MILLIS = 1.0;
    private static final List<CaptureForm> FORMS = Arrays.asList(null, null, CaptureForm.FUSED, CaptureForm.UNFUSED);
    private static final List<String> NAMES = List.of("off", "off again", "fused", "unfused");

    private ModelForms()
    {
    }

    /** @param sizes of the buffers of each form. */
    static void compare(
        final CheckConfig options, final CheckedModel model, final ModelSteps first, final ModelWeights weights,
        final RankSizes sizes, final Findings findings)
    {
        final ModelSteps[] steps = new ModelSteps[POOLS];
        try
        {
            for (int form = 0; form < steps.length; form++)
            {
                steps[form] = first.beside(options.device(), sizes, FORMS.get(form));
            }
            report(model, measured(steps, ModelSection.decode(model, weights, model.formsBatch())), findings);
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

    /** Milliseconds of each form in each round. */
    private static double[][] measured(final ModelSteps[] steps, final List<List<ModelToken>> tokens)
    {
        final double[][] millis = new double[steps.length][ROUNDS];
        for (int round = -WARM_UP; round < ROUNDS; round++)
        {
            for (int i = 0; i < steps.length; i++)
            {
                final int form = round % 2 == 0 ? i : steps.length - 1 - i;
                final double took = ModelSection.millis(steps[form], tokens.get((round + WARM_UP) % tokens.size()));
                if (round >= 0)
                {
                    millis[form][round] = took;
                }
            }
        }
        return millis;
    }

    private static void report(final CheckedModel model, final double[][] millis, final Findings findings)
    {
        final String name = model.name() + ": decode of " + model.formsBatch() + ", capture ";
        final double off = new Quantiles(millis[0]).at(0.5);
        for (int form = 0; form < millis.length; form++)
        {
            findings.figure(name + NAMES.get(form), new Quantiles(millis[form]).at(0.5), "ms");
        }
        final PairedInterval noise = added(name + NAMES.get(1), millis[0], millis[1], findings);
        final boolean isJudged = off >= JUDGED_MILLIS && 100.0 * noise.lower() >= -NOISE_PERCENT &&
            100.0 * noise.upper() <= NOISE_PERCENT;
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
