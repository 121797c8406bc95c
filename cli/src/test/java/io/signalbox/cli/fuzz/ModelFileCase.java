// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import net.jqwik.api.Arbitrary;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * A run of a checkpoint, or of its prompts, with one spoilt file.
 *
 * @param file  in the directory {@code model} of the case.
 * @param model the good checkpoint.
 */
record ModelFileCase(FileCase file, Path model) implements FuzzCase
{
    /** 1: spoilt weights compute no number, and their prompts fail. */
    private static final Set<Integer> EXIT_CODES = Set.of(0, 1, 2);
    private static final int BAD_INPUT = 2;
    private static final String PROMPTS = "prompts.jsonl";

    @Override
    public void prepare(final Path directory) throws IOException
    {
        final Path spoilt = directory.resolve("model");
        FileTrees.copy(model, spoilt);
        Files.writeString(spoilt.resolve(PROMPTS), Fixtures.PROMPTS);
        file.prepare(spoilt);
    }

    @Override
    public List<String> arguments(final Path directory)
    {
        return file.arguments(directory);
    }

    @Override
    public Set<Integer> exitCodes()
    {
        return EXIT_CODES;
    }

    /** Answers are there for every prompt, or there are none. */
    @Override
    public List<String> check(final Path directory, final Outcome outcome, final Target target) throws IOException
    {
        final Path answers = directory.resolve("answers.jsonl");
        if (outcome.exitCode() == BAD_INPUT)
        {
            return List.of();
        }
        final long answered = Files.exists(answers) ? Files.readAllLines(answers).size() : 0;
        final boolean sameCount = file.name().equals(PROMPTS) || answered == Fixtures.PROMPTS.lines().count();
        return answered > 0 && sameCount ? List.of() :
            List.of("answers: there are " + answered + ", not one for each prompt");
    }

    @Override
    public String story()
    {
        return file.name() + ": " + file.story();
    }

    @Override
    public Arbitrary<ModelFileCase> withFewerParts()
    {
        return file.withFewerParts().map(fewer -> new ModelFileCase(fewer, model));
    }

    @Override
    public String toString()
    {
        return file.toString();
    }
}
