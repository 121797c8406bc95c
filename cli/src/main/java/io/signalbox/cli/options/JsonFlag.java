// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import picocli.CommandLine.Option;

/** The result as JSON on standard output, with the same meaning in every command. */
public class JsonFlag
{
    @Option(names = "--json", description = "Print the result as one JSON document instead of tables.")
    private boolean asJson;

    public final boolean isJson()
    {
        return asJson;
    }
}
