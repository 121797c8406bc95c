// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.printing.Asked;
import io.signalbox.printing.JournalFacts;
import io.signalbox.printing.Json;
import io.signalbox.printing.ReportJson;
import io.signalbox.report.RunReport;
import io.signalbox.report.WallClock;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** The report of {@code run} as JSON: how the prompts ended, and the report that a simulation has too. */
public final class ServedJson
{
    private static final String SCHEMA = "signalbox.run/1";

    private ServedJson()
    {
    }

    /**
     * @param journal    {@code null} if none was written.
     * @param incomplete prompts without a complete answer.
     * @param failed     the first prompts that failed.
     */
    public static String text(
        final Map<String, String> settings, final RunReport report, final JournalFacts journal, final WallClock wallClock,
        final int prompts, final int incomplete, final List<PromptAnswer> failed)
    {
        return Json.text(SCHEMA, json ->
        {
            json.writeNumberField("prompts", prompts);
            json.writeNumberField("incomplete", incomplete);
            failures(json, failed);
            Json.object(json, "report",
                body -> ReportJson.write(json, settings, report, new Asked(0, 0), journal, wallClock));
        });
    }

    private static void failures(final JsonGenerator json, final List<PromptAnswer> failed) throws IOException
    {
        json.writeArrayFieldStart("failures");
        for (final PromptAnswer answer : failed)
        {
            json.writeStartObject();
            json.writeStringField("id", answer.id());
            json.writeStringField("failure", answer.failure());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
