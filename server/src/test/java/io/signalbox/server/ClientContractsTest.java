// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/**
 * What each client of the field sends and gets, as recorded in {@code client-contracts.jsonl}: a line is a client, a path,
 * a request and the answer. {@code -Dsignalbox.write=true} records the answers again; read the difference before you commit
 * it. A stream has one token, because tokens that come together are one event.
 */
@Tag("threads")
class ClientContractsTest
{
    private static final Path FILE = Path.of(System.getProperty("signalbox.root"),
        "server/src/test/resources/io/signalbox/server/client-contracts.jsonl");
    private static final String ANSWER = ",\"status\":";

    @Test
    void shouldAnswerEachClientAsRecorded() throws Exception
    {
        final List<String> recorded = Files.readAllLines(FILE, StandardCharsets.UTF_8);
        final List<String> answered = new ArrayList<>();
        try (RunningServer server = new RunningServer(1000, config -> config.routedExperts(true, true)))
        {
            for (final String line : recorded)
            {
                final String pair = line.contains(ANSWER) ? line.substring(0, line.indexOf(ANSWER)) + "}" : line;
                final RequestFields asked = RequestFields.parse(pair.getBytes(StandardCharsets.UTF_8));
                final String field = "\"request\":";
                final String body = pair.substring(pair.indexOf(field) + field.length(), pair.length() - 1);
                final HttpResponse<String> answer = server.post(asked.text("path"), body, "X-Request-Id", "call-1");
                answered.add(pair.substring(0, pair.length() - 1) + ANSWER + answer.statusCode() + ",\"answer\":" +
                    settled(answer.body()) + "}");
            }
        }
        assertFalse(answered.isEmpty());
        if (Boolean.getBoolean("signalbox.write"))
        {
            Files.write(FILE, answered);
        }
        assertEquals(String.join("\n", recorded), String.join("\n", answered));
    }

    /** Times differ from run to run. A stream becomes a list of its events. */
    private static String settled(final String body)
    {
        final String json = !body.startsWith("data: ") ? body : "[" + body.strip().replace("data: [DONE]", "\"[DONE]\"")
            .replace("\n\ndata: ", ",").replace("\n\n", ",").replaceFirst("^data: ", "") + "]";
        return json.replaceAll("\"created\":\\d+", "\"created\":0")
            .replaceAll("\"e2e_latency\":[0-9.E-]+", "\"e2e_latency\":0");
    }
}
