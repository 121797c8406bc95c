// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.kernel.CaptureForm;

/**
 * Many steps with two in flight. Every result's header and checksum must be right; of some, all of it is held against the
 * oracle, which takes the host longer than a step takes the device.
 */
final class StepsSection implements CheckSection
{
    private static final int ORACLE_EVERY = 17;

    private final CheckOracle oracle;

    StepsSection(final CheckOracle oracle)
    {
        this.oracle = oracle;
    }

    @Override
    public void run(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        final StepSetup setup = StepSetup.of(options, CaptureForm.FUSED);
        final StepOracle expected = new StepOracle(setup, oracle);
        long wrongSteps = 0;
        long compared = 0;
        try (CheckSteps steps = new CheckSteps(device, setup))
        {
            steps.submit(1, tokens(setup, 1));
            for (long step = 1; step <= options.checkedSteps(); step++)
            {
                if (step < options.checkedSteps())
                {
                    steps.submit(step + 1, tokens(setup, step + 1));
                }
                final ReceivedStep received = steps.await(step);
                String wrong = received.fault();
                if (step % ORACLE_EVERY == 1)
                {
                    wrong = expected.difference(received, step, tokens(setup, step));
                    compared++;
                }
                if (wrong != null && ++wrongSteps == 1)
                {
                    findings.failed(wrong);
                }
            }
        }
        findings.note(device.writesWords() ? "Completion by words that the stream writes."
            : "Completion by events, since this device writes no words from a stream.");
        findings.count("steps, header and checksum compared", options.checkedSteps());
        findings.count("of these held against the oracle as a whole", compared);
        findings.count("steps that are wrong", wrongSteps);
    }

    /** Sizes change from step to step, so that what an earlier step left would show. */
    private static int tokens(final StepSetup setup, final long step)
    {
        return setup.tokens() - (int)(step * 7 % (setup.tokens() / 2 + 1));
    }
}
