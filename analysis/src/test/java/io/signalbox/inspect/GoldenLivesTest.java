// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.journal.GoldenJournal;
import io.signalbox.journal.JournalRedaction;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.TokenKey;
import io.signalbox.router.DpRouters;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Every request of a golden journal has its life, also after redaction. */
final class GoldenLivesTest
{
    @TempDir
    private Path directory;

    private static List<Integer> lives(final Path journal, final int requests)
    {
        final List<Integer> lives = new ArrayList<>();
        for (int id = 0; id <= requests + 1; id++)
        {
            lives.add(RequestInspector.inspect(journal, id).lives().size());
        }
        return lives;
    }

    @ParameterizedTest
    @CsvSource({"version-5-simulated, 24", "version-5-restarted, 15", "version-5-turns, 24"})
    void shouldInspectEachRequest(final String name, final int requests) throws Exception
    {
        final Path journal = GoldenJournal.unpack(name, directory);

        final List<Integer> lives = lives(journal, requests);
        assertEquals(requests, lives.stream().mapToInt(Integer::intValue).sum());

        final Path file = Files.write(directory.resolve("key"), new byte[32]);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        final Path redacted = directory.resolve("redacted");
        JournalRedaction.redact(
            journal, redacted, DpRouters.installed(), TokenKey.read("--journal-key", file), ReadProgress.NONE);
        assertEquals(lives, lives(redacted, requests));
    }
}
