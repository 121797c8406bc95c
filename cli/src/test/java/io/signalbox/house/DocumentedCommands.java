// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import io.signalbox.cli.CommandEntry;
import io.signalbox.cli.options.OptionNames;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The commands that documents show in blocks and within sentences, and the parts of a command that do not exist. */
final class DocumentedCommands
{
    /** @param run whether .ci/commands runs it; @param block false within a sentence. */
    record Shown(String page, String text, boolean block, boolean run)
    {
    }

    private static final Pattern FENCE = Pattern.compile("(?ms)^```(\\w*)\n(.*?)^```$");
    private static final Pattern PREPARED = Pattern.compile("(?m)^<!-- sh: (.*) -->$");
    private static final Pattern INLINE = Pattern.compile("`([^`\n]+)`");
    private static final Pattern COMMAND = Pattern.compile("\\(?(?:[A-Z_0-9]+=\\S+ |env -i )*" +
        "(?:(?:\\./)?signalbox (?:[a-z]+\\b|--)|mvn |java |\\$BENCH |scripts/\\w|\\.ci/\\w|DIR/run|" +
        "backend-cuda/src/test/native/build|cc |jq |cd ).*");
    private static final Pattern EXPLANATION = Pattern.compile("(?: {2,}(?=[^ -])| +# ).*$");
    private static final Pattern WORD = Pattern.compile("'[^']*'|\"[^\"]*\"|[^\\s;()]+");
    private static final Pattern CLASS = Pattern.compile("io\\.signalbox(?:\\.\\w+)*\\.[A-Z]\\w*");
    private static final Pattern BENCHMARK = Pattern.compile("([A-Z]\\w*Benchmark)(?:\\.(\\w+))?");

    private final Path root;
    private final List<Path> sources;
    private final CommandSpec model = CommandEntry.model();

    DocumentedCommands(final Path root, final List<Path> sources)
    {
        this.root = root;
        this.sources = sources;
    }

    static List<Shown> of(final String page, final String text)
    {
        final List<Shown> found = new ArrayList<>();
        final Matcher fences = FENCE.matcher(text);
        while (fences.find())
        {
            if (fences.group(1).isEmpty() || fences.group(1).equals("sh"))
            {
                final boolean run = fences.group(1).equals("sh");
                fences.group(2).replace("\\\n", "").lines().filter(line -> COMMAND.matcher(line).matches()).forEach(line ->
                    found.add(new Shown(page, EXPLANATION.matcher(line).replaceFirst(""), true, run)));
            }
        }
        PREPARED.matcher(text).results().forEach(line -> found.add(new Shown(page, line.group(1), true, true)));
        INLINE.matcher(fences.replaceAll("")).results().map(span -> span.group(1))
            .filter(span -> COMMAND.matcher(span).matches())
            .forEach(span -> found.add(new Shown(page, span, false, false)));
        return found;
    }

    /** Returns a sentence for each part that does not exist. */
    List<String> faults(final Shown shown)
    {
        final List<String> faults = new ArrayList<>();
        final List<String> words = WORD.matcher(shown.text()).results().map(word -> word.group()).toList();
        for (int i = 0; i < words.size(); i++)
        {
            final String word = words.get(i);
            // A value of --router has the name of the command.
            if (word.matches("(?:\\./)?signalbox|DIR/run") && (i == 0 || !words.get(i - 1).startsWith("--")))
            {
                options(word.equals("DIR/run") ? "gpu" : next(words, i), next(words, i + 1),
                    words.subList(i + 1, words.size()), faults);
            }
            else if (word.equals("mvn"))
            {
                maven(words.subList(i + 1, words.size()), faults);
            }
            else if (word.matches("(?:scripts|\\.ci|backend-cuda/src/test/native)/.*") &&
                !Files.exists(root.resolve(word)))
            {
                faults.add("no script " + word);
            }
            program(word, faults);
        }
        return faults.stream().map(fault -> shown.page() + ": " + fault + " in '" + shown.text() + "'").toList();
    }

    private static String next(final List<String> words, final int at)
    {
        return at + 1 < words.size() ? words.get(at + 1) : "";
    }

    /** @param question the word after the name, which may be a question of the command. */
    private void options(
        final String name, final String question, final List<String> words, final List<String> faults)
    {
        final CommandLine named = model.subcommands().get(name);
        final CommandSpec command = name.startsWith("-") ? model : named == null ? null :
            named.getSubcommands().getOrDefault(question, named).getCommandSpec();
        if (command == null)
        {
            faults.add("no command " + name);
            return;
        }
        words.stream().takeWhile(word -> !word.matches("[|>&]+.*")).filter(word -> word.startsWith("--"))
            .map(word -> word.replaceFirst("=.*", "")).filter(option -> OptionNames.find(command, option) == null)
            .forEach(option -> faults.add("no option " + option));
    }

    private void maven(final List<String> words, final List<String> faults)
    {
        for (int i = 0; i < words.size(); i++)
        {
            final String word = words.get(i);
            if (word.equals("-pl"))
            {
                Arrays.stream(next(words, i).split(",")).filter(module -> !Files.exists(root.resolve(module + "/pom.xml")))
                    .forEach(module -> faults.add("no module " + module));
            }
            else if (word.startsWith("-P"))
            {
                Arrays.stream(word.substring(2).split(","))
                    .filter(profile -> !mentions("pom.xml", "<id>" + profile + "</id>"))
                    .forEach(profile -> faults.add("no profile " + profile));
            }
            else if (word.startsWith("-Dtest="))
            {
                Arrays.stream(word.substring(7).replace("'", "").split(",")).filter(test -> !isTest(test))
                    .forEach(test -> faults.add("no test " + test));
            }
            else if (word.startsWith("-Dsignalbox."))
            {
                final String property = word.substring(2).replaceFirst("=.*", "");
                if (!mentions("pom.xml", property) && !mentions(".java", '"' + property + '"'))
                {
                    faults.add("no property " + property);
                }
            }
        }
    }

    private boolean isTest(final String glob)
    {
        final Pattern name = Pattern.compile(glob.replaceFirst("#.*", "").replace("*", ".*") + "\\.java");
        return sources.stream().anyMatch(source -> source.toString().contains("src/test/java") &&
            name.matcher(source.getFileName().toString()).matches());
    }

    private void program(final String word, final List<String> faults)
    {
        final Matcher benchmark = BENCHMARK.matcher(word);
        if (CLASS.matcher(word).matches() && !mentions(word.replace('.', '/') + ".java", "class"))
        {
            faults.add("no program " + word);
        }
        else if (benchmark.matches() && !mentions("/" + benchmark.group(1) + ".java",
            benchmark.group(2) == null ? "@Benchmark" : " " + benchmark.group(2) + "("))
        {
            faults.add("no benchmark " + word);
        }
    }

    /** Whether a source whose path ends so contains the text. */
    private boolean mentions(final String end, final String text)
    {
        return sources.stream().anyMatch(source -> ("/" + HouseSources.relative(source)).endsWith(end) &&
            HouseSources.lines(source).stream().anyMatch(line -> line.contains(text)));
    }
}
