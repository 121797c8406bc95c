// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.joint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.signalbox.experts.ModelShape;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/**
 * A run of an engine that recorded, at the same time, which KV slots it allocated, evicted and took back, and to which
 * experts it routed each token. One KV slot holds one token.
 */
final class JointRecord
{
    /** A request with the tokens that the model generated for it. */
    record Request(String name, int[] prompt, int[] output)
    {
        /** Positions that the model computed: all but that of the last token. */
        int rows()
        {
            return prompt.length + output.length - 1;
        }
    }

    final List<Request> requests = new ArrayList<>();
    /** Events of KV slots: per request, and those of no request under the empty name. */
    final Map<String, List<String>> events = new LinkedHashMap<>();
    private final Map<String, short[][]> rows = new HashMap<>();
    private final Map<Integer, SlotContent> slots = new HashMap<>();
    private final Map<String, Integer> allocated = new HashMap<>();
    private final Map<String, Request> byName = new HashMap<>();
    private ModelShape shape;
    private int slotCount;
    private int layers;

    /** The token whose KV a slot holds. */
    private record SlotContent(String request, int position)
    {
    }

    private JointRecord()
    {
    }

    static JointRecord read(final InputStream compressed) throws IOException
    {
        final JointRecord joint = new JointRecord();
        final ObjectMapper mapper = new ObjectMapper();
        try (BufferedReader lines = new BufferedReader(
            new InputStreamReader(new GZIPInputStream(compressed), StandardCharsets.UTF_8)))
        {
            for (String line = lines.readLine(); line != null; line = lines.readLine())
            {
                joint.add(mapper.readTree(line));
            }
        }
        return joint;
    }

    private void add(final JsonNode row)
    {
        switch (row.get("row_type").asText())
        {
            case "header" -> addHeader(row.get("provenance"));
            case "request" -> addRequest(row);
            case "kv-event" -> addEvent(row);
            case "observed-dispatch" -> addRouting(row);
            case "footer" -> checkFooter(row);
            default -> throw new IllegalArgumentException("a row of type " + row.get("row_type"));
        }
    }

    private void addHeader(final JsonNode provenance)
    {
        shape = new ModelShape(provenance.get("moe_layer_indices").size(), provenance.get("expert_count").asInt(),
            provenance.get("top_k").asInt());
        slotCount = provenance.get("kv_token_capacity").asInt();
    }

    private void addRequest(final JsonNode row)
    {
        final Request request = new Request(
            row.get("request_id").asText(), ints(row.get("input_token_ids")), ints(row.get("output_token_ids")));
        requests.add(request);
        byName.put(request.name, request);
        rows.put(request.name, new short[request.rows()][]);
    }

    private static int[] ints(final JsonNode array)
    {
        final int[] values = new int[array.size()];
        for (int i = 0; i < values.length; i++)
        {
            values[i] = array.get(i).asInt();
        }
        return values;
    }

    /** A step's routing of one token; prompt tokens and generated ones count apart. */
    private void addRouting(final JsonNode row)
    {
        final String name = row.get("request_id").asText();
        final Request request = byName.get(name);
        final boolean isPrompt = row.get("phase").asText().equals("prefill");
        final int index = row.get("token_index").asInt();
        final int position = isPrompt ? index : request.prompt.length + index;
        final int token = isPrompt ? request.prompt[index] : request.output[index];
        if (token != row.get("token_id").asInt() || rows.get(name)[position] != null)
        {
            throw new IllegalArgumentException("position " + position + " of " + name + " is not its token, or comes twice");
        }
        layers = row.get("routing").size();
        final short[] ids = new short[layers * shape.topK()];
        for (int layer = 0; layer < layers; layer++)
        {
            final JsonNode experts = row.get("routing").get(layer).get("expert_ids");
            for (int k = 0; k < shape.topK(); k++)
            {
                ids[layer * shape.topK() + k] = (short)experts.get(k).asInt();
            }
        }
        rows.get(name)[position] = ids;
    }

    private void addEvent(final JsonNode row)
    {
        final String name = row.get("request_id").isNull() ? "" : row.get("request_id").asText();
        final int[] ids = ints(row.get("token_slot_ids"));
        switch (row.get("event_kind").asText())
        {
            case "prefix-hit" -> event(name, "match " + row.get("token_count").asInt());
            case "allocation" ->
            {
                final int first = allocated.getOrDefault(name, 0);
                event(name, "allocate " + range(first, first + ids.length));
                for (int i = 0; i < ids.length; i++)
                {
                    slots.put(ids[i], new SlotContent(name, first + i));
                }
                allocated.put(name, first + ids.length);
            }
            case "preemption" ->
            {
                event(name, "preempted with " + ids.length);
                allocated.put(name, 0);
            }
            case "eviction" -> addEviction(ids);
            // Says the same as the preemption.
            case "release" -> event(name, "release " + ids.length);
            default -> throw new IllegalArgumentException("an event of kind " + row.get("event_kind"));
        }
    }

    /** The slots hold consecutive tokens of one request. */
    private void addEviction(final int[] ids)
    {
        final SlotContent first = slots.get(ids[0]);
        for (int i = 0; i < ids.length; i++)
        {
            if (!slots.get(ids[i]).equals(new SlotContent(first.request, first.position + i)))
            {
                throw new IllegalArgumentException("slot " + ids[i] + " holds " + slots.get(ids[i]));
            }
        }
        event("", "evict " + first.request + " " + range(first.position, first.position + ids.length));
    }

    private void event(final String name, final String event)
    {
        events.computeIfAbsent(name, unknown -> new ArrayList<>()).add(event);
    }

    /** Positions {@code [from, to)} in words. */
    static String range(final int from, final int to)
    {
        return to - from == 1 ? Integer.toString(from) : from + "-" + (to - 1);
    }

    private void checkFooter(final JsonNode footer)
    {
        final int dispatches = footer.get("prefill_dispatch_count").asInt() + footer.get("decode_dispatch_count").asInt();
        final int recorded = requests.stream().mapToInt(Request::rows).sum();
        if (footer.get("request_count").asInt() != requests.size() || dispatches != recorded)
        {
            throw new IllegalArgumentException("the record is cut: " + footer);
        }
    }

    /** The layers whose routing the file has. */
    ModelShape shape()
    {
        return new ModelShape(layers, shape.experts(), shape.topK());
    }

    int slotCount()
    {
        return slotCount;
    }

    /** The experts of a token, {@code [layer][k]}. */
    short[] row(final String name, final int position)
    {
        return rows.get(name)[position];
    }
}
