// SPDX-License-Identifier: Apache-2.0
package io.signalbox.tokenizer;

import ai.djl.util.Utils;
import io.signalbox.ConfigException;
import io.signalbox.serving.TextTokenizer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The native tokenizer against a byte-level BPE that is computed here. */
@Timeout(300)
class NativeTokenizerTest
{
    private static final int[] ALPHABET =
        {'h', 'e', 'l', 'o', ' ', 'w', 'r', 'd', 'a', '\n', 0xe9, 0x20ac, 0x1f600, 0x10ffff, 0, '<', 's', '>'};

    @TempDir
    private Path directory;
    private TextTokenizer tokenizer;

    @BeforeEach
    void open() throws Exception
    {
        tokenizer = TinyTokenizer.open(directory);
    }

    @AfterEach
    void close()
    {
        if (tokenizer != null)
        {
            tokenizer.close();
        }
    }

    @Test
    void shouldEncodeAndDecodeATextByHand()
    {
        assertArrayEquals(new int[] {0, 261, 266, 2 + '!'}, tokenizer.encode("hello world!"));
        assertEquals("hello world!", tokenizer.decode(new int[] {0, 261, 266, 2 + '!', 1}), "without special tokens");
    }

    @Test
    void shouldNameADirectoryWithoutRoomForTheLibrary() throws Exception
    {
        NativeTokenizer.requireRoom(directory.resolve("not/there/yet"), 1);
        final String full = assertThrows(
            ConfigException.class, () -> NativeTokenizer.requireRoom(directory, Long.MAX_VALUE)).getMessage();
        assertTrue(full.startsWith("the tokenizer's native library cannot be unpacked to " + directory + ", which has " +
            "less than the "), full);
        assertTrue(full.endsWith(" MiB that it needs; set DJL_CACHE_DIR to a directory with room that you may write, or " +
            "give token ids."), full);
        final Path file = Files.writeString(directory.resolve("file"), "");
        final String unwritable = assertThrows(
            ConfigException.class, () -> NativeTokenizer.requireRoom(file.resolve("below"), 1)).getMessage();
        assertTrue(unwritable.contains("below, which cannot be written; set DJL_CACHE_DIR"), unwritable);
    }

    /** The file asks for at most 5 tokens; a prompt is never cut. */
    @Test
    void shouldEncodeAsDefinedAndDecodeToTheSameText()
    {
        final SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 200; i++)
        {
            final int[] points = random.ints(1 + random.nextInt(300), 0, ALPHABET.length).map(at -> ALPHABET[at]).toArray();
            final String text = new String(points, 0, points.length).replace("<s>", "s");
            final int[] tokens = tokenizer.encode(text);
            assertArrayEquals(TinyTokenizer.tokens(text), tokens);
            assertEquals(text, tokenizer.decode(tokens));
        }
    }

    /** An answer continues the text of its prompt, wherever the tokens are cut, inside of characters too. */
    @ParameterizedTest
    @ValueSource(strings = {"hello world", "\u20ac\u20ac 5", "a\ud83d\ude00b\ud83d\ude00", "\u00e9\u00e9", " w w w"})
    void shouldContinueATextWhereverItIsCut(final String text)
    {
        final int[] tokens = tokenizer.encode(text);
        for (int cut = 1; cut <= tokens.length; cut++)
        {
            final int[] before = Arrays.copyOf(tokens, cut);
            final String begun = tokenizer.decode(before).replaceAll("\ufffd+$", "");
            assertEquals(text, begun + tokenizer.continuation(before, Arrays.copyOfRange(tokens, cut, tokens.length)));
        }
    }

    @Test
    void shouldShowBytesThatAreNoCharacters()
    {
        assertEquals("a\ufffd", tokenizer.continuation(new int[] {0}, new int[] {2 + 'a', 2 + 0xe2}));
        assertEquals("\ufffdb", tokenizer.continuation(new int[] {0}, new int[] {2 + 0x80, 2 + 'b'}));
        assertEquals("", tokenizer.continuation(new int[] {0, 2 + 'a'}, new int[0]));
    }

    @Test
    void shouldRefuseHalfACharacter()
    {
        final ConfigException refused = assertThrows(ConfigException.class, () -> tokenizer.encode("a\ud83d"));
        assertEquals("the text has one half of a surrogate pair, which is no character; remove it.", refused.getMessage());
    }

    @Test
    void shouldAdviseAnotherDirectoryOnlyIfThisOneDoesNotExecute()
    {
        final String reason = directory + "/libtokenizers.so: failed to map segment from shared object";
        final String noexec = NativeTokenizer.notLoaded(reason, anywhere -> false).getMessage();
        final String other = NativeTokenizer.notLoaded(reason, anywhere -> true).getMessage();

        assertEquals("the tokenizer's native library cannot be loaded from " + directory + ", whose file system does not " +
            "allow execution (noexec); set DJL_CACHE_DIR to a directory on another file system, or give token ids.", noexec);
        assertTrue(other.endsWith(" (" + reason + "); give token ids, or use a platform for which Hugging Face's " +
            "tokenizers are built."), other);
    }

    @Test
    void shouldNeitherDownloadNorReport()
    {
        assertEquals("true", System.getProperty("ai.djl.offline"));
        assertEquals("true", System.getProperty("OPT_OUT_TRACKING"));
        assertThrows(IOException.class, () -> Utils.openUrl("https://example.org/library"));
    }
}
