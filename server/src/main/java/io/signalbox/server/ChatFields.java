// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.server.template.JsonValues;
import io.signalbox.server.text.ChatMessage;
import io.signalbox.server.text.Conversation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The fields of a request with messages that become its prompt. */
final class ChatFields
{
    static final String MESSAGES = "messages";

    private static final int MAX_MESSAGES = 10_000;
    private static final int MAX_TOOLS = 1024;
    private static final String CALLS = "tool_calls";
    private static final String ARGUMENTS = "arguments";
    private static final String FUNCTION = "function";
    /** Fields of a message that chat templates read. */
    private static final List<String> OF_MESSAGE = List.of("name", "tool_call_id", "reasoning_content", "reasoning");

    private ChatFields()
    {
    }

    /** @throws ApiError that names a field that is not allowed. */
    static Conversation conversation(final RequestFields fields)
    {
        final Map<String, Object> values = fields.object("chat_template_kwargs").values();
        final boolean opens = fields.get("add_generation_prompt") == null || fields.flag("add_generation_prompt");
        return new Conversation(messages(fields), tools(fields), documents(fields), values, opens);
    }

    private static List<ChatMessage> messages(final RequestFields fields)
    {
        final List<RequestFields> given = fields.objects(MESSAGES);
        if (given == null || given.isEmpty() || given.size() > MAX_MESSAGES)
        {
            throw ApiError.badRequest(MESSAGES, "messages is absent, empty or too long; give 1 to " + MAX_MESSAGES +
                " messages, each with role and content");
        }
        final List<ChatMessage> messages = new ArrayList<>();
        for (final RequestFields message : given)
        {
            final Map<String, Object> others = new LinkedHashMap<>();
            for (final String name : OF_MESSAGE)
            {
                final String value = message.text(name);
                if (value != null)
                {
                    others.put(name, value);
                }
            }
            final List<Object> calls = calls(message);
            if (!calls.isEmpty())
            {
                others.put(CALLS, calls);
            }
            messages.add(new ChatMessage(role(message), content(message), others));
        }
        return messages;
    }

    private static String role(final RequestFields message)
    {
        final String role = message.text("role");
        return switch (role == null ? "" : role)
        {
            case "system", "developer" -> "system";
            case "user", "assistant", "tool" -> role;
            default -> throw message.refused("role", "system, developer, user, assistant or tool");
        };
    }

    /** A string, or parts of type text, which are lines as in vLLM. */
    private static String content(final RequestFields message)
    {
        final Object content = message.get("content");
        if (content == null || content instanceof String)
        {
            return content == null ? "" : (String)content;
        }
        final List<String> lines = new ArrayList<>();
        for (final RequestFields part : message.objects("content"))
        {
            if (!"text".equals(part.get("type")))
            {
                throw part.refused("type", "text, the only kind of part that this server supports");
            }
            lines.add(String.valueOf(part.text("text")));
        }
        return String.join("\n", lines);
    }

    /** Templates read the arguments of a call as an object, while clients send its JSON. */
    private static List<Object> calls(final RequestFields message)
    {
        final List<Object> calls = new ArrayList<>();
        final List<RequestFields> given = message.objects(CALLS);
        for (final RequestFields call : given == null ? List.<RequestFields>of() : given)
        {
            final RequestFields function = call.object(FUNCTION);
            final Map<String, Object> named = new LinkedHashMap<>(function.values());
            named.put("name", name(function));
            named.put(ARGUMENTS, arguments(function));
            final Map<String, Object> values = new LinkedHashMap<>(call.values());
            values.put(FUNCTION, named);
            calls.add(values);
        }
        return calls;
    }

    private static String name(final RequestFields function)
    {
        final String name = function.text("name");
        if (name == null || name.isEmpty())
        {
            throw function.refused("name", "the name of a function");
        }
        return name;
    }

    private static Map<String, Object> arguments(final RequestFields function)
    {
        final Object given = function.get(ARGUMENTS);
        if (!(given instanceof String))
        {
            return function.object(ARGUMENTS).values();
        }
        try
        {
            return ((String)given).isBlank() ? Map.of() :
                JsonValues.object(((String)given).getBytes(StandardCharsets.UTF_8));
        }
        catch (final IOException e)
        {
            throw function.refused(ARGUMENTS, "a JSON object, as a string or as itself");
        }
    }

    private static List<Object> tools(final RequestFields fields)
    {
        final List<RequestFields> given = fields.objects("tools");
        final List<Object> tools = new ArrayList<>();
        if (given != null && given.size() > MAX_TOOLS)
        {
            throw ApiError.badRequest("tools", "tools has " + given.size() + " tools; give up to " + MAX_TOOLS);
        }
        for (final RequestFields tool : given == null ? List.<RequestFields>of() : given)
        {
            if (!FUNCTION.equals(tool.get("type")))
            {
                throw tool.refused("type", "function, the only kind of tool");
            }
            name(tool.object(FUNCTION));
            tools.add(tool.values());
        }
        return tools;
    }

    private static List<Object> documents(final RequestFields fields)
    {
        final List<RequestFields> given = fields.objects("documents");
        return given == null ? List.of() : given.stream().<Object>map(RequestFields::values).toList();
    }
}
