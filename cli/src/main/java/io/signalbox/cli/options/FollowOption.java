// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import picocli.CommandLine.Option;

/** Tables whose rows are known one after the other can continue while the journal is written. */
public final class FollowOption
{
    @Option(names = "--follow",
        description = "Continue until the journal is no longer written; once a second, read what is new.")
    private boolean follows;

    public boolean follows()
    {
        return follows;
    }
}
