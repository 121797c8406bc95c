// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.config.Setting;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.util.HashMap;
import java.util.Map;

/** Older names of options. They stay valid: arguments have the current names before they are parsed. */
public final class FormerNames
{
    /** Of options that no setting makes, by the older name. */
    private static final Map<String, String> RENAMED = Map.of("--routers", "--router", "--output", "--out",
        "--from", "--at");

    private FormerNames()
    {
    }

    /** The arguments of a command with the current names of its options. */
    public static String[] replaced(final CommandSpec command, final String... arguments)
    {
        final Map<String, String> current = current(command);
        final String[] replaced = arguments.clone();
        for (int i = 0; i < replaced.length && !replaced[i].equals("--"); i++)
        {
            final int end = replaced[i].indexOf('=');
            final String name = end < 0 ? replaced[i] : replaced[i].substring(0, end);
            replaced[i] = current.getOrDefault(name, name) + replaced[i].substring(name.length());
        }
        return replaced;
    }

    private static Map<String, String> current(final CommandSpec command)
    {
        final Map<String, String> current = new HashMap<>();
        RENAMED.forEach((former, name) ->
        {
            if (command.findOption(name) != null && command.findOption(former) == null)
            {
                current.put(former, name);
            }
        });
        for (final OptionSpec option : command.options())
        {
            if (option.userObject() instanceof Setting<?> setting)
            {
                setting.option().former().forEach(former -> current.put(former.replace("!", ""),
                    former.startsWith("!") ? "--no-" + option.longestName().substring(2) : option.longestName()));
            }
        }
        return current;
    }
}
