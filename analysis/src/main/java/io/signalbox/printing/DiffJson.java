// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.diff.JournalDiff;
import io.signalbox.diff.JournalDiff.ChangedRequest;
import io.signalbox.diff.JournalDiff.FirstDifference;
import io.signalbox.diff.JournalDiff.Requests;
import io.signalbox.diff.JournalDiff.Side;
import io.signalbox.journal.Difference.Values;

import java.io.IOException;
import java.util.Map;

/** Two journals side by side, as JSON. */
public final class DiffJson
{
    private DiffJson()
    {
    }

    public static String text(final JournalDiff diff)
    {
        return Json.text("signalbox.diff/1", json ->
        {
            json.writeBooleanField("equal", diff.isEqual());
            Json.object(json, "left", body -> side(json, diff.left()));
            Json.object(json, "right", body -> side(json, diff.right()));
            Json.object(json, "settings", body -> values(json, diff.settings()));
            json.writeBooleanField("withoutTokens", diff.withoutTokens());
            json.writeNumberField("firstRecord", diff.ahead());
            json.writeBooleanField("equalAhead", diff.isEqualAhead());
            json.writeNumberField("equalGroups", diff.equalGroups());
            first(json, diff.first());
            Json.object(json, "requests", body -> requests(json, diff.requests()));
            json.writeArrayFieldStart("worst");
            for (final ChangedRequest request : diff.worst())
            {
                worst(json, request);
            }
            json.writeEndArray();
        });
    }

    private static void side(final JsonGenerator json, final Side side) throws IOException
    {
        json.writeStringField("path", side.path().toString());
        json.writeNumberField("records", side.records());
        json.writeNumberField("groups", side.groups());
        json.writeStringField("ending", EnumNames.label(side.ending()));
        json.writeStringField("digest", side.digest());
    }

    private static void values(final JsonGenerator json, final Map<String, Values> values) throws IOException
    {
        for (final Map.Entry<String, Values> value : values.entrySet())
        {
            json.writeObjectFieldStart(value.getKey());
            json.writeStringField("left", value.getValue().left());
            json.writeStringField("right", value.getValue().right());
            json.writeEndObject();
        }
    }

    private static void first(final JsonGenerator json, final FirstDifference first) throws IOException
    {
        if (first == null)
        {
            json.writeNullField("first");
            return;
        }
        Json.object(json, "first", body ->
        {
            json.writeNumberField("leftRecord", first.leftRecord());
            json.writeNumberField("rightRecord", first.rightRecord());
            Json.decimal(json, "leftSeconds", Decimals.seconds(first.leftNanos()));
            Json.decimal(json, "rightSeconds", Decimals.seconds(first.rightNanos()));
            json.writeNumberField("message", first.difference().message());
            json.writeNumberField("requestId", first.difference().requestId());
            json.writeNumberField("blockId", first.difference().blockId());
            Json.object(json, "fields", fields -> values(json, first.fields()));
            json.writeNumberField("omittedFields", first.omittedFields());
            json.writeStringField("leftGroup", first.difference().recordedGroup());
            json.writeStringField("rightGroup", first.difference().recomputedGroup());
            json.writeStringField("groupBefore", first.difference().groupBefore());
        });
    }

    private static void requests(final JsonGenerator json, final Requests requests) throws IOException
    {
        json.writeStringField("matchedBy", requests.matchedBy());
        json.writeNumberField("compared", requests.compared());
        json.writeNumberField("equal", requests.equal());
        json.writeNumberField("placedElsewhere", requests.placedElsewhere());
        json.writeNumberField("otherCachedTokens", requests.otherCachedTokens());
        json.writeNumberField("otherTimes", requests.otherTimes());
        json.writeNumberField("otherOutcome", requests.otherOutcome());
        json.writeNumberField("onlyLeft", requests.onlyLeft());
        json.writeNumberField("onlyRight", requests.onlyRight());
        json.writeNumberField("notCompared", requests.notCompared());
        json.writeNumberField("otherPrompt", requests.otherPrompt());
    }

    private static void worst(final JsonGenerator json, final ChangedRequest request) throws IOException
    {
        json.writeStartObject();
        json.writeNumberField("requestId", request.requestId());
        time(json, "leftMs", request.leftE2eNanos());
        time(json, "rightMs", request.rightE2eNanos());
        json.writeArrayFieldStart("changes");
        for (final String change : request.changes())
        {
            json.writeString(change);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void time(final JsonGenerator json, final String name, final long nanos) throws IOException
    {
        if (nanos < 0)
        {
            json.writeNullField(name);
        }
        else
        {
            Json.decimal(json, name, Decimals.milliseconds(nanos));
        }
    }
}
