// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.nio.file.Path;

/** Where the traces lie that come beside the repository and not in it. */
public final class SharedTraces
{
    private SharedTraces()
    {
    }

    public static Path conversation()
    {
        final Path root = Path.of(System.getProperty("signalbox.root", ".."));
        return root.resolve("../shared/traces/mooncake_conversation_trace.jsonl.gz").normalize();
    }
}
