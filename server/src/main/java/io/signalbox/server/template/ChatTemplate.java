// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import io.signalbox.ConfigException;

import java.time.ZonedDateTime;
import java.util.Map;

/**
 * A chat template: what a model expects as the text of a conversation. Reads Jinja as Hugging Face's libraries set it up,
 * without includes, inheritance, recursive loops and methods that change values. Immutable.
 */
public final class ChatTemplate
{
    private final Statement statement;

    private ChatTemplate(final Statement statement)
    {
        this.statement = statement;
    }

    /** @throws ConfigException that names the line, if the template cannot be read. */
    public static ChatTemplate parse(final String template)
    {
        try
        {
            return new ChatTemplate(TemplateParser.parse(template));
        }
        catch (final TemplateFault e)
        {
            throw new ConfigException("the chat template cannot be read (" + e.getMessage() + "); correct it, or send " +
                "prompts as text or token ids.");
        }
        catch (final StackOverflowError e)
        {
            throw new ConfigException("the chat template is nested too deep; simplify it, or send prompts as text.");
        }
    }

    /**
     * The text of a conversation.
     *
     * @param values of {@code null}, booleans, longs, doubles, strings, lists and maps.
     * @throws ConfigException if the template refuses the conversation, or needs too many steps or characters.
     */
    public String render(final Map<String, ?> values)
    {
        final Rendering rendering = new Rendering(ZonedDateTime.now());
        try
        {
            final Scope scope = new Scope(rendering, values);
            return rendering.capture(() -> statement.run(scope));
        }
        catch (final TemplateFault e)
        {
            throw refused(e.getMessage());
        }
        catch (final StackOverflowError e)
        {
            throw refused("it is nested too deep");
        }
    }

    private static ConfigException refused(final String reason)
    {
        return new ConfigException("the model's chat template refuses the conversation (" + reason +
            "); change the messages, or send the prompt as text.");
    }
}
