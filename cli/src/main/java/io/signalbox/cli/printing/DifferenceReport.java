// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.printing;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.journal.Difference;

import java.io.IOException;
import java.io.PrintStream;
import java.util.stream.Collectors;

/** The first decision that differs, as recorded and as recomputed. */
final class DifferenceReport
{
    private DifferenceReport()
    {
    }

    public static void text(final PrintStream out, final Difference difference)
    {
        out.printf("first difference  record %s, message %s of its group%s%s%n", Decimals.grouped(difference.sequence()),
            difference.message(),
            difference.requestId() < 0 ? "" : ", request " + difference.requestId(),
            difference.blockId() < 0 ? "" : ", block " + difference.blockId());
        out.printf("  recorded        %s%n", Printable.text(difference.recorded()));
        out.printf("  decided now     %s%n", Printable.text(difference.recomputed()));
        out.printf("%nthe group as recorded:%n%s%n", lines(difference.recordedGroup()));
        out.printf("%nthe group as decided now:%n%s%n", lines(difference.recomputedGroup()));
        if (!difference.groupBefore().isEmpty())
        {
            out.printf("%nthe group before, on which both agree:%n%s%n", lines(difference.groupBefore()));
        }
    }

    private static String lines(final String group)
    {
        return group.lines().map(Printable::text).collect(Collectors.joining(System.lineSeparator()));
    }

    /** @param difference {@code null} if every decision is confirmed. */
    public static void json(final JsonGenerator json, final Difference difference) throws IOException
    {
        if (difference == null)
        {
            json.writeNullField("difference");
            return;
        }
        Json.object(json, "difference", body ->
        {
            json.writeNumberField("record", difference.sequence());
            json.writeNumberField("message", difference.message());
            json.writeNumberField("requestId", difference.requestId());
            json.writeNumberField("blockId", difference.blockId());
            json.writeStringField("recorded", difference.recorded());
            json.writeStringField("recomputed", difference.recomputed());
            json.writeStringField("recordedGroup", difference.recordedGroup());
            json.writeStringField("recomputedGroup", difference.recomputedGroup());
            json.writeStringField("groupBefore", difference.groupBefore());
        });
    }
}
