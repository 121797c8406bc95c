// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.nio.file.Path;

/** One of several processes that remove segments of a journal at once; prints how many, or the kind of its refusal. */
final class Pruner
{
    private Pruner()
    {
    }

    public static void main(final String[] arguments)
    {
        try
        {
            System.out.println(EndedRuns.keepSegments(Path.of(arguments[0]), 1).segments());
        }
        catch (final JournalException e)
        {
            System.out.println(e.kind());
        }
    }
}
