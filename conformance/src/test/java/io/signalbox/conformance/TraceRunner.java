// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;

/** Replays the recorded traces of one format. */
interface TraceRunner
{
    /** The value in the first line of its files under {@code format}. */
    String format();

    /** @param records all lines behind the header. */
    Outcome run(JsonNode header, Iterable<JsonNode> records);
}
