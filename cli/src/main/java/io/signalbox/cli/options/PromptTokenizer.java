// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.PluginFault;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.ForeignCall;
import io.signalbox.serving.TextTokenizer;
import io.signalbox.serving.TokenizerProvider;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/** The tokenizer of a run. Its plug-in is loaded and its file is opened when a text is first encoded. */
public final class PromptTokenizer implements TextTokenizer
{
    private final List<String> plugins;
    private final Path file;
    private final int vocabulary;
    private TextTokenizer opened;

    PromptTokenizer(final List<String> plugins, final Path file, final int vocabulary)
    {
        this.plugins = plugins;
        this.file = file;
        this.vocabulary = vocabulary;
    }

    /**
     * Opens the file.
     *
     * @throws ConfigException if no tokenizer is installed, or it cannot read the file.
     */
    public void open()
    {
        if (opened != null)
        {
            return;
        }
        final List<TokenizerProvider> providers = Plugins.providers(plugins, TokenizerProvider.class);
        if (providers.isEmpty())
        {
            throw new ConfigException("no tokenizer is installed; give the token ids of the prompt as a list, or add " +
                "the tokenizer with " + Plugins.OPTION +
                " tokenizer/target/signalbox-tokenizer.jar, which 'mvn package' makes.");
        }
        if (providers.size() > 1)
        {
            throw new ConfigException("two tokenizers are installed, " + providers.get(0).getClass().getName() + " and " +
                providers.get(1).getClass().getName() + "; leave one of them out.");
        }
        if (file == null)
        {
            throw new ConfigException("the model has no tokenizer; give its tokenizer.json with --tokenizer.");
        }
        opened = guarded("opened its file", () -> providers.get(0).open(file, vocabulary));
    }

    /** Whether texts can be encoded and decoded. */
    public boolean isOpen()
    {
        return opened != null;
    }

    /** A plug-in can throw any error, or return nothing. */
    private <T> T guarded(final String when, final Supplier<T> call)
    {
        final T result;
        try
        {
            result = call.get();
        }
        catch (final ConfigException e)
        {
            throw e;
        }
        catch (final Throwable e)
        {
            throw fault("threw " + PluginFault.of(e), when);
        }
        if (result == null)
        {
            throw fault("returned null", when);
        }
        return result;
    }

    private ConfigException fault(final String fault, final String when)
    {
        return new ConfigException("the tokenizer of " + file + " " + fault + " when it " + when +
            "; report it to the author of the tokenizer, or give token ids.");
    }

    /**
     * The token ids of a text; opens the file first.
     *
     * @throws ConfigException if the text has no token ids of the model.
     */
    @Override
    public int[] encode(final String text)
    {
        open();
        return known(guarded("encoded a text", () -> opened.encode(text)));
    }

    @Override
    public int[] encodeWhole(final String text)
    {
        open();
        return known(guarded("encoded a conversation", () -> opened.encodeWhole(text)));
    }

    private int[] known(final int[] tokens)
    {
        for (final int token : tokens)
        {
            if (token < 0 || token >= vocabulary)
            {
                throw new ConfigException("the tokenizer of " + file + " made the token " + token +
                    " of it, which is not in the vocabulary of the model; give the tokenizer of this model.");
            }
        }
        return tokens;
    }

    /** Empty if no tokenizer could be opened: then the tokens are all there is. */
    @Override
    public String decode(final int[] tokens)
    {
        return opened == null ? "" : guarded("decoded an answer", () -> opened.decode(tokens));
    }

    @Override
    public String decodeWhole(final int[] tokens)
    {
        return opened == null ? "" : guarded("decoded an answer", () -> opened.decodeWhole(tokens));
    }

    /** The text that an answer adds to its prompt; {@code null} if no text was encoded. */
    public String text(final int[] prompt, final int[] answer)
    {
        return opened == null ? null : guarded("decoded an answer", () -> opened.continuation(prompt, answer));
    }

    @Override
    public void close()
    {
        if (opened != null)
        {
            new ForeignCall("end the process").run("the tokenizer of " + file + " was not closed",
                EngineConfig.CLOSE_TIMEOUT_NANOS.defaultValue(), () -> guarded("was closed", () ->
            {
                opened.close();
                return this;
            }));
        }
    }

    /** The option that names its file. */
    static class FileOption
    {
        @Option(names = "--tokenizer", paramLabel = "FILE",
            description = "Encode prompts of text, and decode answers, by this tokenizer.json (default: that of --model's " +
                "directory). Needs the plug-in tokenizer/target/signalbox-tokenizer.jar.")
        @InputPath
        private Path tokenizer;

        /**
         * The tokenizer's file; {@code null}: none belongs to the model.
         *
         * @param model directory of the checkpoint; {@code null}: there is none.
         */
        final Path file(final Path model)
        {
            return tokenizer != null || model == null ? tokenizer : model.resolve("tokenizer.json");
        }

        /** Whether a tokenizer is asked for. */
        final boolean isGiven()
        {
            return tokenizer != null;
        }
    }
}
