// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.text;

import java.util.Arrays;
import java.util.List;

/**
 * The text of one answer, token by token. A text is given out when no later token can change it: a character is whole, and
 * none of the stop strings can begin in it. Not thread-safe.
 */
public final class AnswerText
{
    private static final char REPLACEMENT = '\uFFFD';
    /** Tokens of a prompt before an answer, on which its first character may depend. */
    private static final int CONTEXT = 5;

    private final ModelText model;
    private final List<String> stops;
    private final Form form;
    private final int heldBack;
    private int[] window;
    /** Tokens of the window whose text is out. */
    private int read;
    private int count;
    /** Text that is not given out yet. */
    private final StringBuilder held = new StringBuilder();
    private String stop;

    /**
     * What belongs to the text of an answer.
     *
     * @param specialTokens whether special tokens do.
     * @param stop          whether the stop string or the token does that ends it.
     */
    public record Form(boolean specialTokens, boolean stop)
    {
        /** Neither. */
        public static final Form PLAIN = new Form(false, false);
    }

    /** @param stops none is empty. */
    public AnswerText(final ModelText model, final int[] prompt, final List<String> stops, final Form form)
    {
        this.model = model;
        this.stops = stops;
        this.form = form;
        heldBack = stops.stream().mapToInt(String::length).max().orElse(1) - 1;
        read = Math.min(CONTEXT, prompt.length);
        window = Arrays.copyOf(Arrays.copyOfRange(prompt, prompt.length - read, prompt.length), read + 16);
        count = read;
    }

    /** The stop string that ended the text; {@code null}: none did. */
    public String stop()
    {
        return stop;
    }

    /** Adds a token, and returns the text that is now certain, which may be empty. After a stop string it stays empty. */
    public String add(final int token)
    {
        if (count == window.length)
        {
            window = Arrays.copyOf(window, 2 * count);
        }
        window[count++] = token;
        final String known = decode(read);
        final String text = decode(count);
        if (text.length() <= known.length() || text.charAt(text.length() - 1) == REPLACEMENT)
        {
            return "";
        }
        forget();
        return take(text.substring(known.length()));
    }

    private String decode(final int length)
    {
        final int[] tokens = Arrays.copyOf(window, length);
        return form.specialTokens() ? model.decodeWhole(tokens) : model.decode(tokens);
    }

    /** Keeps the tokens on which the next text depends: those whose text came last. */
    private void forget()
    {
        System.arraycopy(window, read, window, 0, count - read);
        count -= read;
        read = count;
    }

    private String take(final String text)
    {
        if (stop != null)
        {
            return "";
        }
        held.append(text);
        int first = held.length();
        for (final String candidate : stops)
        {
            final int at = held.indexOf(candidate);
            if (at >= 0 && at < first)
            {
                first = at;
                stop = candidate;
            }
        }
        final int certain = stop == null ? wholeCharacters(held.length() - heldBack) :
            form.stop() ? first + stop.length() : first;
        final String out = held.substring(0, certain);
        held.delete(0, stop == null ? certain : held.length());
        return out;
    }

    /** The length of the held text up to there, without half a character. */
    private int wholeCharacters(final int length)
    {
        return length <= 0 ? 0 : Character.isHighSurrogate(held.charAt(length - 1)) ? length - 1 : length;
    }

    /** The rest of the text: no token follows. */
    public String end()
    {
        final String known = decode(read);
        final String text = decode(count);
        final String out = text.length() > known.length() ? take(text.substring(known.length())) : "";
        final String rest = out + held;
        held.setLength(0);
        read = count;
        return rest;
    }
}
