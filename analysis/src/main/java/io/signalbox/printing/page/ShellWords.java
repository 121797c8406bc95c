// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import java.util.List;
import java.util.stream.Collectors;

/** Words of a command as a user types them in a shell. */
public final class ShellWords
{
    private ShellWords()
    {
    }

    /** A word; quoted if the shell reads some of its characters. */
    static String quoted(final String word)
    {
        return word.matches("[A-Za-z0-9_./:+,=@%-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    /** A command of these words. */
    public static String command(final List<String> words)
    {
        return words.stream().map(ShellWords::quoted).collect(Collectors.joining(" "));
    }
}
