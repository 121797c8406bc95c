// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.AnswerFile;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.model.DecoderPlan;
import io.signalbox.printing.OutputFile;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.PromptDefaults;
import io.signalbox.workload.PromptFile;
import io.signalbox.workload.PromptLine;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The prompts of a run, how their answers are sampled, and the file of the answers. */
public final class PromptOptions implements SettingGroup
{
    private static final String PROMPTS = "--prompts";
    private static final String OUT = "--out";
    private static final int BUILT_IN = 8;
    private static final int SHARED_TOKENS = 40;
    private static final int OWN_TOKENS = 9;
    private static final int STEP = 37;

    @Option(names = PROMPTS, paramLabel = "FILE",
        description = "Read prompts from FILE, one JSON object per line, such as {\"id\": 1, \"prompt\": " +
            "[5, 7]} or, with a tokenizer, {\"text\": \"Once\"}, plain or gzipped " +
            "(default: 8 built-in prompts with a common beginning).")
    @InputPath
    private Path prompts;

    @Option(names = OUT, paramLabel = "FILE",
        description = "Write an answer per line to FILE as it comes: id, tokens, finish_reason, times; gzipped if FILE " +
            "ends in .gz.")
    @OutputPath
    private Path output;

    private final PromptDefaults defaults = new PromptDefaults();
    private final SettingOptions sampling = SettingOptions.of(PromptDefaults.SETTINGS);

    @Override
    public List<SettingOptions> settings()
    {
        return List.of(sampling);
    }

    /** @throws ConfigException if options exclude each other, have no effect, or have a value that is not allowed. */
    public void check(final boolean captures)
    {
        sampling.forEachGiven(defaults::set);
        // Lines of a file may be sampled although others are not.
        if (prompts == null)
        {
            SettingOptions.refuseIdle(this);
        }
        if ((experts() || logprobs()) && output == null)
        {
            throw new ConfigException((experts() ? PromptDefaults.ROUTED_EXPERTS : PromptDefaults.LOGPROBS).option().name() +
                " is for the file of --out, which is not given; give one.");
        }
        if (experts() && !captures)
        {
            throw new ConfigException("--experts and --no-capture exclude each other; leave one of them out.");
        }
        if (output != null)
        {
            OutputFile.check(OUT, output);
        }
    }

    /** {@code null} if no file is asked for. */
    public Path output()
    {
        return output;
    }

    /** The file of the answers; {@code null} if none is asked for. */
    public AnswerFile answers()
    {
        return AnswerFile.open(OUT, output);
    }

    public boolean experts()
    {
        return defaults.get(PromptDefaults.ROUTED_EXPERTS);
    }

    /** Whether an option replaces the end tokens of the checkpoint. */
    public boolean namesStopTokens()
    {
        return defaults.get(PromptDefaults.STOP_TOKENS).isPresent();
    }

    public boolean logprobs()
    {
        return defaults.get(PromptDefaults.LOGPROBS);
    }

    /**
     * Reads the prompts.
     *
     * @param encoder makes token ids of a text.
     * @throws ConfigException with file, line and fault.
     */
    public List<PromptLine> read(final DecoderPlan plan, final Function<String, int[]> encoder)
    {
        return prompts == null ? builtIn(plan.vocabulary()) : PromptFile.read(prompts, plan.vocabulary(), encoder);
    }

    /** They share all but their last tokens, so that a run shows prefix hits. */
    private static List<PromptLine> builtIn(final int vocabulary)
    {
        final List<PromptLine> lines = new ArrayList<>();
        for (int number = 1; number <= BUILT_IN; number++)
        {
            final int[] tokens = new int[SHARED_TOKENS + OWN_TOKENS + number];
            for (int i = 0; i < tokens.length; i++)
            {
                tokens[i] = (i * STEP + (i < SHARED_TOKENS ? 0 : number * number * OWN_TOKENS)) % vocabulary;
            }
            lines.add(PromptLine.of(Integer.toString(number), tokens));
        }
        return lines;
    }

    /**
     * The request of a prompt.
     *
     * @param index of the prompt, from 0.
     * @throws ConfigException if a value is not allowed, a rank cannot hold it, or the model was not made for so many
     *                         positions.
     */
    public CompletionRequest request(
        final PromptLine line, final int index, final DecoderPlan plan, final SchedulerConfig config)
    {
        try
        {
            return sampled(line, index, plan, config);
        }
        catch (final ConfigException e)
        {
            throw new ConfigException("the prompt '" + line.id() + "': " + e.getMessage());
        }
    }

    private CompletionRequest sampled(
        final PromptLine line, final int index, final DecoderPlan plan, final SchedulerConfig config)
    {
        final PromptLine whole = defaults.complete(line, index);
        requireKnown(defaults.get(PromptDefaults.STOP_TOKENS).orElse(List.of()), plan.vocabulary());
        final PromptLine.SamplingFields sampling = whole.sampling();
        CompletionRequest request = CompletionRequest.prompt(line.prompt()).maxNewTokens(whole.maxNewTokens())
            .stopAt(whole.stopTokens()).temperature(sampling.temperature()).topK(sampling.topK())
            .topP(sampling.topP()).seed(sampling.seed()).routedExperts(experts() ? 0 : -1);
        checkLength(line, whole.maxNewTokens(), plan, config);
        request = logprobs() ? request.logprobs() : request;
        // Named stop tokens replace the end tokens of the model.
        request = line.stopTokens() == null && !namesStopTokens() ? request : request.ignoreEos();
        return line.conversation() == null ? request : request.conversation(line.conversation());
    }

    private static void requireKnown(final List<Integer> stopTokens, final int vocabulary)
    {
        for (final int stop : stopTokens)
        {
            if (stop >= vocabulary)
            {
                throw new ConfigException(PromptDefaults.STOP_TOKENS.option().name() + "=" + stop +
                    " is not in the vocabulary of the model; give token ids from 0 to " + (vocabulary - 1) +
                    ", or -1 alone for none.");
            }
        }
    }

    /** The remedy names the source of the length: the line of the prompt, or an option. */
    private static void checkLength(
        final PromptLine line, final int most, final DecoderPlan plan, final SchedulerConfig config)
    {
        final int prompt = line.prompt().length;
        final long tokens = (long)prompt + most;
        final String answer = line.maxNewTokens() == null ? "a smaller --max-new-tokens" : "a smaller max_new_tokens";
        final long pool = (config.kvBlocks() - 1L) * config.blockSizeTokens();
        final String whole = "with its answer it may have " + tokens + " tokens, above ";
        if (tokens > plan.maxPositions())
        {
            throw new ConfigException(whole + "the " + plan.maxPositions() +
                " positions of the model; give a shorter prompt" +
                (prompt < plan.maxPositions() ? ", or " + answer + "." : "."));
        }
        if (tokens > pool)
        {
            throw new ConfigException(whole + "the " + pool + " that the KV blocks of a rank hold; give a larger " +
                "--kv-blocks, " + (prompt < pool ? "a shorter prompt, or " + answer + "." : "or a shorter prompt."));
        }
    }
}
