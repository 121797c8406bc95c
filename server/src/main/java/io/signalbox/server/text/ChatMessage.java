// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.text;

import java.util.Map;

/**
 * A message of a conversation.
 *
 * @param role    system, user, assistant or tool.
 * @param content its text.
 * @param others  further values that a chat template may read, such as {@code tool_calls}.
 */
public record ChatMessage(String role, String content, Map<String, Object> others)
{
    /** A message of text alone. */
    public ChatMessage(final String role, final String content)
    {
        this(role, content, Map.of());
    }
}
