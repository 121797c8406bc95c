// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import io.signalbox.cli.CommandEntry;
import io.signalbox.cli.fuzz.OptionCase.Part;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Command lines from picocli's model of the commands, so that a new command or option is tried as soon as it is there.
 * Each begins with a small run, of which random options are changed, repeated, left out or spoilt.
 */
final class OptionCases implements CaseSource
{
    private static final Set<Integer> CHECKING = Set.of(0, 1, 2);
    private static final Set<Integer> NEVER_CHECKING = Set.of(0, 2);
    /**
     * Commands whose check may fail on good input: {@code doctor} looks at the machine, {@code gpu} at its GPU, and
     * {@code run} has prompts without an answer if its queue is full.
     */
    private static final Set<String> MAY_FAIL = Set.of("doctor", "gpu", "run");
    /** Commands that run until they are stopped, if their options are accepted. */
    static final Set<String> ENDLESS = Set.of("serve");
    private static final Pattern RANGE = Pattern.compile("between (-?\\d+) and (-?\\d+)");
    private static final int FEW_OPTIONS = 3;
    private static final List<String> OF_FLAG = List.of("=true", "=false", "=maybe", "=");
    private static final List<String> STRAY = List.of(
        "stray", "", "--", "-", "-x", "--nope", "--nope=1", "---seed", "-seed", "@/etc", "@{dir}/small.jsonl", "@", "@@x",
        "!x",
        "--seed\u00a0", "\u2014seed", "--SEED=1", "--see=1", "-h", "--help", "-V", "-hV", "--version", "\u0000", "\ud800",
        "simulate",
        "replay", "--no-json", "--json=maybe", "s".repeat(5_000), "a\nb", "%s", "=", "--=", "--=x", "-1", "{dir}/journal");
    /** Options that make the run of a command small. Options that a command lacks are skipped. */
    private static final Map<String, List<String>> SMALL = Map.of(
        "simulate", List.of("--conversations=2", "--limit=3", "--system-prompt=16", "--user-tokens=fixed:20",
            "--output-tokens=fixed:4", "--ranks=2", "--kv-blocks=600"),
        "compare", List.of("--conversations=2", "--limit=3", "--ranks=2", "--kv-blocks=3000", "--seeds=2",
            "--router=default,kv-aware", "--workers=1"),
        "run", List.of("--max-new-tokens=2", "--kv-blocks=40", "--ranks=1", "--backend-options=threads=1"),
        "inspect events", List.of("--limit=9"),
        "experts", List.of("--request=2", "--out={dir}/rows"),
        "trace", List.of("--out={dir}/written.jsonl"),
        "timeline", List.of("--out={dir}/written.pftrace"),
        "gpu", List.of("--device=0"));

    private static final Map<String, List<String>> TRACED = Map.of(
        "simulate", List.of("--trace={dir}/plays.jsonl", "--ranks=2", "--kv-blocks=3000"),
        "compare", List.of("--workloads={dir}/plays.jsonl", "--ranks=2", "--kv-blocks=3000", "--seeds=2",
            "--router=default,kv-aware", "--workers=1"));

    private final Map<String, CommandSpec> model = CommandEntry.commands();
    private final Path template;
    private final Values values;
    private final List<String> commands;
    private final List<OptionSpec> everyOption = new ArrayList<>();
    private final Map<String, Optional<long[]>> ranges = new HashMap<>();

    OptionCases(final Path template, final Target target)
    {
        this.template = template;
        commands = model.keySet().stream().filter(command -> !ENDLESS.contains(command)).toList();
        commands.forEach(command -> everyOption.addAll(spec(command).options()));
        values = new Values(name -> ranges.computeIfAbsent(name, key -> Optional.ofNullable(bounds(key, target)))
            .orElse(null));
    }

    private CommandSpec spec(final String command)
    {
        return model.get(command);
    }

    /** Asks an option with a number for its range, by giving it one that is out of any; {@code null} if it names none. */
    private long[] bounds(final String name, final Target target)
    {
        final int end = name.lastIndexOf(' ');
        final String command = name.substring(0, Math.max(0, end));
        final String option = name.substring(end + 1);
        if (command.isEmpty() || spec(command).findOption(option) == null)
        {
            return null;
        }
        final List<String> line = new ArrayList<>(List.of(command.split(" ")));
        spec(command).positionalParameters().forEach(
            parameter -> line.add(Values.isPath(parameter) ? template + "/journal" : "1"));
        // An option without a range accepts the number, and the command runs.
        SMALL.getOrDefault(command, List.of()).stream()
            .filter(small -> !small.contains("{dir}") && !small.startsWith(option + "=")).forEach(line::add);
        if (spec(command).findOption("--no-journal") != null)
        {
            line.add("--no-journal");
        }
        line.add(option + "=-2147483648");
        final Matcher range = RANGE.matcher(target.run(line).err());
        return range.find() ? new long[] {Long.parseLong(range.group(1)), Long.parseLong(range.group(2))} : null;
    }

    @Override
    public OptionCase next(final RandomGenerator random)
    {
        final String command = command(random);
        final Map<String, Part> chosen = base(command, random);
        final List<Part> parts = new ArrayList<>();
        final List<OptionSpec> options = spec(command).options();
        final boolean polite = random.nextInt(5) < 2;
        for (int i = random.nextInt(5); i > 0; i--)
        {
            final OptionSpec option = Values.pick(!polite && random.nextInt(20) == 0 ? everyOption : options, random);
            final Part part = polite ? politePart(option, random) : part(command, option, random);
            if (!polite && random.nextInt(12) == 0)
            {
                parts.add(part);
            }
            else
            {
                chosen.put(option.longestName(), part);
            }
        }
        parts.addAll(0, chosen.values());
        positional(command, polite, random, parts);
        if (!polite && random.nextInt(6) == 0)
        {
            parts.add(random.nextInt(parts.size() + 1), Part.of(Values.pick(STRAY, random)));
        }
        parts.add(!polite && random.nextInt(40) == 0 ? random.nextInt(parts.size() + 1) : 0, Part.fixed(command.split(" ")));
        return new OptionCase(template, parts, MAY_FAIL.contains(command) ? CHECKING : NEVER_CHECKING);
    }

    /** A command with hardly an option comes up less often: there is little to try, and {@code doctor} takes seconds. */
    private String command(final RandomGenerator random)
    {
        final String command = Values.pick(commands, random);
        return spec(command).options().size() > FEW_OPTIONS || random.nextInt(10) == 0 ? command : command(random);
    }

    private Map<String, Part> base(final String command, final RandomGenerator random)
    {
        final Map<String, Part> base = new LinkedHashMap<>();
        final boolean traced = TRACED.containsKey(command) && random.nextInt(4) == 0;
        for (final String small : (traced ? TRACED : SMALL).getOrDefault(command, List.of()))
        {
            final String name = small.substring(0, small.indexOf('='));
            if (spec(command).findOption(name) != null && random.nextInt(40) > 0)
            {
                base.put(name, Part.fixed(small));
            }
        }
        if (command.equals("simulate"))
        {
            final String name = random.nextInt(3) > 0 ? "--no-journal" : "--journal";
            base.put(name, name.equals("--journal") ? Part.of(name, "{dir}/new/journal") : Part.of(name));
        }
        return base;
    }

    private void positional(
        final String command, final boolean polite, final RandomGenerator random, final List<Part> parts)
    {
        int at = 0;
        for (final PositionalParamSpec parameter : spec(command).positionalParameters())
        {
            final int kind = polite ? 0 : random.nextInt(10);
            at += random.nextInt(parts.size() + 1 - at);
            if (kind < 9)
            {
                parts.add(at++, Part.of(kind >= 7 ? values.value(parameter, "", random) :
                    Values.isPath(parameter) ? "{dir}/journal" : values.good(parameter, random)));
            }
        }
    }

    private Part politePart(final OptionSpec option, final RandomGenerator random)
    {
        return Part.of(Values.isFlag(option) ? option.longestName() :
            option.longestName() + "=" + values.good(option, random));
    }

    private Part part(final String command, final OptionSpec option, final RandomGenerator random)
    {
        final String name = Values.pick(List.of(option.names()), random);
        if (Values.isFlag(option))
        {
            return Part.of(random.nextInt(12) > 0 ? name : name + Values.pick(OF_FLAG, random));
        }
        final String value = values.value(option, command + " " + option.longestName(), random);
        final int form = random.nextInt(12);
        if (form == 0)
        {
            return Part.of(name);
        }
        // A separate value with a dash may be read as an option, and one with an @ as a file of arguments.
        final boolean joined = form < 8 || value.startsWith("-");
        return new Part(joined ? List.of(name + "=" + value) : List.of(name, value),
            joined && spec(command).findOption(name) == option && isMalformed(option, value), false);
    }

    private static boolean isMalformed(final ArgSpec option, final String value)
    {
        return option.splitRegex().isEmpty() && Values.isMalformedNumber(option, value);
    }
}
