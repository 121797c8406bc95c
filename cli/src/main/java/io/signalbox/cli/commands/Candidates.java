// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import java.util.Iterator;
import java.util.List;

/** Words that a shell completes. */
abstract class Candidates implements Iterable<String>
{
    private final List<String> words;

    Candidates(final List<String> words)
    {
        this.words = words;
    }

    @Override
    public final Iterator<String> iterator()
    {
        return words.iterator();
    }
}
