// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.nio.file.Path;

/** The directory of traces that are not in the repository. */
public final class SharedTraces
{
    private SharedTraces()
    {
    }

    public static Path conversation()
    {
        return file("mooncake_conversation_trace.jsonl.gz");
    }

    public static Path agents()
    {
        return file("claude_code_agent_traces_A.jsonl.gz");
    }

    private static Path file(final String name)
    {
        final Path root = Path.of(System.getProperty("signalbox.root", ".."));
        return root.resolve("../shared/traces").resolve(name).normalize();
    }
}
