// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.LogitsType;
import io.signalbox.cuda.kernel.ResultSlot;
import io.signalbox.cuda.kernel.RouterMode;

import java.util.Arrays;

/** Every form of capture leaves the same view and the same result, which are the oracle's; padding reads -1. */
final class CaptureFormsSection implements CheckSection
{
    private final CheckOracle oracle;

    CaptureFormsSection(final CheckOracle oracle)
    {
        this.oracle = oracle;
    }

    @Override
    public void run(final CheckDevice device, final CheckOptions options, final Findings findings)
    {
        long views = 0;
        for (final RouterMode mode : RouterMode.values())
        {
            for (final LogitsType type : LogitsType.values())
            {
                for (final CaptureForm form : CaptureForm.values())
                {
                    final StepSetup setup = StepSetup.of(options, form).with(mode, type);
                    views += check(device, setup, findings);
                }
            }
        }
        findings.count("capture views compared with the oracle", views);
        findings.note("All forms with " + options.shape().moeLayers() + " layers, " + options.shape().experts() +
            " experts, top-" + options.shape().topK() + "; padding of the views included.");
    }

    private int check(final CheckDevice device, final StepSetup setup, final Findings findings)
    {
        final int[] sizes = {setup.maxTokens(), 0, 1, Math.max(1, setup.maxTokens() - 1)};
        try (Scratch scratch = new Scratch(device.driver()))
        {
            final CheckSteps steps = new CheckSteps(device, scratch, setup);
            final StepOracle expected = new StepOracle(setup, oracle);
            for (int i = 0; i < sizes.length; i++)
            {
                final long step = i + 1;
                steps.submit(step, sizes[i]);
                final ResultSlot result = steps.await(step);
                String wrong = steps.fault(result, step, sizes[i]);
                wrong = wrong == null ? expected.difference(result, step, sizes[i]) : wrong;
                if (wrong == null &&
                    !Arrays.equals(steps.captureView(step, scratch), expected.captureView(step, sizes[i])))
                {
                    wrong = "step " + step + ": the capture view is not the oracle's.";
                }
                if (wrong != null)
                {
                    findings.failed(CheckSteps.describe(setup.form()) + ", " + setup.spec().mode() + " " +
                        setup.spec().type() + ", " + wrong);
                    return i;
                }
            }
        }
        return sizes.length;
    }
}
