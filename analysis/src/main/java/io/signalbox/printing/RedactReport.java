// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.DocumentSchema;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.journal.Ending;
import io.signalbox.journal.JournalRedaction;

import java.io.PrintStream;
import java.nio.file.Path;

/**
 * The result of {@code redact}.
 *
 * @param key names the key.
 */
public record RedactReport(Path journal, Path target, String key, JournalRedaction.Result result)
{
    public String json()
    {
        return JsonDocument.text(new RedactDocument(journal, target, JournalEnd.of(result.ending()), result.records(),
            result.groups(), result.bytes(), result.digest(), key, result.voided(), result.snapshots()));
    }

    /**
     * {@code redact --json}.
     *
     * @param path       directory of the journal
     * @param out        directory of the new journal
     * @param journalEnd how the journal ends
     * @param records    records of the new journal
     * @param groups     groups of both journals
     * @param bytes      bytes of the records of the new journal
     * @param digest     digest of the new journal
     * @param key        name of the key
     * @param voided     void inputs of the old journal; the new journal does not have them
     * @param snapshots  snapshots of the old journal; the new journal does not have them
     */
    @DocumentSchema("signalbox.redact/1")
    record RedactDocument(
        Path path,
        Path out,
        JournalEnd journalEnd,
        long records,
        long groups,
        long bytes,
        String digest,
        String key,
        long voided,
        long snapshots)
    {
    }

    public void print(final PrintStream out)
    {
        out.printf("%-18s%s records, %s, digest %s%n", "journal", Decimals.grouped(result.records()),
            Decimals.bytes(result.bytes()), result.digest());
        out.printf("%-18s%s groups without tokens, key %s%n", "redacted", Decimals.grouped(result.groups()), key);
        if (result.voided() + result.snapshots() > 0)
        {
            out.printf("%-18s%s, %s%n", "left out", Decimals.counted(result.voided(), "void input"),
                Decimals.counted(result.snapshots(), "snapshot"));
        }
        if (result.ending() != Ending.CLOSED)
        {
            out.printf("%-18s%s%n", "old journal", JournalEndText.of(JournalEnd.of(result.ending())));
        }
    }
}
