// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.router.DpRouters;
import picocli.CommandLine.Option;

import java.util.List;

/** The jars of plug-ins, whose routers a command knows beside the installed ones. */
public class PluginOptions
{
    @Option(names = Plugins.OPTION, paramLabel = "JAR", split = ",", description = Plugins.DESCRIPTION)
    @InputPath
    private List<String> plugins = List.of();

    private DpRouters routers;

    /** The jars as the user wrote them. */
    public final List<String> jars()
    {
        return plugins;
    }

    /** The installed routers and those of the jars. */
    public final DpRouters routers()
    {
        routers = routers == null ? Plugins.routers(plugins) : routers;
        return routers;
    }
}
