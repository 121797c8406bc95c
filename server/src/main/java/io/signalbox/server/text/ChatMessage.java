// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.text;

/**
 * A message of a conversation.
 *
 * @param role    system, user, assistant or tool.
 * @param content its text.
 */
public record ChatMessage(String role, String content)
{
}
