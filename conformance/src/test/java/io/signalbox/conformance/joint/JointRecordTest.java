// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.joint;

import io.signalbox.engine.Completion;
import io.signalbox.engine.FinishReason;
import io.signalbox.experts.RoutedExperts;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The requests of a joint record of KV slots and routing, run with the recorded routing as the answers of the backend. Rows
 * and tokens are the recorded ones. So are the events of slots, except those that a table lists, each with its reason.
 */
class JointRecordTest
{
    private static final String EXCERPT = "granite-kv-and-routing-3-layers.jsonl.gz";
    private static final String DIFFERENCES = "granite-differences.txt";
    private static final Path WHOLE = Path.of(System.getProperty("signalbox.root"),
        "../shared/traces/moe_routing/granite3_1b_a400m_sglang_kv_and_routing.jsonl.gz");

    @Test
    void shouldReturnEveryRecordedRowAndExplainEveryOtherEvent() throws Exception
    {
        try (InputStream stream = JointRecordTest.class.getResourceAsStream("/joint/" + EXCERPT))
        {
            check(JointRecord.read(stream), 3);
        }
    }

    /** All 24 layers. */
    @Test
    void shouldReturnEveryRecordedRowOfTheWholeRecord() throws Exception
    {
        assumeTrue(Files.exists(WHOLE), () -> WHOLE + " is absent: only the excerpt of 3 layers is checked");
        try (InputStream stream = Files.newInputStream(WHOLE))
        {
            check(JointRecord.read(stream), 24);
        }
    }

    private static void check(final JointRecord joint, final int layers) throws Exception
    {
        assertEquals(layers, joint.shape().moeLayers());
        final JointReplay replay = new JointReplay(joint);
        replay.run(4, 3, 1);
        int rows = 0;
        for (final JointRecord.Request request : joint.requests)
        {
            final Completion ended = replay.ended.get(request.name());
            assertEquals(FinishReason.LENGTH, ended.reason());
            assertArrayEquals(request.output(), ended.tokens());
            final RoutedExperts experts = replay.rows.get(request.name());
            assertEquals(request.rows(), experts.rows());
            for (int position = 0; position < experts.rows(); position++)
            {
                final int width = experts.shape().rowIds();
                assertArrayEquals(joint.row(request.name(), position),
                    Arrays.copyOfRange(experts.ids(), position * width, (position + 1) * width),
                    request.name() + " at " + position);
            }
            assertEquals(0, ended.missingRows());
            rows += ended.capturedRows();
        }
        assertEquals(216, rows);
        assertEquals(String.join("\n", table().stream().map(line -> line.split(" *\\| ")[0]).toList()),
            String.join("\n", differences(joint, replay)));
    }

    /** Lines of the table: the event, and behind a bar why only one side has it. */
    private static List<String> table() throws IOException
    {
        try (InputStream stream = JointRecordTest.class.getResourceAsStream("/joint/" + DIFFERENCES))
        {
            final List<String> lines = new String(stream.readAllBytes(), StandardCharsets.UTF_8).lines()
                .filter(line -> !line.startsWith("#") && !line.isBlank()).toList();
            lines.forEach(line -> assertTrue(line.matches("[-+] .+\\| .{10,}"), () -> "a line without a reason: " + line));
            return lines;
        }
    }

    /** Events that only the record has begin with a minus, those that only the replay has with a plus. */
    private static List<String> differences(final JointRecord joint, final JointReplay replay)
    {
        final List<String> differences = new ArrayList<>();
        final TreeSet<String> names = new TreeSet<>(joint.events.keySet());
        names.addAll(replay.events.keySet());
        for (final String name : names)
        {
            EventDifference.of(joint.events.getOrDefault(name, List.of()), replay.events.getOrDefault(name, List.of()))
                .forEach(line -> differences.add(name.isEmpty() ? line : line.charAt(0) + " " + name + line.substring(1)));
        }
        return differences;
    }
}
