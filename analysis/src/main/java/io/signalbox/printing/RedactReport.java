// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

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
        return Json.text("signalbox.redact/1", json ->
        {
            json.writeStringField("path", journal.toString());
            json.writeStringField("out", target.toString());
            json.writeStringField("journalEnd", EnumNames.label(JournalEnd.of(result.ending())));
            json.writeNumberField("records", result.records());
            json.writeNumberField("groups", result.groups());
            json.writeNumberField("bytes", result.bytes());
            json.writeStringField("digest", result.digest());
            json.writeStringField("key", key);
            json.writeNumberField("voided", result.voided());
            json.writeNumberField("snapshots", result.snapshots());
        });
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
