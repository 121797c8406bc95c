// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.inspect.RequestInspection.JournalEnd;

import java.io.PrintStream;
import java.nio.file.Path;

/** A file that a command makes of a journal, and a summary of it. */
public interface FileOfJournal
{
    /**
     * Lets the file appear.
     *
     * @throws io.signalbox.ConfigException if nothing was written to it.
     */
    void publish(Path journal);

    /** The summary as JSON. */
    String json(Path journal, Path out, JournalEnd end);

    /** The summary as text. */
    void print(PrintStream out, JournalEnd end);
}
