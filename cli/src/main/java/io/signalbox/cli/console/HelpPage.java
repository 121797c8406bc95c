// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import io.signalbox.ConfigException;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The help of a command, as wide as the terminal. A command with many options has a short page with the most used ones, a
 * page for each group of options, and a page with all options.
 */
public final class HelpPage
{
    /** The name of the page with all options. */
    public static final String ALL = "all";
    /** Commands with more options than this have a short page; questions of a command have not. */
    private static final int FEW_OPTIONS = 12;
    private static final String GENERAL = "general";
    private static final int NAME_COLUMNS = 13;
    /** The most used options of all commands; each command shows those that it has. */
    private static final Set<String> USED_MOST = Set.of(
        "--model", "--prompts", "--out", "--backend",
        "--workload", "--workloads", "--trace", "--conversations", "--limit", "--ranks", "--router",
        "--block-size", "--kv-blocks", "--journal", "--no-journal", "--seed", "--seeds", "--probe", "--sections", "--device",
        "--variant", "--csv-file", "--json", "--json-file", "--help");

    /** The most used options of a search, which sets the others by their names. */
    private static final Set<String> USED_MOST_IN_SEARCH = Set.of("--grid", "--workloads", "--plan", "--baseline", "--shard",
        "--out", "--seeds", "--limit", "--ranks", "--slo", "--top", "--json", "--json-file", "--help");

    private final CommandLine command;
    private final CommandSpec spec;

    public HelpPage(final CommandLine command)
    {
        this.command = command;
        spec = command.getCommandSpec();
    }

    /** The names of the groups; empty if the command has so few options that one page shows them all. */
    public List<String> groups()
    {
        return isShort() ? List.copyOf(optionsByGroup().keySet()) : List.of();
    }

    private boolean isShort()
    {
        return spec.options().size() > FEW_OPTIONS && (spec.parent() == null || spec.parent().parent() == null);
    }

    /** The page without the name of a group: the short one, if the command has a short one. */
    public String text()
    {
        return isShort() ? head() + "%nOptions used most:%n".formatted() + table(usedMost()) + groupList() + foot() :
            command.getUsageMessage();
    }

    /**
     * The page of a group of options, or of all options.
     *
     * @throws ConfigException if there is no such group.
     */
    public String text(final String group)
    {
        if (group.equals(ALL))
        {
            return command.getUsageMessage();
        }
        final List<OptionSpec> options = isShort() ? optionsByGroup().get(group) : null;
        if (options == null)
        {
            throw new ConfigException("--help: '" + group + "' is not a group of " + spec.qualifiedName() + "; give " +
                (isShort() ? String.join(", ", groups()) + " or " : "") + ALL + ".");
        }
        return "Options of %s, group %s:%n".formatted(spec.qualifiedName(), group) + table(options);
    }

    private String head()
    {
        final Help help = command.getHelp();
        return help.header() + help.synopsisHeading() + help.synopsis(help.synopsisHeadingLength()) + help.description();
    }

    private String foot()
    {
        final Help help = command.getHelp();
        return help.footerHeading() + help.footer();
    }

    private String table(final List<OptionSpec> options)
    {
        final Help help = command.getHelp();
        final Help.Layout layout = help.createDefaultLayout(options, List.of(), help.colorScheme());
        layout.addAllOptions(options, help.createDefaultParamLabelRenderer());
        return layout.toString();
    }

    private List<OptionSpec> usedMost()
    {
        final Set<String> usedMost = spec.findOption("--grid") == null ? USED_MOST : USED_MOST_IN_SEARCH;
        return optionsByGroup().values().stream().flatMap(List::stream)
            .filter(option -> usedMost.contains(option.longestName()))
            .map(option -> OptionSpec.builder(option).names(option.names()).description(option.description()[0]).build())
            .toList();
    }

    /** Groups in the order of the page with all options, after the options without a group. */
    private Map<String, List<OptionSpec>> optionsByGroup()
    {
        final Map<String, List<OptionSpec>> groups = new LinkedHashMap<>();
        final List<OptionSpec> general = new ArrayList<>(spec.options());
        groups.put(GENERAL, general);
        for (final ArgGroupSpec group : spec.argGroups())
        {
            general.removeAll(group.allOptionsNested());
            groups.put(name(group), group.allOptionsNested());
        }
        return groups;
    }

    /** {@code costs} for the heading "Costs of simulated ranks:". */
    private static String name(final ArgGroupSpec group)
    {
        return group.heading().formatted().strip().split("[ :]")[0].toLowerCase(Locale.ROOT);
    }

    private String groupList()
    {
        final StringBuilder text = new StringBuilder(System.lineSeparator());
        final String usage = "'%s --help GROUP' explains a group, '--help %s' all:".formatted(spec.qualifiedName(), ALL);
        append(text, "All options, by group;", 0, List.of(usage.split(" ")));
        optionsByGroup().forEach((name, options) -> append(
            text, "  " + name, NAME_COLUMNS, options.stream().map(OptionSpec::longestName).toList()));
        return text.toString();
    }

    /** Appends words in as many lines as they need, those after the first one indented. */
    private void append(final StringBuilder text, final String start, final int indent, final List<String> words)
    {
        final StringBuilder line = new StringBuilder(start + " ".repeat(Math.max(1, indent - start.length())));
        for (final String word : words)
        {
            if (line.length() + word.length() > command.getUsageHelpWidth())
            {
                text.append(line.toString().stripTrailing()).append(System.lineSeparator());
                line.setLength(0);
                line.append(" ".repeat(indent));
            }
            line.append(word).append(' ');
        }
        text.append(line.toString().stripTrailing()).append(System.lineSeparator());
    }
}
