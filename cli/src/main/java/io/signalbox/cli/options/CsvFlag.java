// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import picocli.CommandLine.Option;

/** Tables as CSV on standard output, with the same meaning in every command. */
public class CsvFlag
{
    @Option(names = "--csv", description = "Print CSV instead of tables.")
    private boolean asCsv;

    public final boolean isCsv()
    {
        return asCsv;
    }
}
