// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.TestStrength;
import io.signalbox.cli.CommandEntry;
import io.signalbox.cli.CommandRun;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CommandFilesTest
{
    private static final Pattern LABELS = Pattern.compile("FILE|DIR|DIRECTORY|JAR|JOURNAL|NEW|CONFIG");
    private static final Pattern WORDS = Pattern.compile("\\b(files?|FILE|directory|directories|jars?)\\b");
    /** Their descriptions mention files that other options name. */
    private static final List<String> WITHOUT_FILE = List.of(
        "--logprobs", "--experts", "--router", "--workload", "--new-weights", "--format", "--from");

    @TempDir
    private Path directory;

    private static boolean reads(final ArgSpec arg)
    {
        return CommandFiles.input(arg) != null;
    }

    private static boolean writes(final ArgSpec arg)
    {
        return CommandFiles.isOutput(arg);
    }

    private static String name(final ArgSpec arg)
    {
        return arg instanceof OptionSpec option ? option.longestName() : arg.paramLabel();
    }

    private static boolean namesAFile(final ArgSpec arg)
    {
        return arg.type() == Path.class || Arrays.asList(arg.auxiliaryTypes()).contains(Path.class) ||
            LABELS.matcher(arg.paramLabel()).matches() || WORDS.matcher(String.join(" ", arg.description())).find();
    }

    private static List<CommandSpec> commands()
    {
        return List.copyOf(CommandEntry.commands().values());
    }

    @Test
    void shouldMarkEveryOptionThatNamesAFile()
    {
        final List<String> unmarked = new ArrayList<>();
        int marked = 0;
        for (final CommandSpec command : commands())
        {
            for (final ArgSpec arg : command.args())
            {
                final boolean isMarked = reads(arg) || writes(arg);
                final boolean isFlag = arg.arity().max() == 0;
                marked += isMarked ? 1 : 0;
                if (!isFlag && !isMarked && !WITHOUT_FILE.contains(name(arg)) && namesAFile(arg))
                {
                    unmarked.add(command.name() + " " + name(arg));
                }
            }
        }
        assertEquals(List.of(), unmarked);
        assertTrue(marked > 50, () -> "the model of picocli has lost its fields");
    }

    @TestFactory
    Stream<DynamicTest> shouldRefuseAnOutputThatIsAnInput()
    {
        return pairs(true);
    }

    @TestFactory
    Stream<DynamicTest> shouldRefuseTwoOutputsInOnePlace()
    {
        return pairs(false);
    }

    private Stream<DynamicTest> pairs(final boolean withInput)
    {
        final List<DynamicTest> tests = new ArrayList<>();
        for (final CommandSpec command : commands())
        {
            final List<ArgSpec> outputs = command.args().stream().filter(CommandFilesTest::writes).toList();
            for (final ArgSpec output : outputs)
            {
                final List<ArgSpec> others = withInput ? command.args().stream().filter(CommandFilesTest::reads).toList() :
                    outputs.subList(0, outputs.indexOf(output));
                for (final ArgSpec other : others)
                {
                    final boolean isFirst = outputs.indexOf(output) == 0 && others.indexOf(other) == 0;
                    tests.add(DynamicTest.dynamicTest(words(command) + " " + name(other) + " " + name(output), () ->
                    {
                        final Path place = Files.createTempDirectory(directory, "pair");
                        if (withInput)
                        {
                            assertRefusesInput(command, other, output, place, isFirst || TestStrength.isFull());
                        }
                        else
                        {
                            assertRefusesSecond(command, other, output, place);
                        }
                    }));
                }
            }
        }
        return tests.stream();
    }

    /** @param everySpelling of both paths; else a link to one file, because every command compares paths in one place. */
    private static void assertRefusesInput(
        final CommandSpec command, final ArgSpec input, final ArgSpec output, final Path place, final boolean everySpelling)
        throws IOException
    {
        final Path file = Files.writeString(place.resolve("input"), "the bytes of the input");
        final List<Path> spellings = spellings(file, place);
        if (!everySpelling)
        {
            assertRefused(command, input, file, output, spellings.get(spellings.size() - 1), place);
            return;
        }
        for (final Path spelling : spellings)
        {
            assertRefused(command, input, file, output, spelling, place);
            assertRefused(command, input, spelling, output, file, place);
        }
        final Path inputs = Files.createDirectory(place.resolve("inputs"));
        final Path member = Files.writeString(Files.createDirectory(inputs.resolve("below")).resolve("x"), "a member");
        final Path outside = Files.writeString(place.resolve("blob"), "a file elsewhere");
        Files.createSymbolicLink(inputs.resolve("linked"), outside);
        for (final Path spelling : spellings(member, place))
        {
            assertRefused(command, input, inputs, output, spelling, place);
        }
        assertRefused(command, input, inputs, output, outside, place);
        assertRefused(command, input, inputs, output, inputs, place);
        assertRefused(command, input, member, output, inputs, place);
        for (final String model : List.of("config.json", "generation_config.json", "tokenizer.json", "a.safetensors",
            "model.safetensors.index.json"))
        {
            assertRefused(command, input, inputs, output, inputs.resolve(model), place);
        }
    }

    private static void assertRefusesSecond(
        final CommandSpec command, final ArgSpec first, final ArgSpec second, final Path place) throws IOException
    {
        final Path missing = place.resolve("new");
        final Path linked = Files.createSymbolicLink(place.resolve("same"), place).resolve("new");
        assertRefused(command, first, missing, second, missing, place);
        assertRefused(command, first, missing, second, linked, place);
        assertRefused(command, first, missing, second, place.resolve("no/../new"), place);
        assertRefused(command, first, missing, second, missing.resolve("below"), place);
        assertRefused(command, first, linked.resolve("below"), second, missing, place);
        final Path file = Files.writeString(place.resolve("there"), "as before");
        for (final Path spelling : spellings(file, place))
        {
            assertRefused(command, first, file, second, spelling, place);
        }
    }

    /** Other paths to the same file. */
    private static List<Path> spellings(final Path file, final Path place) throws IOException
    {
        final String name = file.getFileName().toString();
        final Path link = Files.createSymbolicLink(place.resolve(name + "-link"), file);
        final Path chain = Files.createSymbolicLink(place.resolve(name + "-chain"), Path.of(name + "-link"));
        final Path parent = Files.createSymbolicLink(place.resolve(name + "-parent"), file.getParent());
        final Path hard = Files.createLink(place.resolve(name + "-hard"), file);
        return List.of(file, file.getParent().resolve(".").resolve(name),
            file.getParent().resolve("../" + file.getParent().getFileName()).resolve(name),
            Path.of("").toAbsolutePath().relativize(file), link, chain, parent.resolve(name), hard);
    }

    private static void assertRefused(
        final CommandSpec command, final ArgSpec one, final Path onePath, final ArgSpec other, final Path otherPath,
        final Path place) throws IOException
    {
        final Map<Path, String> before = content(place);
        final CommandRun run = CommandRun.of(line(command, one, onePath, other, otherPath));
        final String shown = onePath + " and " + otherPath + ": " + run.exitCode() + " " + run.err();
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), shown);
        assertTrue(run.err().contains(name(one)) && run.err().contains(name(other)), shown);
        assertTrue(run.err().matches("(?s).*(which it would replace|has the input of|would be a file of the model in|" +
            "give two different files|overlap; give).*"), shown);
        assertEquals(before, content(place), shown);
        assertEquals("", run.out());
    }

    /** {@code inspect run} for a question. */
    private static String words(final CommandSpec command)
    {
        return command.qualifiedName().substring(command.root().name().length()).strip();
    }

    private static List<String> line(
        final CommandSpec command, final ArgSpec one, final Path onePath, final ArgSpec other, final Path otherPath)
    {
        final List<String> line = new ArrayList<>(List.of(words(command).split(" ")));
        for (final ArgSpec arg : command.args())
        {
            final String value = arg.equals(one) ? value(arg, onePath) : arg.equals(other) ? value(arg, otherPath) :
                !arg.required() ? null : arg.type() == Path.class ? "/nowhere/" + name(arg) : "1";
            if (value != null)
            {
                line.add(arg.isOption() ? name(arg) + "=" + value : value);
            }
        }
        return line;
    }

    private static String value(final ArgSpec arg, final Path path)
    {
        final PathInValue input = CommandFiles.input(arg);
        return input == null ? path.toString() : Stream.of("", "replayed:", "draftScript=").map(form -> form + path)
            .filter(value -> path.toString().equals(input.in(value))).findFirst().orElseThrow();
    }

    /** Every path under a directory with its bytes, or with the target of the link. */
    private static Map<Path, String> content(final Path place) throws IOException
    {
        final Map<Path, String> content = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(place))
        {
            for (final Path path : paths.toList())
            {
                content.put(path, Files.isSymbolicLink(path) ? Files.readSymbolicLink(path).toString() :
                    Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) ? "" : Files.readString(path));
            }
        }
        return content;
    }
}
