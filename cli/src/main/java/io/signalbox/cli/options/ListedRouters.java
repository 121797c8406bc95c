// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import picocli.CommandLine.Option;

/** The routers that a command knows, and the option that prints them. */
public final class ListedRouters extends PluginOptions
{
    @Option(names = "--list-routers", description = "Print the routers with their knobs, and exit.")
    private boolean listRouters;

    /** Whether to only print the routers. */
    public boolean isAsked()
    {
        return listRouters;
    }
}
