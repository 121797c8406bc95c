// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.text;

import java.util.List;
import java.util.Map;

/**
 * A conversation, and the values that the chat template of a model may read besides its messages. Values are {@code null},
 * booleans, longs, doubles, strings, lists and maps.
 *
 * @param tools       functions that the model may call.
 * @param documents   texts that the answer may use.
 * @param values      further values by name; none replaces the messages, tools or documents.
 * @param opensAnswer whether the prompt ends with the beginning of an answer.
 */
public record Conversation(
    List<ChatMessage> messages, List<Object> tools, List<Object> documents, Map<String, Object> values,
    boolean opensAnswer)
{
    /** A conversation without other values; its prompt ends with the beginning of an answer. */
    public static Conversation of(final List<ChatMessage> messages)
    {
        return new Conversation(messages, List.of(), List.of(), Map.of(), true);
    }
}
