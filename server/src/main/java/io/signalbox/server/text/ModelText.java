// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.text;

import io.signalbox.serving.TextTokenizer;

import java.nio.file.Path;

/** The text of one model. Thread-safe. */
public interface ModelText
{
    /**
     * The text of a checkpoint: its tokenizer, and the chat template that is in its directory.
     *
     * @param tokenizer      of the checkpoint; calls of it take turns.
     * @param vocabularySize token ids are below it.
     * @param endTokens      of the model.
     * @param directory      of the checkpoint; {@code null}: there is no chat template.
     * @throws io.signalbox.ConfigException if a file cannot be read, or the template.
     */
    static ModelText of(
        final TextTokenizer tokenizer, final int vocabularySize, final int[] endTokens, final Path directory)
    {
        return CheckpointText.of(tokenizer, vocabularySize, endTokens, directory);
    }

    /**
     * The tokens of a prompt, with those that the model expects at its beginning, if any.
     *
     * @throws io.signalbox.ConfigException if the text cannot be encoded.
     */
    int[] encode(String text);

    /**
     * The tokens of a prompt that already contains its special tokens: none are added.
     *
     * @throws io.signalbox.ConfigException if the text cannot be encoded.
     */
    int[] encodeWhole(String text);

    /** The text of tokens, without special tokens. Bytes that are no UTF-8 become U+FFFD. */
    String decode(int[] tokens);

    /** The same with special tokens. */
    String decodeWhole(int[] tokens);

    /**
     * The tokens of a conversation.
     *
     * @throws io.signalbox.ConfigException if the model has no form for conversations, or not for this one.
     */
    int[] chat(Conversation conversation);

    /** Token ids are below it. */
    int vocabularySize();

    /** End an answer, unless its request ignores them. */
    int[] endTokens();
}
