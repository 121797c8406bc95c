// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.journal.Difference;
import io.signalbox.journal.Difference.Values;
import io.signalbox.journal.DigestComparison;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;

/** The first decision that differs, as recorded and as replayed. */
final class DifferenceReport
{
    private DifferenceReport()
    {
    }

    /** @param digests {@code null} if none are known. */
    public static void text(final PrintStream out, final Difference difference, final DigestComparison digests)
    {
        out.printf("first difference  record %s, message %s of its group%s%s%n", Decimals.grouped(difference.sequence()),
            difference.message(),
            difference.requestId() < 0 ? "" : ", request " + difference.requestId(),
            difference.blockId() < 0 ? "" : ", block " + difference.blockId());
        if (difference.thrown())
        {
            out.printf("  recorded        %s%n", Printable.text(difference.recorded()));
            out.printf("  replayed        %s%n", Printable.text(difference.recomputed()));
            return;
        }
        final Difference.Fields fields = difference.fields();
        FieldTable.print(out, "recorded", "replayed", fields.values());
        if (fields.omitted() > 0)
        {
            out.printf("  and %s more fields that differ%n%n", Decimals.grouped(fields.omitted()));
        }
        if (difference.router() != null)
        {
            out.printf("decided by        the router %s: the same batches must give it the same decisions and state%n",
                difference.router());
        }
        if (digests != null)
        {
            out.printf("state digests     %s record %s: %s%n",
                digests.record() == difference.sequence() ? "of" : "the next ones, of",
                Decimals.grouped(digests.record()), digests.different().isEmpty() ? "all components are equal again" :
                "they differ in " + String.join(", ", digests.different()) + (digests.equal().isEmpty() ? "" :
                    "; equal in " + String.join(", ", digests.equal())));
        }
        out.printf("whole messages    --json has both groups, and the one ahead of them, on which both agree%n");
    }

    /**
     * @param difference {@code null} if every decision is confirmed.
     * @param digests    {@code null} if none are known.
     * @param life       {@code null} if it is not known.
     */
    public static void json(
        final JsonGenerator json, final Difference difference, final DigestComparison digests, final DifferenceLife life)
        throws IOException
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
            json.writeStringField("router", difference.router());
            final Difference.Fields fields = difference.fields();
            Json.object(json, "fields", each -> fields(json, fields.values()));
            json.writeNumberField("omittedFields", fields.omitted());
            digests(json, digests);
            if (life != null)
            {
                life.write(json);
            }
            json.writeStringField("recorded", difference.recorded());
            json.writeStringField("recomputed", difference.recomputed());
            json.writeStringField("recordedGroup", difference.recordedGroup());
            json.writeStringField("recomputedGroup", difference.recomputedGroup());
            json.writeStringField("groupBefore", difference.groupBefore());
        });
    }

    private static void fields(final JsonGenerator json, final Map<String, Values> values) throws IOException
    {
        for (final Map.Entry<String, Values> value : values.entrySet())
        {
            json.writeObjectFieldStart(value.getKey());
            json.writeStringField("recorded", value.getValue().left());
            json.writeStringField("replayed", value.getValue().right());
            json.writeEndObject();
        }
    }

    private static void digests(final JsonGenerator json, final DigestComparison digests) throws IOException
    {
        if (digests == null)
        {
            json.writeNullField("digests");
            return;
        }
        Json.object(json, "digests", body ->
        {
            json.writeNumberField("record", digests.record());
            names(json, "different", digests.different());
            names(json, "equal", digests.equal());
        });
    }

    private static void names(final JsonGenerator json, final String field, final List<String> names) throws IOException
    {
        json.writeArrayFieldStart(field);
        for (final String name : names)
        {
            json.writeString(name);
        }
        json.writeEndArray();
    }
}
