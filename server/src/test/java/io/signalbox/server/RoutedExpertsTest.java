// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.experts.RoutedExperts;
import io.signalbox.inspect.RowReplay;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.ReplayStart;
import io.signalbox.router.DpRouters;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Routed experts in the forms that clients read, compared with those of the journal. */
@Tag("threads")
class RoutedExpertsTest
{
    private static final String COMPLETIONS = "/v1/completions";
    private static final int TOP_K = RunningServer.SHAPE.topK();
    private static final int MOE_LAYERS = RunningServer.SHAPE.moeLayers();

    @TempDir
    private Path directory;

    /** Ids of rows, layers and experts as a client has decoded them. */
    private record Decoded(int rows, int layers, int[] ids)
    {
        int id(final int row, final int layer, final int k)
        {
            return ids[(row * layers + layer) * TOP_K + k];
        }
    }

    /** An answer that is to be found in the journal. */
    private record Served(long requestId, int start, boolean allLayers, Decoded rows)
    {
    }

    private static RunningServer server(final Path journal)
    {
        return new RunningServer(1000, builder -> builder.kvBlocks(41).draftTokens(2).maxRunning(8), config ->
            config.routedExperts(true, true), new DirectoryJournal(journal, JournalConfig.of(Durability.PROCESS)));
    }

    private static int[] ids(final byte[] bytes, final int offset, final int width, final boolean signed)
    {
        final ByteBuffer data = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        final int[] ids = new int[(bytes.length - offset) / width];
        for (int i = 0; i < ids.length; i++)
        {
            final int at = offset + i * width;
            ids[i] = width == 4 ? data.getInt(at) : width == 2 ? data.getShort(at) & 0xFFFF :
                signed ? data.get(at) : data.get(at) & 0xFF;
        }
        return ids;
    }

    /** As {@code numpy.load} reads it. */
    private static Decoded npy(final String text)
    {
        final byte[] bytes = Base64.getDecoder().decode(text);
        assertEquals("\u0093NUMPY\u0001\u0000", new String(bytes, 0, 8, StandardCharsets.ISO_8859_1));
        final int length = (bytes[8] & 0xFF) + (bytes[9] & 0xFF) * 256;
        assertEquals(0, (10 + length) % 64);
        final String header = new String(bytes, 10, length, StandardCharsets.US_ASCII);
        final String[] shape = header.replaceAll("(?s).*'shape': \\((.*)\\), }.*", "$1").split(", ");
        assertTrue(header.contains("'descr': '|u1', 'fortran_order': False"), header);
        return new Decoded(Integer.parseInt(shape[0]), Integer.parseInt(shape[1]), ids(bytes, 10 + length, 1, false));
    }

    /** As slime reads it: it raises unless the count of elements is this one. */
    private static Decoded slime(final RequestFields meta, final int tokens)
    {
        final byte[] bytes = Base64.getDecoder().decode(meta.text("routed_experts"));
        final int start = ((Long)meta.get("routed_experts_start_len")).intValue();
        final int rows = tokens - 1 - start;
        assertEquals(rows * RunningServer.HIDDEN_LAYERS * TOP_K * 4, bytes.length);
        return new Decoded(rows, RunningServer.HIDDEN_LAYERS, ids(bytes, 0, 4, true));
    }

    /** As SkyRL and prime-rl read it: they refuse another type, and negative ids. */
    private static Decoded object(final RequestFields object)
    {
        final int[] shape = object.wholes("shape");
        assertEquals("uint8", object.text("dtype"));
        assertEquals(TOP_K, shape[2]);
        return new Decoded(shape[0], shape[1], ids(Base64.getDecoder().decode(object.text("data")), 0, 1, false));
    }

    /** As NeMo-RL reads it. */
    private static Decoded envelope(final String text)
    {
        final String[] parts = text.split(":", 4);
        assertEquals("nrlre1", parts[0]);
        assertEquals("int8", parts[1]);
        final String[] shape = parts[2].split("x");
        return new Decoded(Integer.parseInt(shape[0]), Integer.parseInt(shape[1]),
            ids(Base64.getDecoder().decode(parts[3]), 0, 1, true));
    }

    private static long requestId(final HttpResponse<String> answer)
    {
        return Long.parseLong(answer.headers().firstValue("x-signalbox-request-id").orElseThrow());
    }

    private static RequestFields ok(final HttpResponse<String> answer)
    {
        assertEquals(200, answer.statusCode(), answer.body());
        return RunningServer.parse(answer);
    }

    /** Prompts share beginnings, so rows are inherited; blocks are few, so requests are computed again. */
    @Test
    void shouldBeThoseOfTheJournalInEveryForm() throws Exception
    {
        final List<Served> served = new ArrayList<>();
        try (RunningServer server = server(directory.resolve("journal")))
        {
            final Random random = new Random(7);
            for (int i = 0; i < 60; i++)
            {
                served.add(serve(server, random));
            }
        }
        final Map<Long, RoutedExperts> recorded = new HashMap<>();
        try (ReplayStart start = ReplayStart.of(directory.resolve("journal"), DpRouters.installed(), ReadProgress.NONE))
        {
            RowReplay.run(start, request ->
            {
                if (request.hasRows())
                {
                    recorded.put(request.requestId(), request.rows(0, request.computedTokens()));
                }
            });
        }
        int inherited = 0;
        for (final Served answer : served)
        {
            final RoutedExperts rows = recorded.get(answer.requestId());
            assertEquals(rows.rows() - answer.start(), answer.rows().rows(), "rows of request " + answer.requestId());
            compare(rows, answer);
            inherited += rows.count(RoutedExperts.RowState.INHERITED);
        }
        assertTrue(inherited > 0, "no row was inherited");
    }

    private static void compare(final RoutedExperts rows, final Served answer)
    {
        final List<Integer> moe = RunningServer.SHAPE.layerIds();
        for (int row = 0; row < answer.rows().rows(); row++)
        {
            for (int i = 0; i < answer.rows().layers() * TOP_K; i++)
            {
                final int layer = answer.allLayers() ? moe.indexOf(i / TOP_K) : i / TOP_K;
                assertEquals(layer < 0 ? 0 : rows.expert(row + answer.start(), layer, i % TOP_K),
                    answer.rows().id(row, i / TOP_K, i % TOP_K), "row " + row + " of request " + answer.requestId());
            }
        }
    }

    private Served serve(final RunningServer server, final Random random) throws Exception
    {
        final int length = 1 + random.nextInt(60);
        final StringBuilder prompt = new StringBuilder("[1");
        for (int i = 1; i < length; i++)
        {
            prompt.append(", ").append(i < 40 ? 7 + i % 3 : random.nextInt(500));
        }
        prompt.append(']');
        final int start = random.nextInt(length + 1);
        final int tokens = 1 + random.nextInt(20);
        final int kind = random.nextInt(4);
        final String start0 = "'routed_experts_prompt_start': " + start;
        final String sampling = "'temperature': 0, 'max_tokens': " + tokens + ", " + start0;
        if (kind == 0)
        {
            final HttpResponse<String> answer = server.post(COMPLETIONS, "{'prompt': " + prompt + ", " + sampling + "}");
            return new Served(requestId(answer), start, true,
                npy(RunningServer.choice(ok(answer), 0).text("routed_experts")));
        }
        if (kind == 1)
        {
            final HttpResponse<String> answer = server.post("/inference/v1/generate", "{'token_ids': " + prompt +
                ", 'sampling_params': {" + sampling + ", 'routed_experts_form': 'object', 'routed_experts_layers': 'all'}}");
            final RequestFields rows = RunningServer.choice(ok(answer), 0).object("routed_experts");
            assertEquals((long)start, rows.get("start"));
            return new Served(requestId(answer), start, true, object(rows));
        }
        if (kind == 2)
        {
            final HttpResponse<String> answer = server.post("/inference/v1/generate", "{'token_ids': " + prompt +
                ", 'sampling_params': {" + sampling + ", 'routed_experts_form': 'envelope'}}");
            final Decoded rows = envelope(RunningServer.choice(ok(answer), 0).text("routed_experts"));
            assertEquals(MOE_LAYERS, rows.layers());
            return new Served(requestId(answer), start, false, rows);
        }
        final HttpResponse<String> answer = server.post("/generate", "{'input_ids': " + prompt + ", 'sampling_params': " +
            "{'temperature': 0, 'max_new_tokens': " + tokens + "}, 'return_routed_experts': true, " +
            "'routed_experts_start_len': " + start + "}");
        return new Served(requestId(answer), start, true,
            slime(ok(answer).object("meta_info"), length + ok(answer).wholes("output_ids").length));
    }

    @Test
    void shouldEndWithTheStopStringOfTheAnswer() throws Exception
    {
        try (RunningServer server = server(directory.resolve("stopped")))
        {
            final String request = "{'prompt': [1, 2, 3], 'max_tokens': 20, 'temperature': 0";
            final String text = RunningServer.choice(ok(server.post(COMPLETIONS, request + "}")), 0).text("text");
            final RequestFields stopped = ok(server.post(
                COMPLETIONS, request + ", 'stop': '" + text.substring(30, 35) + "', 'return_token_ids': true}"));
            final RequestFields choice = RunningServer.choice(stopped, 0);
            assertEquals("stop", choice.text("finish_reason"));
            assertEquals(3 + choice.wholes("token_ids").length - 1, npy(choice.text("routed_experts")).rows());
            final RequestFields meta = choice.object("routed_experts_meta");
            assertEquals(0L, meta.get("missing"));
            assertEquals(meta.get("rows"), (Long)meta.get("captured") + (Long)meta.get("inherited"));
            assertEquals(0L, meta.objects("weights").get(0).get("generation"));
        }
    }

    @Test
    void shouldBeOnTheLastChunkOfAStream() throws Exception
    {
        try (RunningServer server = server(directory.resolve("stream")))
        {
            final List<RequestFields> events =
                server.events(COMPLETIONS, "{'prompt': [1, 2, 3], 'max_tokens': 5, 'stream': true}");
            final RequestFields last = RunningServer.choice(events.get(events.size() - 1), 0);
            assertEquals(7, npy(last.text("routed_experts")).rows());
            assertNull(RunningServer.choice(events.get(0), 0).get("routed_experts"));
        }
        try (RunningServer server = new RunningServer(1000, config -> config.routedExperts(true, false)))
        {
            final List<RequestFields> events =
                server.events(COMPLETIONS, "{'prompt': [1, 2, 3], 'max_tokens': 5, 'stream': true}");
            assertNull(RunningServer.choice(events.get(events.size() - 1), 0).get("routed_experts"));
            assertEquals(400, server.post(COMPLETIONS, "{'prompt': [1], 'routed_experts_prompt_start': 2}").statusCode());
            assertEquals(400, server.post(COMPLETIONS, "{'prompt': [1], 'routed_experts_form': 'lists'}").statusCode());
            assertEquals(0, server.engine().untakenRows().requests(), "rows are taken, or released");
        }
    }
}
