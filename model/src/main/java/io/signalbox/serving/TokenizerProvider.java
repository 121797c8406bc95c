// SPDX-License-Identifier: Apache-2.0
package io.signalbox.serving;

import java.nio.file.Path;

/**
 * Opens tokenizers. A provider is a public class with a public constructor without parameters, and {@code
 * META-INF/services/io.signalbox.serving.TokenizerProvider} names it.
 */
public interface TokenizerProvider
{
    /**
     * Opens a tokenizer.
     *
     * @param file       a tokenizer.json. It is hostile input.
     * @param vocabulary token ids of the model are below it.
     * @throws io.signalbox.ConfigException if the file is damaged, not supported or not of this model, or this machine
     *                                      cannot run the tokenizer.
     */
    TextTokenizer open(Path file, int vocabulary);
}
