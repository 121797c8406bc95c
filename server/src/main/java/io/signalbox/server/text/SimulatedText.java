// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.text;

import io.signalbox.ConfigException;
import io.signalbox.server.template.ChatTemplate;
import io.signalbox.sim.SimulatedVocabulary;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The text of simulated models. A conversation is one special token for each role, a text and an end token by turns. */
public final class SimulatedText implements ModelText
{
    private static final ChatTemplate JSON = ChatTemplate.parse("{{ values | tojson }}");

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
    public int[] encodeWhole(final String text)
    {
        return encode(text);
    }

    @Override
    public String decodeWhole(final int[] tokens)
    {
        return SimulatedVocabulary.decodeWhole(tokens);
    }

    /** Tools and documents come first, then each message with its calls; further values change nothing. */
    @Override
    public int[] chat(final Conversation conversation)
    {
        int[] tokens = {};
        if (!conversation.tools().isEmpty() || !conversation.documents().isEmpty())
        {
            tokens = with(tokens, SimulatedVocabulary.SYSTEM,
                json("tools", conversation.tools()) + json("documents", conversation.documents()));
        }
        for (final ChatMessage message : conversation.messages())
        {
            final Object calls = message.others().get("tool_calls");
            tokens = with(tokens, role(message.role()),
                message.content() + (calls instanceof List ? json("calls", (List<?>)calls) : ""));
        }
        final int[] whole = Arrays.copyOf(tokens, tokens.length + (conversation.opensAnswer() ? 1 : 0));
        if (conversation.opensAnswer())
        {
            whole[tokens.length] = SimulatedVocabulary.ASSISTANT;
        }
        return whole;
    }

    private static String json(final String name, final List<?> values)
    {
        return values.isEmpty() ? "" : name + " " + JSON.render(Map.of("values", values)) + "\n";
    }

    private static int[] with(final int[] tokens, final int role, final String content)
    {
        final int[] added = SimulatedVocabulary.encode(content);
        final int[] all = Arrays.copyOf(tokens, tokens.length + added.length + 2);
        all[tokens.length] = role;
        System.arraycopy(added, 0, all, tokens.length + 1, added.length);
        all[all.length - 1] = SimulatedVocabulary.END;
        return all;
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
