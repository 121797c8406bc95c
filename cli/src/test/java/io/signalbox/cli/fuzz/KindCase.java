// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * A command with one path that names a file of some kind.
 *
 * @param words    the command line; {@code {path}} is the path, {@code {dir}} the case's directory.
 * @param template files that the command may need.
 * @param place    of the odd file in the case's directory.
 */
record KindCase(List<String> words, Path template, String place, FileKind kind) implements FuzzCase
{
    private static final Set<Integer> EXIT_CODES = Set.of(0, 1, 2);
    private static final Set<Integer> NEVER_CHECKING = Set.of(0, 2);

    @Override
    public void prepare(final Path directory) throws IOException
    {
        FileTrees.copy(template, directory);
        final Path path = directory.resolve(place);
        Files.createDirectories(path.getParent());
        kind.make(path);
    }

    @Override
    public List<String> arguments(final Path directory)
    {
        final Path path = directory.resolve(place + (kind == FileKind.BELOW_FILE ? "/below" : ""));
        return words.stream().map(word -> word.replace("{path}", path.toString()).replace("{dir}", directory.toString()))
            .toList();
    }

    @Override
    public Set<Integer> exitCodes()
    {
        return Set.of("replay", "inspect", "snapshot").contains(words.get(0)) ? EXIT_CODES : NEVER_CHECKING;
    }

    @Override
    public String story()
    {
        return place + " is " + kind;
    }
}
