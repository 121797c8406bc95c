// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** The names of options in refusals of the library, which name settings. */
public final class OptionNames
{
    private static final Map<String, String> OTHERS = Map.of("routers", "router", "batch", "cells", "maxTokens", "cells");
    private static final Pattern CAPITAL = Pattern.compile("[A-Z]");

    private OptionNames()
    {
    }

    /**
     * The option of a command with a name: the current one, an older one, or the form of a flag that turns it off.
     *
     * @return {@code null} if the command has no such option.
     */
    public static OptionSpec find(final CommandSpec command, final String name)
    {
        final String current = FormerNames.replaced(command, name)[0];
        final OptionSpec plain = command.optionsMap().get(current);
        return plain == null ? command.negatedOptionsMap().get(current) : plain;
    }

    /** The same refusal with the options of the command in the place of the settings that they set. */
    public static ConfigException named(final ConfigException fault, final CommandSpec command)
    {
        return fault.renamed(setting -> command.options().stream().filter(option -> sets(option, setting)).findFirst()
            .map(OptionSpec::longestName).orElse(setting));
    }

    /** An option that no setting of this name makes is called like it, with few exceptions. */
    private static boolean sets(final OptionSpec option, final String name)
    {
        final String words = CAPITAL.matcher(OTHERS.getOrDefault(name, name))
            .replaceAll(capital -> "-" + capital.group().toLowerCase(Locale.ROOT));
        return option.userObject() instanceof Setting<?> setting && setting.name().equals(name) ||
            option.longestName().equals("--" + words);
    }
}
