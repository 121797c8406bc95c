// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import net.jqwik.api.Arbitrary;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * A command with options.
 *
 * @param template   directory of the files that options may name.
 * @param parts      the command line; {@code {dir}} is the case's directory.
 * @param exitCodes  those that the command may end with.
 */
record OptionCase(Path template, List<Part> parts, Set<Integer> exitCodes) implements FuzzCase
{
    private static final Set<String> HELP = Set.of("-h", "--help", "-V", "--version");

    /**
     * Words that belong together.
     *
     * @param words       an option with its value, or a parameter.
     * @param mustRefuse  a number that is none.
     * @param fixed       what shrinking keeps: the command, and what makes its run small.
     */
    record Part(List<String> words, boolean mustRefuse, boolean fixed)
    {
        static Part of(final String... words)
        {
            return new Part(List.of(words), false, false);
        }

        static Part fixed(final String... words)
        {
            return new Part(List.of(words), false, true);
        }
    }

    @Override
    public void prepare(final Path directory) throws IOException
    {
        FileTrees.copy(template, directory);
    }

    @Override
    public List<String> arguments(final Path directory)
    {
        return parts.stream().flatMap(part -> part.words().stream())
            .map(word -> word.replace("{dir}", directory.toString())).toList();
    }

    @Override
    public List<String> check(final Path directory, final Outcome outcome, final Target target)
    {
        final boolean helps = arguments(directory).stream()
            .anyMatch(word -> HELP.contains(word) || word.matches("-[hV]+.*"));
        final Part malformed = parts.stream().filter(Part::mustRefuse).findFirst().orElse(null);
        return malformed == null || helps || outcome.exitCode() == 2 ? List.of() :
            List.of("number: " + malformed.words() + " is no number, and the exit code is " + outcome.exitCode());
    }

    @Override
    public Arbitrary<OptionCase> withFewerParts()
    {
        return Parts.of(parts.stream().filter(part -> !part.fixed()).toList()).map(kept -> new OptionCase(
            template, parts.stream().filter(part -> part.fixed() || containsSame(kept, part)).toList(), exitCodes));
    }

    /** An option can be there twice. */
    private static boolean containsSame(final List<Part> parts, final Part part)
    {
        return parts.stream().anyMatch(each -> each == part);
    }
}
