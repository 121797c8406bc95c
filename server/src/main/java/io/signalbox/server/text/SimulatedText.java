// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.text;

import io.signalbox.ConfigException;
import io.signalbox.sim.SimulatedVocabulary;

import java.util.Arrays;
import java.util.List;

/** The text of simulated models. A conversation is one special token for each role, a text and an end token by turns. */
public final class SimulatedText implements ModelText
{
    @Override
    public int[] encode(final String text)
    {
        return SimulatedVocabulary.encode(text);
    }

    @Override
    public String decode(final int[] tokens)
    {
        return SimulatedVocabulary.decode(tokens);
    }

    @Override
    public int[] chat(final List<ChatMessage> messages)
    {
        int[] tokens = new int[256];
        int count = 0;
        for (final ChatMessage message : messages)
        {
            final int[] content = SimulatedVocabulary.encode(message.content());
            final int needed = count + content.length + 3;
            tokens = needed > tokens.length ? Arrays.copyOf(tokens, Math.max(needed, 2 * tokens.length)) : tokens;
            tokens[count++] = role(message.role());
            System.arraycopy(content, 0, tokens, count, content.length);
            count += content.length;
            tokens[count++] = SimulatedVocabulary.END;
        }
        tokens[count++] = SimulatedVocabulary.ASSISTANT;
        return Arrays.copyOf(tokens, count);
    }

    private static int role(final String role)
    {
        return switch (role)
        {
            case "system" -> SimulatedVocabulary.SYSTEM;
            case "user" -> SimulatedVocabulary.USER;
            case "assistant" -> SimulatedVocabulary.ASSISTANT;
            case "tool" -> SimulatedVocabulary.TOOL;
            default -> throw ConfigException.of("role", role, "system, user, assistant or tool", "give one of them");
        };
    }

    @Override
    public int vocabularySize()
    {
        return SimulatedVocabulary.SIZE;
    }

    @Override
    public int[] endTokens()
    {
        return new int[] {SimulatedVocabulary.END};
    }
}
