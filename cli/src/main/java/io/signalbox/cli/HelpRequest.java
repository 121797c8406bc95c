// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.HelpPage;
import picocli.CommandLine;

/** Finds {@code --help GROUP} among the arguments: to picocli, {@code --help} is a flag and has no value. */
final class HelpRequest
{
    private static final String OPTION = "--help";

    private HelpRequest()
    {
    }

    /**
     * The page of the group that is asked for; {@code null} if none is.
     *
     * @throws io.signalbox.ConfigException if there is no such group.
     */
    static String of(final CommandLine root, final String... arguments)
    {
        CommandLine command = root;
        int first = 0;
        while (first < arguments.length && command.getSubcommands().containsKey(arguments[first]))
        {
            command = command.getSubcommands().get(arguments[first++]);
        }
        if (command == root)
        {
            return null;
        }
        final HelpPage page = new HelpPage(command);
        for (int i = first; i < arguments.length && !arguments[i].equals("--"); i++)
        {
            final String group = group(arguments, i);
            // A command with one page may be given other arguments after --help.
            if (group != null && (group.equals(HelpPage.ALL) || !page.groups().isEmpty()))
            {
                return page.text(group);
            }
        }
        return null;
    }

    private static String group(final String[] arguments, final int at)
    {
        if (arguments[at].startsWith(OPTION + "="))
        {
            final String value = arguments[at].substring(OPTION.length() + 1);
            return value.equals("true") || value.equals("false") ? null : value;
        }
        final boolean asked = arguments[at].equals(OPTION) || arguments[at].equals("-h");
        return asked && at + 1 < arguments.length && !arguments[at + 1].startsWith("-") ? arguments[at + 1] : null;
    }
}
