// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

class OpenFilesTest
{
    @TempDir
    private Path directory;

    private String shortage(final String limit) throws IOException
    {
        return OpenFiles.shortage(Files.writeString(directory.resolve("limits"), """
            Limit                     Soft Limit           Hard Limit           Units
            Max processes             10                   10                   processes
            Max open files            %-20s 1048576              files
            """.formatted(limit)));
    }

    @Test
    void shouldNameALimitThatIsTooLow() throws IOException
    {
        assertEquals("this process may open 95 files (ulimit -n), and Signalbox needs 96; raise the limit.", shortage("95"));
        assertNull(shortage("96"));
        assertNull(shortage("unlimited"));
        assertNull(OpenFiles.shortage(directory.resolve("another-system")));
    }

    @Test
    void shouldNameALimitThatIsReached()
    {
        // A directory exists but cannot be read as a file, just as every file if the limit of open files is reached.
        assertEquals("this process may open no further file (ulimit -n), and Signalbox needs 96; raise the limit.",
            OpenFiles.shortage(directory));
    }
}
