// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

/**
 * A word of a template.
 *
 * @param text of a name, a number or a sign as it is written; of a string what it stands for.
 */
record TemplateToken(Kind kind, String text, int line)
{
    /** What a word is. */
    enum Kind
    {
        TEXT, VARIABLE, VARIABLE_END, BLOCK, BLOCK_END, NAME, STRING, WHOLE, REAL, SIGN, END
    }

    boolean is(final Kind other, final String word)
    {
        return kind == other && text.equals(word);
    }

    /** The word as a sentence names it. */
    String named()
    {
        return switch (kind)
        {
            case END -> "the end of the template";
            case TEXT -> "text";
            default -> "'" + text + "'";
        };
    }
}
