// SPDX-License-Identifier: Apache-2.0
package io.signalbox.serving;

import java.util.Arrays;

/** Turns text into the token ids of one model, and token ids into text. Serves one thread. */
public interface TextTokenizer extends AutoCloseable
{
    /**
     * The tokens of a text, with those that a model expects at its beginning, if any.
     *
     * @throws io.signalbox.ConfigException if the text cannot be encoded.
     */
    int[] encode(String text);

    /**
     * The tokens of a text that already contains its special tokens, such as the output of a chat template. The tokenizer
     * adds none. By default, this is {@link #encode}.
     *
     * @throws io.signalbox.ConfigException if the text cannot be encoded.
     */
    default int[] encodeWhole(final String text)
    {
        return encode(text);
    }

    /**
     * The text of tokens, without special tokens. Bytes that are no UTF-8, such as the first ones of a character whose last
     * ones are missing, become U+FFFD.
     */
    String decode(int[] tokens);

    /** The text of tokens with special tokens. By default, this is {@link #decode}. */
    default String decodeWhole(final int[] tokens)
    {
        return decode(tokens);
    }

    @Override
    void close();

    /**
     * The text that tokens add to those before them. It may differ from the text of the tokens alone: a space at their
     * beginning counts, and a character whose first bytes are in the tokens before belongs to these.
     */
    default String continuation(final int[] before, final int[] tokens)
    {
        final int context = 16;
        final int from = Math.max(0, before.length - context);
        final int known = before.length - from;
        final int[] all = Arrays.copyOfRange(before, from, before.length + tokens.length);
        System.arraycopy(tokens, 0, all, known, tokens.length);
        final String head = decode(Arrays.copyOf(all, known));
        int whole = head.length();
        while (whole > 0 && head.charAt(whole - 1) == '\uFFFD')
        {
            whole--;
        }
        final String text = decode(all);
        return text.startsWith(head.substring(0, whole)) ? text.substring(whole) : decode(tokens);
    }
}
