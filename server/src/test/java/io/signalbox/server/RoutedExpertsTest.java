// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.TestStrength;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.WeightSwap;
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

import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Routed experts in the forms that clients read, compared with those of the journal. */
@Tag("threads")
class RoutedExpertsTest
{
    private static final String COMPLETIONS = "/v1/completions";
    private static final int CLIENTS = 12;
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

    /**
     * An answer that is to be found in the journal.
     *
     * @param isWhole whether it was not cut short.
     */
    private record Served(long requestId, int start, boolean allLayers, boolean isWhole, Decoded rows)
    {
    }

    private static RunningServer server(final Path journal)
    {
        return server(journal, 41, 1000);
    }

    private static RunningServer server(final Path journal, final int kvBlocks, final double timeScale)
    {
        return new RunningServer(timeScale, builder -> builder.kvBlocks(kvBlocks).draftTokens(2).maxRunning(8), config ->
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

    /**
     * Prompts share beginnings, so rows are inherited; blocks are few, so requests are preempted; clients leave, and the
     * weights are replaced in each way.
     */
    @Test
    void shouldBeThoseOfTheJournalInEveryForm() throws Exception
    {
        final int runs = TestStrength.count(80, 10_000);
        final List<Served> served = Collections.synchronizedList(new ArrayList<>());
        try (RunningServer server = server(directory.resolve("journal"), 17, 100))
        {
            // Twelve answers of nine blocks do not fit 16 blocks on each of two ranks.
            for (int i = 0; i < CLIENTS; i++)
            {
                server.engine().submit(
                    CompletionRequest.prompt(new int[] {i, 2, 3}).maxNewTokens(140).ignoreEos().routedExperts(-1));
            }
            final AtomicInteger next = new AtomicInteger();
            final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
            final List<Future<?>> clients = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++)
            {
                clients.add(threads.submit(() ->
                {
                    for (int run = next.getAndIncrement(); run < runs; run = next.getAndIncrement())
                    {
                        disturb(server, run);
                        serve(server, new Random(run)).ifPresent(served::add);
                    }
                    return null;
                }));
            }
            threads.shutdown();
            for (final Future<?> client : clients)
            {
                client.get();
            }
            assertTrue(server.engine().stats().requests().preemptions() > 0, "no request was preempted");
            assertTrue(server.engine().weightGeneration() > 2, "the weights were not replaced");
        }
        final Map<Long, RoutedExperts> recorded = recorded(directory.resolve("journal"));
        int inherited = 0;
        for (final Served answer : served)
        {
            final RoutedExperts rows = recorded.get(answer.requestId());
            final int whole = rows.rows() - answer.start();
            assertTrue(answer.isWhole() ? whole == answer.rows().rows() : whole >= answer.rows().rows(),
                "rows of request " + answer.requestId());
            compare(rows, answer);
            inherited += rows.count(RoutedExperts.RowState.INHERITED);
        }
        assertTrue(inherited > 0, "no row was inherited");
        assertTrue(served.stream().filter(Served::isWhole).count() > runs / 2, served.size() + " answers");
    }

    private static Map<Long, RoutedExperts> recorded(final Path journal)
    {
        final Map<Long, RoutedExperts> recorded = new HashMap<>();
        try (ReplayStart start = ReplayStart.of(journal, DpRouters.installed(), ReadProgress.NONE))
        {
            RowReplay.run(start, request ->
            {
                if (request.hasRows())
                {
                    recorded.put(request.requestId(), request.rows(0, request.computedTokens()));
                }
            });
        }
        return recorded;
    }

    /** A client asks and leaves, or a trainer replaces the weights. */
    private static void disturb(final RunningServer server, final int run) throws IOException
    {
        if (run % 10 == 3)
        {
            try (Socket socket = RawClient.open(server.uri("/")))
            {
                RawClient.send(socket, RawClient.post(COMPLETIONS, "{'prompt': [1, 7, 8, 9], 'max_tokens': 200}"));
            }
        }
        if (run % 16 == 7)
        {
            final WeightSwap[] ways = WeightSwap.values();
            server.engine().newWeights(ways[run / 16 % ways.length], "run-" + run);
        }
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

    /** Empty if new weights ended the request before anything of it was computed. */
    private Optional<Served> serve(final RunningServer server, final Random random) throws Exception
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
        if (kind == 3)
        {
            return sglang(server, prompt.toString(), length, start, tokens);
        }
        final String sampling = "'temperature': 0, 'max_tokens': " + tokens + ", 'routed_experts_prompt_start': " + start;
        final HttpResponse<String> answer = kind == 0 ?
            server.post(COMPLETIONS, "{'prompt': " + prompt + ", " + sampling + "}") :
            server.post("/inference/v1/generate", "{'token_ids': " + prompt + ", 'sampling_params': {" + sampling +
                (kind == 1 ? ", 'routed_experts_form': 'object', 'routed_experts_layers': 'all'}}" :
                    ", 'routed_experts_form': 'envelope'}}"));
        final RequestFields choice = RunningServer.choice(ok(answer), 0);
        final boolean isWhole = !"abort".equals(choice.text("finish_reason"));
        if (choice.get("routed_experts") == null)
        {
            assertFalse(isWhole, answer.body());
            return Optional.empty();
        }
        assertEquals(0L, choice.object("routed_experts_meta").get("missing"));
        final Decoded rows = kind == 0 ? npy(choice.text("routed_experts")) :
            kind == 1 ? object(choice.object("routed_experts")) : envelope(choice.text("routed_experts"));
        assertEquals(kind == 2 ? MOE_LAYERS : RunningServer.HIDDEN_LAYERS, rows.layers());
        assertEquals((long)start, choice.object("routed_experts_meta").get("start"));
        final int generated = ((Long)ok(answer).object("usage").get("completion_tokens")).intValue();
        assertTrue(!isWhole || rows.rows() == length + generated - 1 - start, answer.body());
        return Optional.of(new Served(requestId(answer), start, kind != 2, isWhole, rows));
    }

    private static Optional<Served> sglang(
        final RunningServer server, final String prompt, final int length, final int start, final int tokens)
        throws Exception
    {
        final HttpResponse<String> answer = server.post("/generate", "{'input_ids': " + prompt + ", 'sampling_params': " +
            "{'temperature': 0, 'max_new_tokens': " + tokens + "}, 'return_routed_experts': true, " +
            "'routed_experts_start_len': " + start + "}");
        final RequestFields meta = ok(answer).object("meta_info");
        if ("abort".equals(meta.object("finish_reason").text("type")))
        {
            return Optional.empty();
        }
        assertEquals(0L, meta.object("routed_experts_meta").get("missing"));
        return Optional.of(new Served(requestId(answer), start, true, true,
            slime(meta, length + ok(answer).wholes("output_ids").length)));
    }

    /** A client that joins the rows of turns joins none, and one that counts the elements counts 0. */
    @Test
    void shouldBeAnArrayWithoutRowsIfNoneIsWanted() throws Exception
    {
        try (RunningServer server = server(directory.resolve("journal")))
        {
            final String sampling = ", 'max_tokens': 1, 'ignore_eos': true, 'routed_experts_prompt_start': 3";
            for (final String form : List.of("npy", "object", "envelope"))
            {
                final RequestFields choice = RunningServer.choice(ok(server.post(COMPLETIONS,
                    "{'prompt': [1, 2, 3], 'routed_experts_form': '" + form + "'" + sampling + "}")), 0);
                assertEquals("length", choice.text("finish_reason"));
                final Decoded rows = form.equals("npy") ? npy(choice.text("routed_experts")) :
                    form.equals("object") ? object(choice.object("routed_experts")) :
                    envelope(choice.text("routed_experts"));
                assertEquals(0, rows.rows());
                assertEquals(0, rows.ids().length);
                assertEquals(0L, choice.object("routed_experts_meta").get("rows"));
            }
            final RequestFields meta = ok(server.post("/generate", "{'input_ids': [1, 2, 3], 'sampling_params': " +
                "{'max_new_tokens': 1, 'ignore_eos': true}, 'return_routed_experts': true, " +
                "'routed_experts_start_len': 3}")).object("meta_info");
            assertEquals(0, slime(meta, 4).ids().length);
        }
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

    /** A trainer that keeps a conversation needs each row once. */
    @Test
    void shouldSendASessionTheRowsThatItLacks() throws Exception
    {
        try (RunningServer server = server(directory.resolve("session")))
        {
            final int[] first = {1, 2, 3, 4, 5};
            final RequestFields one = turn(server, "s", first, 4);
            final int[] answer = one.wholes("token_ids");
            assertEquals(List.of(0L, 8L), range(one));
            final int[] second = IntStream.concat(IntStream.of(first), IntStream.concat(IntStream.of(answer),
                IntStream.of(6, 7))).toArray();
            // The last token of the first answer was not fed, so its row is new.
            assertEquals(List.of(8L, 6L), range(turn(server, "s", second, 4)));
            assertEquals(List.of(0L, 14L), range(turn(server, "another", second, 4)));
            second[3]++;
            assertEquals(List.of(3L, 11L), range(turn(server, "s", second, 4)));
            assertEquals(400, server.post(COMPLETIONS, "{'prompt': [1], 'routed_experts_new_only': true}").statusCode());
            assertEquals(400, server.post(COMPLETIONS, "{'prompt': [1], 'n': 2, 'routed_experts_new_only': true}",
                "X-Session-ID", "s").statusCode());
            server.engine().newWeights(WeightSwap.CONTINUE, "other");
            server.await(() -> server.engine().weightGeneration() == 1);
            assertEquals(0L, range(turn(server, "s", second, 4)).get(0));
        }
    }

    /** The weights come within an answer: the client has its later rows of the new ones, and none of its first rows. */
    @Test
    void shouldSendASessionAllRowsAfterAnAnswerOfTwoWeights() throws Exception
    {
        try (RunningServer server = new RunningServer(3, config -> config.routedExperts(true, true).withoutKeys(true)))
        {
            final int[] first = {1, 2, 3, 4, 5};
            final int[] second = IntStream.concat(
                IntStream.of(first), IntStream.of(turn(server, "s", first, 4).wholes("token_ids"))).toArray();
            final ExecutorService client = Executors.newSingleThreadExecutor();
            final Future<RequestFields> answer = client.submit(() -> turn(server, "s", second, 100));
            server.await(() -> server.engine().stats().steps().generatedTokens() > 14);
            server.engine().newWeights(WeightSwap.CONTINUE, "other");
            final RequestFields mixed = answer.get();
            client.shutdown();
            assertEquals(8L, range(mixed).get(0));
            assertEquals(2, mixed.object("routed_experts_meta").objects("weights").size(), "rows of both");
            final int[] third = IntStream.concat(
                IntStream.of(second), IntStream.of(mixed.wholes("token_ids"))).toArray();
            assertEquals(0L, range(turn(server, "s", third, 4)).get(0));
            assertTrue((Long)range(turn(server, "s", third, 4)).get(0) > 0, "an answer of one generation");
        }
    }

    private static RequestFields turn(
        final RunningServer server, final String session, final int[] prompt, final int tokens) throws Exception
    {
        return RunningServer.choice(ok(server.post(COMPLETIONS, "{'prompt': " + Arrays.toString(prompt) +
            ", 'max_tokens': " + tokens + ", 'ignore_eos': true, 'return_token_ids': true, " +
            "'routed_experts_new_only': true}", "X-Session-ID", session)), 0);
    }

    /** Start and count of the rows of an answer. */
    private static List<Object> range(final RequestFields choice)
    {
        final RequestFields meta = choice.object("routed_experts_meta");
        assertEquals((long)npy(choice.text("routed_experts")).rows(), meta.get("rows"));
        return List.of(meta.get("start"), meta.get("rows"));
    }

    @Test
    void shouldTellTheRowsOfABlockByItsHash() throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config -> config.routedExperts(true, false).withoutKeys(true)))
        {
            final RequestFields choice = RunningServer.choice(ok(server.post(COMPLETIONS, "{'prompt': [" + "7,".repeat(40) +
                "8], 'max_tokens': 10, 'ignore_eos': true, 'routed_experts_block_hashes': true}")), 0);
            final Decoded whole = npy(choice.text("routed_experts"));
            final List<String> hashes = choice.object("routed_experts_meta").texts("block_hashes");
            assertEquals(50 / 16, hashes.size());
            for (int i = 0; i < hashes.size(); i++)
            {
                final RequestFields block = ok(server.get("/signalbox/routed_experts/" + hashes.get(i) + "?x=%20"));
                assertEquals(16L * i, block.object("routed_experts_meta").get("start"));
                final Decoded rows = npy(block.text("routed_experts"));
                assertArrayEquals(Arrays.copyOfRange(whole.ids(), i * 16 * whole.layers() * TOP_K,
                    (i + 1) * 16 * whole.layers() * TOP_K), rows.ids());
            }
            assertEquals(MOE_LAYERS, envelope(ok(server.get("/signalbox/routed_experts/" + hashes.get(0) +
                "?routed_experts_form=envelope")).text("routed_experts")).layers());
            assertEquals(404, server.get("/signalbox/routed_experts/12ab").statusCode());
            assertEquals(400, server.get("/signalbox/routed_experts/zz").statusCode());
            assertEquals(404, server.get("/signalbox/routed_experts/").statusCode());
            assertEquals(400, server.get("/signalbox/routed_experts/1?routed_experts_form=xml").statusCode());
        }
        try (RunningServer server = new RunningServer(1000, config ->
            config.routedExperts(true, false).set(ServerConfig.ROW_CACHE_BYTES, 1000L).withoutKeys(true)))
        {
            final List<String> first = hashes(server, 1);
            assertEquals(200, server.get("/signalbox/routed_experts/" + first.get(0)).statusCode());
            final List<String> second = hashes(server, 2);
            assertEquals(200, server.get("/signalbox/routed_experts/" + second.get(0)).statusCode());
            assertEquals(404, server.get("/signalbox/routed_experts/" + first.get(0)).statusCode());
        }
    }

    private static List<String> hashes(final RunningServer server, final int token) throws Exception
    {
        return RunningServer.choice(ok(server.post(COMPLETIONS, "{'prompt': [" + (token + ",").repeat(20) +
            "8], 'max_tokens': 1, 'routed_experts_block_hashes': true}")), 0).object("routed_experts_meta")
            .texts("block_hashes");
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
