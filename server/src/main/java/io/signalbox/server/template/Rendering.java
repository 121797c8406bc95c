// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import java.time.ZonedDateTime;

/** One rendering: its output and what it may still use. */
final class Rendering
{
    /** Of one text or list, and of the output. */
    static final int MOST_CHARACTERS = 16 << 20;
    private static final long MOST_STEPS = 20_000_000;
    private static final int CHARACTERS_OF_STEP = 16;
    private static final int MOST_DEPTH = 200;

    private final ZonedDateTime now;
    private StringBuilder out = new StringBuilder();
    private long steps;
    private int depth;

    Rendering(final ZonedDateTime now)
    {
        this.now = now;
    }

    ZonedDateTime now()
    {
        return now;
    }

    /** @throws TemplateFault if the rendering takes too long. */
    void step(final long count)
    {
        steps += count;
        if (steps > MOST_STEPS)
        {
            throw new TemplateFault("the template needs more than " + MOST_STEPS + " steps");
        }
    }

    /** @throws TemplateFault if a text or a list is too long; its characters also count as steps. */
    void length(final long characters)
    {
        if (characters > MOST_CHARACTERS)
        {
            throw new TemplateFault("the template makes a value of more than " + MOST_CHARACTERS + " characters");
        }
        step(characters / CHARACTERS_OF_STEP + 1);
    }

    void write(final String text)
    {
        if ((long)out.length() + text.length() > MOST_CHARACTERS)
        {
            throw new TemplateFault("the template writes more than " + MOST_CHARACTERS + " characters");
        }
        step(text.length() / CHARACTERS_OF_STEP + 1);
        out.append(text);
    }

    /** What the statement writes. */
    String capture(final Runnable statement)
    {
        final StringBuilder outer = out;
        out = new StringBuilder();
        try
        {
            statement.run();
            return out.toString();
        }
        finally
        {
            out = outer;
        }
    }

    void enter()
    {
        depth++;
        if (depth > MOST_DEPTH)
        {
            throw new TemplateFault("the template calls itself more than " + MOST_DEPTH + " times");
        }
    }

    void leave()
    {
        depth--;
    }
}
