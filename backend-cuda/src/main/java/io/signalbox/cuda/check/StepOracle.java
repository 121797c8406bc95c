// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.SeededTokens;

/** The expected result of a step, computed token by token. */
final class StepOracle
{
    private final StepSetup setup;
    private final CheckOracle oracle;
    private final float[] logits;
    private final int[] ids;
    private final float[] weights;

    StepOracle(final StepSetup setup, final CheckOracle oracle)
    {
        this.setup = setup;
        this.oracle = oracle;
        logits = new float[setup.spec().experts()];
        ids = new int[setup.spec().topK()];
        weights = new float[setup.spec().topK()];
    }

    /** @return the first difference, or null. */
    String difference(final ReceivedStep result, final long step, final int tokens)
    {
        if (result.fault() != null)
        {
            return result.fault() + ".";
        }
        if (result.sampledCount() != tokens || result.rowCount() != tokens)
        {
            return "step " + step + " of " + tokens + " tokens brought " + result.sampledCount() + " tokens and " +
                result.rowCount() + " rows.";
        }
        for (int token = 0; token < tokens; token++)
        {
            final long request = CheckSteps.request(step, token);
            final int position = CheckSteps.position(step, token);
            final int sampled = SeededTokens.token(setup.logits().seed(), request, position + 1);
            if (result.sampledToken(token) != sampled)
            {
                return "step " + step + ", token " + token + ": token id " + result.sampledToken(token) +
                    " was sampled; the oracle says " + sampled + ".";
            }
            for (int layer = 0; layer < setup.layers(); layer++)
            {
                route(request, position, layer);
                for (int k = 0; k < ids.length; k++)
                {
                    if (result.expert(token, layer, k) != ids[k])
                    {
                        return "step " + step + ", token " + token + ", layer " + layer + ", k=" + k + ": expert " +
                            result.expert(token, layer, k) + "; the oracle says " + ids[k] + ".";
                    }
                }
            }
        }
        return null;
    }

    private void route(final long request, final int position, final int layer)
    {
        setup.logits().fill(request, position, layer, logits);
        oracle.route(setup.spec(), logits, ids, weights);
    }
}
