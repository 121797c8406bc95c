// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

import java.util.HashSet;
import java.util.Set;

/** Refuses options that have no effect next to the others, and finds options that are given more than once. */
public final class IdleOptions
{
    private IdleOptions()
    {
    }

    /** @throws ConfigException if the option is given. */
    public static void refuse(final ParseResult given, final String option, final String reason)
    {
        if (given.hasMatchedOption(option))
        {
            throw new ConfigException(option + " " + reason + "; leave it out, or change the other.");
        }
    }

    /** @throws ConfigException if a list ends with a comma, which the parser would pass over. */
    public static void refuseEmptyElements(final ParseResult given)
    {
        for (final OptionSpec option : given.matchedOptionsSet())
        {
            for (final String value : option.originalStringValues())
            {
                if (value.endsWith(",") && ",".equals(option.splitRegex()))
                {
                    throw new ConfigException(option.longestName() + "=" + value +
                        " ends with a comma; leave the comma out, or add the missing value.");
                }
            }
        }
    }

    /** The first option that is given again; {@code null} if there is none. */
    public static String repeated(final CommandLine line, final String... arguments)
    {
        CommandLine command = line;
        for (int i = 0; i < arguments.length && command.getSubcommands().containsKey(arguments[i]); i++)
        {
            command = command.getSubcommands().get(arguments[i]);
        }
        return command == line ? null : repeatedIn(command, arguments);
    }

    private static boolean mayBeRepeated(final OptionSpec option)
    {
        return option.isMultiValue() && (option.splitRegex() == null || option.splitRegex().isEmpty());
    }

    /** The first option of a command that is given again, unless it may be; {@code null} if there is none. */
    static String repeatedIn(final CommandLine command, final String... arguments)
    {
        final Set<OptionSpec> seen = new HashSet<>();
        for (final String argument : arguments)
        {
            final int end = argument.indexOf('=');
            final String name = end < 0 ? argument : argument.substring(0, end);
            if (name.equals("--"))
            {
                return null;
            }
            final OptionSpec option = OptionNames.find(command.getCommandSpec(), name);
            if (option != null && !mayBeRepeated(option) && !seen.add(option))
            {
                return name;
            }
        }
        return null;
    }
}
