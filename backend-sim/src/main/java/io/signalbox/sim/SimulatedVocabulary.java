// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * The vocabulary of simulated models: every text has tokens, every token has a text, and decoding the tokens of a text gives
 * the text. The first tokens are the 256 bytes of UTF-8 and the special tokens; then come all groups of three lower-case
 * letters or spaces, and made-up words of two or three syllables after a space. The longest token that fits is taken from
 * left to right. Answers consist of words, so an answer that returns in the next prompt has the same tokens again.
 */
public final class SimulatedVocabulary
{
    /** Token ids are below it. */
    public static final int SIZE = 1 << 18;

    /** Ends an answer, and a message of a conversation. */
    public static final int END = 256;
    public static final int SYSTEM = 257;
    public static final int USER = 258;
    public static final int ASSISTANT = 259;
    public static final int TOOL = 260;

    /** From {@link #END} on. */
    private static final List<String> SPECIAL = List.of("<|end|>", "<|system|>", "<|user|>", "<|assistant|>", "<|tool|>");
    private static final int FIRST_GROUP = 512;
    private static final int LETTERS = 27;
    private static final int GROUP = 3;
    private static final int GROUPS = LETTERS * LETTERS * LETTERS;
    private static final byte[] CONSONANTS = "bdfghjklmnprstvz".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] VOWELS = "aeiou".getBytes(StandardCharsets.US_ASCII);
    private static final int SYLLABLES = CONSONANTS.length * VOWELS.length;
    private static final int FIRST_WORD = FIRST_GROUP + GROUPS;
    private static final int WORDS = SYLLABLES * SYLLABLES;
    private static final int FIRST_LONG_WORD = FIRST_WORD + WORDS;
    private static final int LONG_WORDS = SIZE - FIRST_LONG_WORD;
    private static final int LONG_WORD_BYTES = 7;
    /** Of the text or the name of a token. */
    private static final int MAX_BYTES = 16;
    private static final int NONE = -1;

    private SimulatedVocabulary()
    {
    }

    /** A word of two syllables, chosen by the remainder of the number. */
    static int word(final long number)
    {
        return FIRST_WORD + (int)Long.remainderUnsigned(number, WORDS);
    }

    /** The tokens of a text; it never has special tokens. */
    public static int[] encode(final String text)
    {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        final int[] tokens = new int[bytes.length];
        int count = 0;
        int at = 0;
        while (at < bytes.length)
        {
            final int token = longestAt(bytes, at);
            tokens[count++] = token;
            at += length(token);
        }
        return Arrays.copyOf(tokens, count);
    }

    private static int longestAt(final byte[] bytes, final int at)
    {
        if (bytes[at] == ' ')
        {
            final int first = syllable(bytes, at + 1);
            final int second = first == NONE ? NONE : syllable(bytes, at + 3);
            if (second != NONE)
            {
                final int word = first * SYLLABLES + second;
                final int third = syllable(bytes, at + 5);
                return third == NONE || word * SYLLABLES + third >= LONG_WORDS ? FIRST_WORD + word :
                    FIRST_LONG_WORD + word * SYLLABLES + third;
            }
        }
        final int group = group(bytes, at);
        return group == NONE ? bytes[at] & 0xFF : FIRST_GROUP + group;
    }

    private static int group(final byte[] bytes, final int at)
    {
        int group = at + GROUP <= bytes.length ? 0 : NONE;
        for (int i = at; i < at + GROUP && group != NONE; i++)
        {
            final int letter = bytes[i] == ' ' ? LETTERS - 1 : bytes[i] - 'a';
            group = letter < 0 || letter >= LETTERS || bytes[i] == '{' ? NONE : group * LETTERS + letter;
        }
        return group;
    }

    private static int syllable(final byte[] bytes, final int at)
    {
        final int consonant = at + 1 < bytes.length ? Arrays.binarySearch(CONSONANTS, bytes[at]) : NONE;
        final int vowel = consonant < 0 ? NONE : Arrays.binarySearch(VOWELS, bytes[at + 1]);
        return vowel < 0 ? NONE : consonant * VOWELS.length + vowel;
    }

    /** Bytes of the text of a token. */
    private static int length(final int token)
    {
        return token < FIRST_GROUP ? 1 : token < FIRST_WORD ? GROUP : token < FIRST_LONG_WORD ? 5 : LONG_WORD_BYTES;
    }

    /** The text of tokens; special tokens have none. Bytes that are no UTF-8 become U+FFFD. */
    public static String decode(final int[] tokens)
    {
        return decode(tokens, false);
    }

    /** The text of tokens in which a special token is its name, such as {@code <|end|>}. */
    public static String decodeWhole(final int[] tokens)
    {
        return decode(tokens, true);
    }

    private static String decode(final int[] tokens, final boolean special)
    {
        final byte[] text = new byte[MAX_BYTES * tokens.length];
        int length = 0;
        for (final int token : tokens)
        {
            final boolean isSpecial = special && token >= END && token < END + SPECIAL.size();
            length = isSpecial ? putName(SPECIAL.get(token - END), text, length) : put(token, text, length);
        }
        return new String(text, 0, length, StandardCharsets.UTF_8);
    }

    /** The methods that put something return the place behind it. */
    private static int put(final int token, final byte[] text, final int at)
    {
        if (token >= FIRST_LONG_WORD)
        {
            final int word = token - FIRST_LONG_WORD;
            return putSyllable(word % SYLLABLES, text, putWord(word / SYLLABLES, text, at));
        }
        if (token >= FIRST_WORD)
        {
            return putWord(token - FIRST_WORD, text, at);
        }
        if (token >= FIRST_GROUP)
        {
            final int group = token - FIRST_GROUP;
            text[at] = letter(group / LETTERS / LETTERS);
            text[at + 1] = letter(group / LETTERS % LETTERS);
            text[at + 2] = letter(group % LETTERS);
            return at + GROUP;
        }
        if (token < END)
        {
            text[at] = (byte)token;
            return at + 1;
        }
        return at;
    }

    private static int putName(final String name, final byte[] text, final int at)
    {
        final byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, text, at, bytes.length);
        return at + bytes.length;
    }

    private static byte letter(final int letter)
    {
        return (byte)(letter == LETTERS - 1 ? ' ' : 'a' + letter);
    }

    private static int putWord(final int word, final byte[] text, final int at)
    {
        text[at] = ' ';
        return putSyllable(word % SYLLABLES, text, putSyllable(word / SYLLABLES, text, at + 1));
    }

    private static int putSyllable(final int syllable, final byte[] text, final int at)
    {
        text[at] = CONSONANTS[syllable / VOWELS.length];
        text[at + 1] = VOWELS[syllable % VOWELS.length];
        return at + 2;
    }
}
