// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The npm package {@code openai}, if Node has it: {@code NODE_PATH} names the directory of an installation. */
@Tag("threads")
class OpenAiClientTest
{
    @Test
    void shouldServeTheClientOfOpenAi() throws Exception
    {
        assumeTrue(ends(List.of("node", "-e", "require('openai')")) == 0,
            "node or its package openai is not there; run 'npm install openai@6.49.0' and set NODE_PATH to node_modules");
        final Path script = Path.of(OpenAiClientTest.class.getResource("openai-client.cjs").toURI());
        try (RunningServer server = new RunningServer(100, config -> config))
        {
            final Process node = new ProcessBuilder("node", script.toString(), server.server().address().toString())
                .redirectErrorStream(true).start();
            final String said = new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, node.waitFor(), said);
            assertEquals("done", said.strip());
            server.await(() -> server.engine().stats().requests().running() == 0);
        }
    }

    private static int ends(final List<String> command) throws InterruptedException
    {
        try
        {
            return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start().waitFor();
        }
        catch (final IOException e)
        {
            return -1;
        }
    }
}
