// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.AnswerFile;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.model.DecoderPlan;
import io.signalbox.printing.OutputFile;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.PromptFile;
import io.signalbox.workload.PromptLine;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The prompts of a run, how their answers are sampled, and the file of the answers. */
public final class PromptOptions
{
    private static final String PROMPTS = "--prompts";
    private static final String OUT = "--out";
    private static final String STOP_TOKEN = "--stop-token";
    private static final int[] NO_TOKENS = {};
    /** Leaves room for the numbers of prompts. In a request, -1 means that no seed is given. */
    private static final long MOST_SEED = Long.MAX_VALUE / 2;
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

    @Option(names = "--experts", description = "Write the routed experts of every token to --out as well.")
    private boolean experts;

    @Option(names = "--logprobs", description = "Write the log-probability of every token to --out as well.")
    private boolean logprobs;

    @Option(names = "--max-new-tokens", paramLabel = "N",
        description = "Generate at most N tokens per prompt that does not say (default: ${DEFAULT-VALUE}).")
    private int maxNewTokens = CompletionRequest.DEFAULT_NEW_TOKENS;

    @Option(names = "--temperature", paramLabel = "T",
        description = "Divide logits by T before sampling; 0: the most probable token (default: ${DEFAULT-VALUE}).")
    private double temperature;

    @Option(names = "--top-k", paramLabel = "N",
        description = "Sample from the N most probable tokens; 0: from all (default: ${DEFAULT-VALUE}).")
    private int topK;

    @Option(names = "--top-p", paramLabel = "P",
        description = "Sample from the most probable tokens that together have probability P (default: ${DEFAULT-VALUE}).")
    private double topP = 1.0;

    @Option(names = "--seed", paramLabel = "N",
        description = "Sample prompt number i with the seed N + i (default: ${DEFAULT-VALUE}).")
    private long seed = 1;

    @Option(names = STOP_TOKEN, paramLabel = "ID", split = ",",
        description = "End an answer with any of these tokens, separated by commas; -1: no stop token (default: the end " +
            "tokens of the checkpoint).")
    private List<Integer> stopTokens;

    /** @throws ConfigException if options exclude each other, or have a value that is not allowed. */
    public void check(final boolean captures)
    {
        if (seed < 0 || seed > MOST_SEED)
        {
            throw new ConfigException(
                "--seed=" + seed + " is not between 0 and " + MOST_SEED + "; give a number in that range.");
        }
        CompletionRequest.prompt(new int[1]).maxNewTokens(maxNewTokens).temperature(temperature).topK(topK).topP(topP);
        if (experts && output == null || logprobs && output == null)
        {
            throw new ConfigException(
                (experts ? "--experts" : "--logprobs") + " is for the file of --out, which is not given; give one.");
        }
        if (experts && !captures)
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
        return experts;
    }

    /** Whether an option replaces the end tokens of the checkpoint. */
    public boolean namesStopTokens()
    {
        return stopTokens != null;
    }

    public boolean logprobs()
    {
        return logprobs;
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
     * @param index     of the prompt, from 0.
     * @param endTokens end an answer unless the prompt or an option names stop tokens.
     * @throws ConfigException if a value is not allowed, a rank cannot hold it, or the model was not made for so many
     *                         positions.
     */
    public CompletionRequest request(
        final PromptLine line, final int index, final int[] endTokens, final DecoderPlan plan, final SchedulerConfig config)
    {
        try
        {
            return sampled(line, index, endTokens, plan, config);
        }
        catch (final ConfigException e)
        {
            throw new ConfigException("the prompt '" + line.id() + "': " + e.getMessage());
        }
    }

    private CompletionRequest sampled(
        final PromptLine line, final int index, final int[] endTokens, final DecoderPlan plan, final SchedulerConfig config)
    {
        final int most = line.maxNewTokens() == null ? maxNewTokens : line.maxNewTokens();
        CompletionRequest request = CompletionRequest.prompt(line.prompt()).maxNewTokens(most)
            .stopAt(line.stopTokens() == null ? stopTokens(endTokens, plan) : line.stopTokens())
            .temperature(line.temperature() == null ? temperature : line.temperature())
            .topK(line.topK() == null ? topK : line.topK())
            .topP(line.topP() == null ? topP : line.topP())
            .seed(line.seed() == null ? seed + index : line.seed())
            .routedExperts(experts ? 0 : -1);
        checkLength(line, most, plan, config);
        request = logprobs ? request.logprobs() : request;
        return line.conversation() == null ? request : request.conversation(line.conversation());
    }

    private int[] stopTokens(final int[] endTokens, final DecoderPlan plan)
    {
        if (stopTokens == null)
        {
            return endTokens;
        }
        if (stopTokens.equals(List.of(-1)))
        {
            return NO_TOKENS;
        }
        for (final int stop : stopTokens)
        {
            if (stop < 0 || stop >= plan.vocabulary())
            {
                throw new ConfigException(STOP_TOKEN + "=" + stop + " is not in the vocabulary of the model; give token " +
                    "ids from 0 to " + (plan.vocabulary() - 1) + ", or -1 alone for none.");
            }
        }
        return stopTokens.stream().mapToInt(Integer::intValue).toArray();
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
