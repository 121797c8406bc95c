// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import picocli.CommandLine.Option;

/** The rank whose rows a table has. */
public final class RankOption
{
    private static final String OPTION = "--rank";
    private static final int ALL = -1;

    @Option(names = OPTION, paramLabel = "RANK", description = "List only what belongs to a rank.")
    private Integer rank;

    /**
     * The rank; -1 if none is given.
     *
     * @throws ConfigException if the number is negative.
     */
    public int rank()
    {
        if (rank != null && rank < 0)
        {
            throw new ConfigException(OPTION + "=" + rank + " is negative; give 0 or more.");
        }
        return rank == null ? ALL : rank;
    }
}
