// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.kernel.CaptureForm;

import java.util.Arrays;

/** The same steps as graphs and as single launches, in every form of capture and without: the same bytes come back. */
final class GraphSection implements CheckSection
{
    private static final int STEPS = 8;

    @Override
    public void run(final CheckDevice device, final CheckOptions options, final Findings findings)
    {
        long bytes = compare(device, StepSetup.of(options, null), findings);
        for (final CaptureForm form : CaptureForm.values())
        {
            bytes += compare(device, StepSetup.of(options, form), findings);
        }
        findings.count("bytes of results compared", bytes);
    }

    private static long compare(final CheckDevice device, final StepSetup setup, final Findings findings)
    {
        long bytes = 0;
        try (Scratch scratch = new Scratch(device.driver()))
        {
            final CheckSteps graph = new CheckSteps(device, scratch, setup);
            final CheckSteps eager = new CheckSteps(device, scratch, setup.eager());
            for (long step = 1; step <= STEPS; step++)
            {
                final int tokens = setup.maxTokens() - (int)(step - 1) * setup.maxTokens() / STEPS;
                graph.submit(step, tokens);
                eager.submit(step, tokens);
                final String wrong = graph.fault(graph.await(step), step, tokens);
                final byte[] expected = graph.bytes(step, tokens);
                eager.await(step);
                if (wrong != null || !Arrays.equals(expected, eager.bytes(step, tokens)))
                {
                    findings.failed("Capture " + CheckSteps.describe(setup.form()) + ", step " + step + ": " +
                        (wrong == null ? "the graph's result is not that of single launches." : wrong));
                    return bytes;
                }
                bytes += expected.length;
            }
        }
        return bytes;
    }
}
