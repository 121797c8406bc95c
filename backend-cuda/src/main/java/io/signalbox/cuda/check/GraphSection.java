// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.kernel.CaptureForm;

/** The same steps as graphs and as single launches, in every form of capture and without: the same bytes come back. */
final class GraphSection implements CheckSection
{
    private static final int STEPS = 8;

    @Override
    public void run(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        long bytes = compare(device, StepSetup.of(options, null), findings);
        for (final CaptureForm form : CaptureForm.values())
        {
            bytes += compare(device, StepSetup.of(options, form), findings);
        }
        findings.count("bytes of results compared", bytes);
        findings.note("Every bucket of step sizes up to " + options.tokens() + " tokens that " + STEPS + " steps meet.");
    }

    private static long compare(final CheckDevice device, final StepSetup setup, final Findings findings)
    {
        long bytes = 0;
        try (CheckSteps graphs = new CheckSteps(device, setup);
            CheckSteps launches = new CheckSteps(device, setup.eager()))
        {
            for (long step = 1; step <= STEPS; step++)
            {
                final int tokens = setup.tokens() - (int)(step - 1) * setup.tokens() / STEPS;
                graphs.submit(step, tokens);
                launches.submit(step, tokens);
                final ReceivedStep graph = graphs.await(step);
                final ReceivedStep launch = launches.await(step);
                if (graph.fault() != null || launch.fault() != null || !graph.isSameAs(launch))
                {
                    findings.failed(setup.describe() + ", " + wrong(graph, launch, step));
                    return bytes;
                }
                bytes += (long)tokens * Integer.BYTES + graph.rowBytes().length;
            }
        }
        return bytes;
    }

    private static String wrong(final ReceivedStep graph, final ReceivedStep launch, final long step)
    {
        if (graph.fault() != null)
        {
            return "as graph: " + graph.fault() + ".";
        }
        return launch.fault() != null ? "as launches: " + launch.fault() + "."
            : "step " + step + ": the graph's result is not that of single launches.";
    }
}
