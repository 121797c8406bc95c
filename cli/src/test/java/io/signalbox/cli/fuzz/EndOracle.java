// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.util.List;

/** A command returns in time, within the memory that its small input justifies, and with an exit code of its case. */
final class EndOracle implements Oracle
{
    /** Far above what the small inputs of the cases need. */
    private static final long MAX_ALLOCATED_BYTES = 3L << 30;

    @Override
    public List<String> complaints(final Observation seen)
    {
        final Outcome outcome = seen.outcome();
        if (outcome.end() == Outcome.End.TIMED_OUT)
        {
            return List.of("hang: the command did not return; it was" + outcome.detail());
        }
        if (outcome.end() == Outcome.End.DIED)
        {
            return List.of("death: " + outcome.detail() + ", after printing " + head(outcome.stray()));
        }
        if (!seen.exitCodes().contains(outcome.exitCode()))
        {
            return List.of("exit code: " + outcome.exitCode() + " is none of " + seen.exitCodes() + "; " +
                head(outcome.err()));
        }
        return outcome.allocatedBytes() <= MAX_ALLOCATED_BYTES ? List.of() :
            List.of("memory: the command allocated " + outcome.allocatedBytes() + " bytes");
    }

    private static String head(final String text)
    {
        final String line = text.strip();
        return line.length() <= 600 ? line : line.substring(0, 600) + " ...";
    }
}
