// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import io.signalbox.files.RealPath;
import io.signalbox.journal.RunDirectories;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The files that one command line names. No output may be an input, a file of an input, or another output. Files are
 * compared by identity, so links and other spellings of a path do not matter.
 */
public final class CommandFiles
{
    /** Journals are the deepest inputs: runs, run, snapshots, file. */
    private static final int MAX_DEPTH = 4;
    /** Files that a model's directory is searched for. */
    private static final Pattern MODEL_FILE =
        Pattern.compile("(generation_)?config\\.json|tokenizer\\.json|.*\\.safetensors(\\.index\\.json)?");

    private final List<NamedFile> inputs = new ArrayList<>();
    private final List<NamedFile> outputs = new ArrayList<>();

    /** A path with the option that names it. */
    private record NamedFile(String option, Path path)
    {
        private boolean isSameAs(final NamedFile other)
        {
            return RealPath.of(path).equals(RealPath.of(other.path)) || isSameFile(path, other.path);
        }

        @Override
        public String toString()
        {
            return option + "=" + path;
        }
    }

    private CommandFiles(final ParseResult given)
    {
        given.commandSpec().args().forEach(this::add);
    }

    private void add(final ArgSpec arg)
    {
        final String name = arg instanceof OptionSpec option ? option.longestName() : arg.paramLabel();
        final PathInValue input = input(arg);
        for (final String value : values(arg))
        {
            if (input != null)
            {
                add(inputs, name, input.in(value));
            }
            if (isOutput(arg))
            {
                add(outputs, name, value);
            }
        }
    }

    /** Finds the input file in the values of an option; {@code null} if they name none. */
    static PathInValue input(final ArgSpec arg)
    {
        if (arg.userObject() instanceof Setting<?> setting)
        {
            return setting.option().path() == null ? null : setting.option().path()::apply;
        }
        final InputPath reads =
            arg.userObject() instanceof AnnotatedElement field ? field.getAnnotation(InputPath.class) : null;
        return reads == null ? null : finder(reads);
    }

    /** The path of an input file in a value of an option; {@code null} if the value names none. */
    public static String inputIn(final ArgSpec arg, final String value)
    {
        final PathInValue input = input(arg);
        return input == null ? null : input.in(value);
    }

    /** Whether the values of an option name output files. */
    static boolean isOutput(final ArgSpec arg)
    {
        return arg.userObject() instanceof AnnotatedElement field && field.isAnnotationPresent(OutputPath.class);
    }

    private static List<String> values(final ArgSpec arg)
    {
        return !arg.stringValues().isEmpty() ? arg.stringValues() :
            arg.initialValue() instanceof Path path ? List.of(path.toString()) : List.of();
    }

    private static PathInValue finder(final InputPath reads)
    {
        try
        {
            return reads.value().getDeclaredConstructor().newInstance();
        }
        catch (final ReflectiveOperationException e)
        {
            throw new IllegalStateException(reads.value().getName(), e);
        }
    }

    /** If a path is empty or invalid, the option itself refuses it. */
    private static void add(final List<NamedFile> files, final String option, final String path)
    {
        try
        {
            if (path != null && !path.isBlank())
            {
                files.add(new NamedFile(option, Path.of(path)));
            }
        }
        catch (final InvalidPathException e)
        {
            return;
        }
    }

    /**
     * Checks the files of a command before the command does anything.
     *
     * @throws ConfigException if an output would replace an input, a part of a journal, the program or another output.
     */
    public static void check(final ParseResult given)
    {
        final CommandFiles files = new CommandFiles(given);
        for (int i = 0; i < files.outputs.size(); i++)
        {
            final NamedFile output = files.outputs.get(i);
            for (final NamedFile input : files.inputs)
            {
                refuseInput(output, input);
            }
            for (final NamedFile other : files.outputs.subList(0, i))
            {
                refuseSecond(other, output);
            }
            refuseJournal(output);
            refuseRuns(output, given);
            refuseProgram(output);
        }
    }

    /** @throws ConfigException if the output is a file of an input and the command line does not name that file. */
    static void requireOther(final String option, final Path output, final String input, final String path)
    {
        final List<NamedFile> files = new ArrayList<>();
        add(files, input, path);
        files.forEach(file -> refuseInput(new NamedFile(option, output), file));
    }

    private static void refuseSecond(final NamedFile first, final NamedFile second)
    {
        if (first.isSameAs(second))
        {
            throw new ConfigException(
                first.option + " and " + second.option + " are both " + first.path + "; give two different files.");
        }
        if (RealPath.overlap(first.path, second.path))
        {
            throw new ConfigException(first + " and " + second + " overlap; give a place outside the other.");
        }
    }

    private static void refuseInput(final NamedFile output, final NamedFile input)
    {
        if (output.isSameAs(input))
        {
            throw new ConfigException(
                output + " is the input of " + input.option + ", which it would replace; give another " +
                    (Files.isDirectory(input.path) ? "directory." : "file."));
        }
        if (RealPath.of(input.path).startsWith(RealPath.of(output.path)))
        {
            throw new ConfigException(output + " has the input of " + input + " in it; give a place outside it.");
        }
        if (!Files.isDirectory(input.path))
        {
            return;
        }
        if (Files.isRegularFile(output.path) && holds(input.path, output.path))
        {
            throw new ConfigException(
                output + " is a file of the input " + input + ", which it would replace; give another file.");
        }
        final Path place = RealPath.of(output.path);
        if (RealPath.of(input.path).equals(place.getParent()) &&
            MODEL_FILE.matcher(place.getFileName().toString()).matches())
        {
            throw new ConfigException(output + " would be a file of the model in " + input + "; give another name.");
        }
    }

    /** Any journal, not only an input: writers and readers of a journal expect only its own files in it. */
    private static void refuseJournal(final NamedFile output)
    {
        if (RunDirectories.owns(output.path))
        {
            throw new ConfigException(
                output + " is a part of a journal, which it would damage; give a place outside the journal.");
        }
        if (RunDirectories.contains(output.path))
        {
            throw new ConfigException(output + " is in the directory of a journal, which only the journal's writer uses; " +
                "give a place outside it.");
        }
    }

    /** Without --journal, a command writes its journal to the next number under runs. */
    private static void refuseRuns(final NamedFile output, final ParseResult given)
    {
        if (given.commandSpec().findOption(JournalOptions.JOURNAL) == null ||
            given.hasMatchedOption(JournalOptions.JOURNAL) || given.hasMatchedOption(JournalOptions.NO_JOURNAL))
        {
            return;
        }
        final Path runs = RealPath.of(JournalOptions.RUNS);
        final Path place = RealPath.of(output.path);
        if (place.equals(runs) || runs.equals(place.getParent()) && JournalOptions.isRun(place))
        {
            throw new ConfigException(output + " is a place of journals, which go to the next number under " +
                JournalOptions.RUNS + "; give another file, or a directory with " + JournalOptions.JOURNAL + ".");
        }
    }

    private static void refuseProgram(final NamedFile output)
    {
        if (!Files.isRegularFile(output.path))
        {
            return;
        }
        for (final String entry : System.getProperty("java.class.path", "").split(File.pathSeparator))
        {
            final Path jar = Path.of(entry).toAbsolutePath();
            if (Files.isRegularFile(jar) &&
                (isSameFile(jar, output.path) || holds(jar.resolveSibling("lib"), output.path)))
            {
                throw new ConfigException(output + " is a part of Signalbox, which it would replace; give another file.");
            }
        }
    }

    private static boolean isSameFile(final Path one, final Path other)
    {
        try
        {
            return Files.exists(one) && Files.exists(other) && Files.isSameFile(one, other);
        }
        catch (final IOException e)
        {
            // A file that cannot be examined cannot be read or written either.
            return false;
        }
    }

    /** Whether a directory has the file: under any name, through links, and in subdirectories. */
    private static boolean holds(final Path directory, final Path file)
    {
        final boolean[] found = new boolean[1];
        try
        {
            Files.walkFileTree(directory, EnumSet.of(FileVisitOption.FOLLOW_LINKS), MAX_DEPTH, new SimpleFileVisitor<>()
            {
                @Override
                public FileVisitResult visitFile(final Path entry, final BasicFileAttributes attributes)
                {
                    found[0] = attributes.isRegularFile() && isSameFile(entry, file);
                    return found[0] ? FileVisitResult.TERMINATE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(final Path entry, final IOException fault)
                {
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(final Path entry, final IOException fault)
                {
                    return FileVisitResult.CONTINUE;
                }
            });
        }
        catch (final IOException e)
        {
            // The visitor continues after every fault, so the directory itself does not exist.
            return false;
        }
        return found[0];
    }
}
