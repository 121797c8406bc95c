// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cpu.CpuBackend;
import io.signalbox.cpu.CpuBackendConfig;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.model.Checkpoint;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.server.ServedModel;
import io.signalbox.server.ServerConfig;
import io.signalbox.server.SignalboxServer;
import io.signalbox.server.text.SimulatedText;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code /update_weights_from_disk}: a trainer gives a running server the weights of its next checkpoint. */
@Tag("threads")
class ServedWeightsTest
{
    private static final String ANSWER = "{\"input_ids\": [3, 5, 7], \"sampling_params\": {\"max_new_tokens\": 12, " +
        "\"temperature\": 0, \"ignore_eos\": true}}";

    @TempDir
    private Path directory;
    private Path root;

    @BeforeEach
    void makeCheckpoints() throws Exception
    {
        root = Files.createDirectory(directory.resolve("root"));
        CheckpointFixture.unpack(root.resolve("base"));
        final Path file = CheckpointFixture.unpack(root.resolve("step-1")).resolve("model.safetensors");
        final byte[] bytes = Files.readAllBytes(file);
        for (int at = bytes.length / 2 & ~1; at < bytes.length; at += Short.BYTES)
        {
            bytes[at] ^= 1 << 5;
        }
        Files.write(file, bytes);
    }

    /** A server with its engine. */
    private record Running(SignalboxEngine engine, SignalboxServer server) implements AutoCloseable
    {
        private HttpResponse<String> post(final String path, final String json) throws Exception
        {
            return HttpClient.newHttpClient().send(HttpRequest.newBuilder(server.address().resolve(path))
                .POST(HttpRequest.BodyPublishers.ofString(json)).build(), HttpResponse.BodyHandlers.ofString());
        }

        private String update(final int status, final String fields) throws Exception
        {
            final HttpResponse<String> answer = post("/update_weights_from_disk", "{" + fields.replace('\'', '"') + "}");
            assertEquals(status, answer.statusCode(), answer.body());
            return answer.body();
        }

        /** The ids of an answer. */
        private String tokens() throws Exception
        {
            return post("/generate", ANSWER).body().replaceAll(".*\"output_ids\":(\\[[^]]*]).*", "$1");
        }

        @Override
        public void close()
        {
            server.close();
            engine.close();
        }
    }

    private Running start()
    {
        final ModelWeights weights = Checkpoint.open(root.resolve("base")).weights();
        final CpuBackend backend =
            new CpuBackend(ForwardModel.of(weights), new CpuBackendConfig().threads(1).weightVersion("base"));
        final ServerConfig config =
            new ServerConfig(new ServedModel(List.of("base"), 256, 2, new SimulatedText())).port(0).withoutKeys(true);
        final SignalboxEngine engine = SignalboxEngine.launch(new EngineConfig().backend(config.weightsRoot(root, backend))
            .vocabularySize(weights.plan().vocabulary()).submitWait(SignalboxServer.SUBMIT_WAIT).drainTimeout(Duration.ZERO)
            .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(65).capture(weights.plan().shape()).build())
            .runJournal(new DirectoryJournal(directory.resolve("journal"), JournalConfig.of(Durability.PROCESS))));
        return new Running(engine, SignalboxServer.launch(engine, config));
    }

    @Test
    void shouldReplaceTheWeightsInEachWayAndHaveThemAgainAfterARestart() throws Exception
    {
        final String first;
        final String second;
        try (Running running = start())
        {
            first = running.tokens();
            assertTrue(running.update(200, "'model_path': 'step-1', 'weight_version': 'policy-1'").contains("\"policy-1\""));
            second = running.tokens();
            assertNotEquals(first, second);
            for (final String way : List.of("continue", "abort", "requeue", "drain"))
            {
                assertTrue(running.update(200, "'model_path': 'base', 'way': '" + way + "'").contains("true"), way);
                assertEquals(first, running.tokens(), way);
                running.update(200, "'model_path': '" + root.resolve("step-1") + "', 'way': '" + way + "'");
                assertEquals(second, running.tokens(), way);
            }
            assertTrue(running.post("/generate", ANSWER).body().contains("\"weight_version\":\"9\""));
        }
        try (Running running = start())
        {
            assertEquals(second, running.tokens());
            running.update(200, "'model_path': 'base'");
            assertEquals(first, running.tokens());
        }
        Files.delete(root.resolve("base/model.safetensors"));
        Files.move(root.resolve("step-1/model.safetensors"), root.resolve("base/model.safetensors"));
        final ConfigException refusal = assertThrows(ConfigException.class, () -> start().close());
        assertTrue(refusal.getMessage().contains("the checkpoint base has the version"), refusal.getMessage());
    }

    @Test
    void shouldNotLeaveItsDirectory() throws IOException, Exception
    {
        CheckpointFixture.unpack(directory.resolve("outside"));
        Files.createSymbolicLink(root.resolve("link"), directory.resolve("outside"));
        Files.createSymbolicLink(root.resolve("inner"), root.resolve("base"));
        CheckpointFixture.unpack(root.resolve("linked"));
        Files.delete(root.resolve("linked/model.safetensors"));
        Files.createSymbolicLink(
            root.resolve("linked/model.safetensors"), directory.resolve("outside/model.safetensors"));
        try (Running running = start())
        {
            final String absent = running.update(400, "'model_path': 'absent'");
            for (final String name : List.of("link", "../outside", "base/../../outside", "./base", "/", ".", "a b",
                directory.resolve("outside").toString(), root.toString(), root + "/../outside", "base/config.json"))
            {
                assertEquals(absent.replace("'absent'", "'" + name + "'"),
                    running.update(400, "'model_path': '" + name + "'"));
            }
            assertTrue(running.update(400, "'model_path': ''").contains("is not a checkpoint"));
            assertTrue(running.update(400, "'model_path': 'linked'").contains("a link out of the directory"));
            assertTrue(running.update(400, "'model_path': 'base', 'way': 'requeue', 'abort_all_requests': true")
                .contains("way is requeue"));
            running.update(400, "'model_path': 'base', 'load_format': 'gguf'");
            running.update(400, "'model_path': 'base', 'flush_cache': false");
            assertEquals(0, running.engine().weightGeneration());
            running.update(200, "'model_path': 'inner'");
        }
    }
}
