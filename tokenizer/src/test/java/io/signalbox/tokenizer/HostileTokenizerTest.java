// SPDX-License-Identifier: Apache-2.0
package io.signalbox.tokenizer;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Whatever is wrong with a tokenizer.json ends in one sentence that names the file. */
@Timeout(300)
class HostileTokenizerTest
{
    @TempDir
    private Path directory;

    private void assertRefused(final String json, final int vocabulary, final String sentence) throws IOException
    {
        final Path file = Files.writeString(directory.resolve("tokenizer.json"), json);
        assertSentence(file, vocabulary, sentence);
    }

    private static void assertSentence(final Path file, final int vocabulary, final String sentence)
    {
        final String message = assertThrows(ConfigException.class,
            () -> new TokenizerFile(file, vocabulary).read()).getMessage();
        assertTrue(message.startsWith("the tokenizer " + file) && message.contains(sentence), message);
        assertTrue(message.matches("[^;]+; [^;]+\\."), message);
    }

    @Test
    void shouldAcceptTheVocabularyOfTheModelAndNoSmallerOne() throws IOException
    {
        final Path file = Files.writeString(directory.resolve("tokenizer.json"), TinyTokenizer.json());
        assertTrue(new TokenizerFile(file, TinyTokenizer.VOCABULARY).read().length > 0);
        assertSentence(file, TinyTokenizer.VOCABULARY - 1, "with the id 271, and the model's vocabulary ends at 270");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
        "[1]|is not a JSON object",
        "{\"model\": {\"vocab\": {\"a\": 0}}|is not valid JSON",
        "{\"model\": {\"vocab\": {\"a\": 0}}} {}|has something after its JSON object",
        "{\"model\": {\"vocab\": {\"a\": 0, \"a\": 1}}}|is not valid JSON (Duplicate",
        "{\"model\": {\"vocab\": {\"a\": 0, \"b\": 0}}}|has the id 0 twice, the second time for the token 'b'",
        "{\"model\": {\"vocab\": {\"a\": -1}}}|'a' with an id that is no whole number from 0",
        "{\"model\": {\"vocab\": {\"a\": 99999999999999999999}}}|an id that is no whole number",
        "{\"model\": {\"vocab\": {\"a\": 4294967296}}}|with the id 4294967296, and the model's vocabulary ends at 271",
        "{\"model\": {\"vocab\": {\"a\": 1.5}}}|an id that is no whole number",
        "{\"model\": {\"vocab\": 7}}|has a 'vocab' that is no object",
        "{\"model\": 7}|has a 'model' that is no object",
        "{\"model\": {\"type\": \"BPE\"}}|has no 'model' with a 'vocab'",
        "{\"version\": \"1.0\"}|has no 'model' with a 'vocab'",
        "{\"model\": {\"type\": \"Magic\", \"vocab\": {\"a\": 0}}}|of the type 'Magic', which is none of BPE, Unigram",
        "{\"added_tokens\": [{\"id\": 272}], \"model\": {\"vocab\": {\"a\": 0}}}|'an added one' with the id 272",
        "{\"added_tokens\": {}, \"model\": {\"vocab\": {\"a\": 0}}}|has a 'added_tokens' that is no list"})
    void shouldRefuseADamagedFile(final String json, final String sentence) throws IOException
    {
        assertRefused(json, TinyTokenizer.VOCABULARY, sentence);
    }

    @Test
    void shouldRefuseDeepAndLongAndAbsentFiles() throws IOException
    {
        assertRefused("{\"a\":".repeat(5000), 9, "is not valid JSON");
        assertSentence(directory.resolve("absent"), 9, "does not exist");
        assertSentence(directory, 9, "is not a regular file");
        final Path huge = directory.resolve("long.json");
        Files.write(huge, new byte[TokenizerFile.MAX_BYTES + 1]);
        assertSentence(huge, 9, "has 67108865 bytes, above 67108864");
    }

    /** The native reader refuses what the checks before it let through, and never ends the process. */
    @Test
    void shouldRefuseInTheNativeReaderWithASentence() throws IOException
    {
        TinyTokenizer.assumeLibrary();
        final String json = TinyTokenizer.json();
        for (final String[] edit : new String[][] {{"\"h e\"", "\"h zzz\""}, {"\"ByteLevel\"", "\"Unknown\""},
            {"\"merges\": [", "\"merges\": [7, "}})
        {
            assertTrue(json.contains(edit[0]), edit[0]);
            final Path file = Files.writeString(directory.resolve("tokenizer.json"), json.replace(edit[0], edit[1]));
            final String message = assertThrows(ConfigException.class,
                () -> new HuggingFaceProvider().open(file, TinyTokenizer.VOCABULARY)).getMessage();
            assertTrue(message.startsWith("the tokenizer " + file + " cannot be read ("), message);
        }
    }

    /** Random bytes of the file changed: opened, or refused with a sentence. */
    @Test
    void shouldSurviveRandomDamage() throws IOException
    {
        TinyTokenizer.assumeLibrary();
        final byte[] sound = TinyTokenizer.json().getBytes(StandardCharsets.UTF_8);
        final SplittableRandom random = new SplittableRandom(11);
        int refused = 0;
        for (int i = 0; i < 300; i++)
        {
            final byte[] bytes = sound.clone();
            for (int change = 0; change <= random.nextInt(3); change++)
            {
                bytes[random.nextInt(bytes.length)] = (byte)random.nextInt(32, 127);
            }
            final Path file = Files.write(directory.resolve("tokenizer.json"), bytes);
            try
            {
                new HuggingFaceProvider().open(file, TinyTokenizer.VOCABULARY).close();
            }
            catch (final ConfigException e)
            {
                refused++;
            }
        }
        assertTrue(refused > 30, refused + " of 300 were refused");
    }
}
