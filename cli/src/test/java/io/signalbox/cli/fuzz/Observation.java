// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** One command that was run, with everything that an {@link Oracle} may look at. */
record Observation(
    List<String> arguments,
    Set<Integer> exitCodes,
    Path directory,
    Path workingDirectory,
    Outcome outcome,
    Tree before,
    Tree after)
{
    boolean returned()
    {
        return outcome.end() == Outcome.End.RETURNED;
    }

    String command()
    {
        return arguments.isEmpty() ? "" : arguments.get(0);
    }
}
