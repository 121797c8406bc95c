// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.nio.file.Path;

/** The formats of trace files. */
public enum TraceFormat
{
    /** One request per line; see {@link MooncakeTrace}. */
    MOONCAKE,
    /** One play of a coding agent per line; see {@link AgentPlays}. */
    AGENT,
    /** One request of a journal per line; see {@link RequestTrace}. */
    REQUESTS;

    /** By the first line, not by the name; a file that is none counts as Mooncake, whose reader says what is wrong. */
    public static TraceFormat of(final Path file)
    {
        if (JsonLines.firstLineHas(file, "requests"))
        {
            return AGENT;
        }
        return JsonLines.firstLineHas(file, "arrival_ns") ? REQUESTS : MOONCAKE;
    }
}
