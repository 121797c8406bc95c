// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The examples of docs/serving.md that are written in Python. */
@Tag("threads")
class PythonExamplesTest
{
    private static final Path EXAMPLES = Path.of(System.getProperty("signalbox.root"), "docs/examples");

    @TempDir
    private Path weights;

    @BeforeAll
    static void requireNumpy() throws IOException, InterruptedException
    {
        boolean isThere = false;
        try
        {
            isThere = new ProcessBuilder("python3", "-c", "import numpy").redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
        }
        catch (final IOException e)
        {
            // Absent too.
        }
        assumeTrue(isThere, "python3 or its package numpy is absent, so the examples of docs/examples are not run; " +
            "install numpy by 'pip install numpy'");
    }

    private String output(final String example, final String... arguments) throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config ->
            config.routedExperts(true, false).withoutKeys(true).weightsRoot(weights)))
        {
            final List<String> command = new ArrayList<>(
                List.of("python3", EXAMPLES.resolve(example).toString(), server.server().address().toString()));
            command.addAll(List.of(arguments));
            final Process python = new ProcessBuilder(command).redirectErrorStream(true).start();
            final String text = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, python.waitFor(), text);
            return text;
        }
    }

    @Test
    void shouldReadRoutedExpertsIntoNumpy() throws Exception
    {
        final String text = output("read_routed_experts.py");
        assertTrue(text.matches("rows, layers, experts: \\(\\d+, 6, 2\\) uint8\nmissing rows: 0\n" +
            "as the server pads them: True\n"), text);
    }

    @Test
    void shouldRollOutAndReplaceTheWeights() throws Exception
    {
        final List<String> lines = output("rollout_loop.py", weights.toString()).lines().toList();
        assertEquals(3, lines.size(), lines.toString());
        for (int step = 0; step < lines.size(); step++)
        {
            final String version = step == 0 ? "0" : "step-" + (step - 1);
            assertTrue(lines.get(step).matches(
                "step " + step + ": 16 rollouts, \\d{3,4} rows, weights \\['" + version + "']"), lines.toString());
        }
    }
}
