// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.CudaBackend;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.event.StepView;
import io.signalbox.event.StepWriter;

/**
 * The backend as an engine uses it: two ranks on the device, with a thread each and two steps in flight, share context,
 * kernels and weights. Steps come as plans and are reported as completions, all of which are held against the oracle.
 */
final class RanksSection implements CheckSection
{
    private static final int RANKS = 2;
    /** The oracle takes longer than the device, and every step is held against it. */
    private static final int STEPS_PER_ORACLE_CHECK = 10;

    private final CheckOracle oracle;
    private final StepWriter plans = new StepWriter();

    RanksSection(final CheckOracle oracle)
    {
        this.oracle = oracle;
    }

    @Override
    public void run(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        final StepSetup setup = StepSetup.of(options, CaptureForm.FUSED);
        final BackendResults results = new BackendResults(RANKS, setup, oracle);
        final int steps = Math.max(1, options.checkedSteps() / STEPS_PER_ORACLE_CHECK);
        try (CudaBackend backend = new CudaBackend(setup.config(), device.driver()))
        {
            backend.start(RANKS, setup.config().shape(), results);
            for (int i = 1; i <= steps; i++)
            {
                for (int rank = 0; rank < RANKS; rank++)
                {
                    results.awaitCredit(rank);
                    backend.submit(plan(rank, (long)i * RANKS + rank, setup.tokens()));
                }
            }
            results.awaitAll();
        }
        finally
        {
            device.makeCurrent();
        }
        if (results.firstFault() != null)
        {
            findings.failed(results.firstFault());
        }
        findings.count("ranks", RANKS);
        findings.count("steps, all held against the oracle", (long)steps * RANKS);
        findings.count("steps that are wrong", results.wrongSteps());
    }

    /** Every token is an entry by itself. Steps of different ranks have different numbers, and so different results. */
    private StepView plan(final int rank, final long step, final int tokens)
    {
        plans.begin(rank, 0, step, tokens, tokens);
        for (int token = 0; token < tokens; token++)
        {
            plans.entry(CheckSteps.request(step, token), CheckSteps.position(step, token), 1);
        }
        return plans.view();
    }
}
