// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.DocumentSchema;
import io.signalbox.cost.CostFile;

/**
 * The file of {@code calibrate --out}, which {@code --cost} takes.
 *
 * @param stepCost         costs of a step in one line: the deployment, its sizes, and femtoseconds per unit of each term
 * @param mostPromptTokens longest prompt of a measurement; longer ones are extrapolated; 0: unknown
 * @param mostConcurrency  most requests in flight of a measurement; more are extrapolated; 0: unknown
 */
@DocumentSchema("signalbox.cost/1")
public record CostDocument(String stepCost, int mostPromptTokens, int mostConcurrency)
{
    public static CostDocument of(final CostFile file)
    {
        return new CostDocument(file.stepCost().text(), file.mostPromptTokens(), file.mostConcurrency());
    }
}
