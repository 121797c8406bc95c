// SPDX-License-Identifier: Apache-2.0
package io.signalbox.tokenizer;

import io.signalbox.ConfigException;
import io.signalbox.serving.TextTokenizer;
import org.junit.jupiter.api.Assumptions;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A byte-level BPE of 272 tokens, made by hand: two special tokens, all bytes, 14 merges. And the same by definition. */
final class TinyTokenizer
{
    static final int VOCABULARY = 272;
    static final int BEGIN = 0;
    private static final int BYTES = 2;
    /** The tokens that each further token joins. */
    private static final int[][] MERGES = {
        {BYTES + 'h', BYTES + 'e'}, {BYTES + 'l', BYTES + 'l'}, {258, 259}, {260, BYTES + 'o'}, {BYTES + ' ', BYTES + 'w'},
        {BYTES + 'o', BYTES + 'r'}, {262, 263}, {BYTES + 'l', BYTES + 'd'}, {264, 265}, {BYTES + 0xc3, BYTES + 0xa9},
        {BYTES + 0xf0, BYTES + 0x9f}, {BYTES + 0xe2, BYTES + 0x82}, {BYTES + 'a', BYTES + 'a'}, {270, 270}};

    private TinyTokenizer()
    {
    }

    /** Its file as text. */
    static String json()
    {
        try (InputStream source = TinyTokenizer.class.getResourceAsStream("tokenizer.json"))
        {
            return new String(source.readAllBytes(), StandardCharsets.UTF_8);
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** Opens it; skips the test on a platform without the native library. */
    static TextTokenizer open(final Path directory) throws IOException
    {
        assumeLibrary();
        return new HuggingFaceProvider().open(Files.writeString(directory.resolve("tokenizer.json"), json()), VOCABULARY);
    }

    static void assumeLibrary()
    {
        try
        {
            NativeTokenizer.requireLibrary();
        }
        catch (final ConfigException e)
        {
            Assumptions.abort("skipped: " + e.getMessage());
        }
    }

    /** The tokens of a text: its bytes, of which the pair with the earliest merge is joined until there is none. */
    static int[] tokens(final String text)
    {
        final List<Integer> tokens = new ArrayList<>();
        for (final byte unit : text.getBytes(StandardCharsets.UTF_8))
        {
            tokens.add(BYTES + (unit & 0xff));
        }
        for (int merge = earliest(tokens); merge >= 0; merge = earliest(tokens))
        {
            for (int i = 0; i + 1 < tokens.size(); i++)
            {
                if (joins(tokens, i, merge))
                {
                    tokens.set(i, BYTES + 256 + merge);
                    tokens.remove(i + 1);
                }
            }
        }
        tokens.add(0, BEGIN);
        return tokens.stream().mapToInt(token -> token).toArray();
    }

    private static int earliest(final List<Integer> tokens)
    {
        for (int merge = 0; merge < MERGES.length; merge++)
        {
            for (int i = 0; i + 1 < tokens.size(); i++)
            {
                if (joins(tokens, i, merge))
                {
                    return merge;
                }
            }
        }
        return -1;
    }

    private static boolean joins(final List<Integer> tokens, final int at, final int merge)
    {
        return tokens.get(at) == MERGES[merge][0] && tokens.get(at + 1) == MERGES[merge][1];
    }
}
