// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import io.signalbox.cli.CommandEntry;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Every option and parameter that names a path, and every place within a journal, with every kind of file. The first of the
 * parts has each of these lines with a sixteenth of the kinds, and each kind with a sixteenth of the lines.
 */
final class KindCases
{
    private static final int PARTS = 16;
    private static final List<String> RUN = List.of("--conversations=2", "--limit=3", "--ranks=2", "--user-tokens=fixed:20",
        "--output-tokens=fixed:4");
    /** Arguments that a command needs beside the path. */
    private static final Map<String, List<String>> NEEDED = Map.of(
        "compare", List.of("--seeds=1", "--workers=1", "--router=default", "--limit=3"),
        "inspect events", List.of("--request=2"));
    private static final List<String> WITHIN_JOURNAL = List.of("journal/lock", "journal/segment-00000",
        "journal/segment-00001", "journal/segment-00000/19700101F.cq4", "journal/segment-00000/metadata.cq4t",
        "journal/segment-00000.cut", "killed/lock", "killed/segment-00001", "killed/segment-00000.cut",
        "killed/segment-00000/19700101F.cq4");
    /** Files next to the records, which only some commands read. */
    private static final List<String> NEXT_TO_RECORDS = List.of("journal/beginning", "journal/beginning.copy",
        "journal/segment-00000.sums", "journal/snapshots", "journal/snapshots/snapshot-0000000000000010",
        "journal/snapshots/scheduler-0000000000000010");
    private static final List<List<String>> READ_NEXT_TO_RECORDS = List.of(
        List.of("replay", "{dir}/journal", "--from-snapshot"), List.of("inspect", "moment", "{dir}/journal", "0.01"),
        List.of("snapshot", "{dir}/journal", "--scheduler", "--max-segments=1"), List.of("runs", "{dir}"));
    private static final List<String> WITHIN_MODEL = List.of("single/config.json", "single/model.safetensors",
        "sharded/model.safetensors.index.json", "sharded/model-00002-of-00002.safetensors");

    private final Path template;
    private final List<List<KindCase>> parts = new ArrayList<>();
    private int lines;

    /**
     * @param template directory with a journal, and one whose writer was killed.
     * @param models   directory with a checkpoint in one file and one in two shards.
     */
    KindCases(final Path template, final Path models)
    {
        this.template = template;
        for (int i = 0; i < PARTS; i++)
        {
            parts.add(new ArrayList<>());
        }
        for (final String place : WITHIN_MODEL)
        {
            add(List.of("run", "--model={dir}/" + place.substring(0, place.indexOf('/')), "--no-journal",
                "--max-new-tokens=2", "--kv-blocks=40"), models, place);
        }
        // The file of doctor is written as that of other commands, and each of its runs takes seconds.
        CommandEntry.commands().entrySet().stream().filter(
            command -> !command.getKey().equals("doctor") && !OptionCases.ENDLESS.contains(command.getKey()))
            .forEach(command -> ofCommand(command.getKey(), command.getValue()));
        for (final String place : WITHIN_JOURNAL)
        {
            final String journal = "{dir}/" + place.substring(0, place.indexOf('/'));
            add(List.of("replay", journal, "--verify"), place);
            add(List.of("replay", journal, "--recover", "--verify"), place);
            add(List.of("inspect", "request", journal, "2"), place);
        }
        for (final String place : NEXT_TO_RECORDS)
        {
            READ_NEXT_TO_RECORDS.forEach(line -> add(line, template, place));
        }
    }

    /** The first of the parts. */
    List<KindCase> reduced()
    {
        return parts.get(0);
    }

    List<KindCase> all()
    {
        return parts.stream().flatMap(List::stream).toList();
    }

    private void ofCommand(final String name, final CommandSpec command)
    {
        for (final OptionSpec option : command.options())
        {
            final String value = Values.isPath(option) ? "{path}" :
                List.of("LIST", "PLAN").contains(option.paramLabel()) ? "{path}" :
                option.paramLabel().equals("KIND") ? "replayed:{path}" : null;
            if (value != null)
            {
                final List<String> line = line(name, command);
                line.add(option.longestName() + "=" + value);
                add(line, "odd/file");
            }
        }
        if (command.positionalParameters().stream().anyMatch(Values::isPath))
        {
            final List<String> line = line(name, command);
            line.replaceAll(word -> word.equals("{dir}/journal") ? "{path}" : word);
            add(line, "odd/file");
        }
    }

    private static List<String> line(final String name, final CommandSpec command)
    {
        final List<String> line = new ArrayList<>(List.of(name.split(" ")));
        for (final ArgSpec parameter : command.positionalParameters())
        {
            line.add(Values.isPath(parameter) ? "{dir}/journal" :
                parameter.paramLabel().equals("RANK:BLOCK") ? "0:3" : "1");
        }
        line.addAll(NEEDED.getOrDefault(name, name.equals("simulate") ? RUN : List.of()));
        return line;
    }

    /** The administrator may read everything. */
    private static List<FileKind> kinds()
    {
        final List<FileKind> kinds = new ArrayList<>(List.of(FileKind.values()));
        if (System.getProperty("user.name").equals("root"))
        {
            kinds.remove(FileKind.UNREADABLE);
        }
        return kinds;
    }

    private void add(final List<String> words, final String place)
    {
        final List<String> line = new ArrayList<>(words);
        if (line.get(0).equals("simulate") && line.stream().anyMatch(word -> word.startsWith("--trace")))
        {
            line.removeIf(word -> word.startsWith("--conversations") || word.contains("-tokens"));
        }
        if (line.get(0).equals("simulate") && line.stream().noneMatch(word -> word.startsWith("--journal")))
        {
            line.add("--no-journal");
        }
        add(line, template, place);
    }

    private void add(final List<String> line, final Path files, final String place)
    {
        lines++;
        for (final FileKind kind : kinds())
        {
            parts.get((lines + kind.ordinal()) % PARTS).add(new KindCase(List.copyOf(line), files, place, kind));
        }
    }
}
