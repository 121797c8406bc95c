// SPDX-License-Identifier: Apache-2.0
package io.signalbox.diff;

import io.signalbox.journal.JournalReader;

import java.nio.file.Path;

/** Compares journals that are no files. */
public final class DiffOf
{
    private DiffOf()
    {
    }

    /** @param name of both. */
    public static JournalDiff read(final Path name, final JournalReader left, final JournalReader right)
    {
        return new SideBySide(name, left, name, right, JournalDiff.BY_ID, new ComparedPrompts(true, true, false, 16))
            .run().diff();
    }
}
