// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.batch;

import io.signalbox.files.AtomicFile;

import java.io.IOException;
import java.nio.file.Path;

/** A planner that writes its plan to a file. */
final class BadMemo
{
    void write(final Path file) throws IOException
    {
        try (AtomicFile memo = AtomicFile.of(file))
        {
            memo.publish();
        }
    }
}
