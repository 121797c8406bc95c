// SPDX-License-Identifier: Apache-2.0
package io.signalbox.tokenizer;

import io.signalbox.serving.TextTokenizer;
import io.signalbox.serving.TokenizerProvider;

import java.nio.file.Path;

/** Opens a tokenizer.json as Hugging Face's tokenizers does. */
public final class HuggingFaceProvider implements TokenizerProvider
{
    @Override
    public TextTokenizer open(final Path file, final int vocabulary)
    {
        return NativeTokenizer.of(file, new TokenizerFile(file, vocabulary).read());
    }
}
