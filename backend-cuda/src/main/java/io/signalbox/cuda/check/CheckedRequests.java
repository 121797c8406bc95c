// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.InvariantViolation;
import io.signalbox.cuda.CudaBackend;
import io.signalbox.cuda.CudaBackendConfig;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.WeightType;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Requests of a small model with the expected answers, and their way through the engine. */
final class CheckedRequests
{
    static final int COUNT = 8;
    static final int DRAFT_TOKENS = 3;
    static final int TOKENS = 20;
    private static final int SHORTEST_PROMPT = 3;
    private static final int BLOCKS = 4;

    private final ModelWeights weights;
    private final KernelFamily family;
    private final List<int[]> prompts = new ArrayList<>();
    private final List<int[]> expected = new ArrayList<>();

    /** Of the exact kernels, with the answers of Java. */
    CheckedRequests(final long seed)
    {
        this(seed, KernelFamily.EXACT);
        try (ModelOracle oracle = new ModelOracle(weights, ModelSection.sizes(BLOCKS, 1, 1)))
        {
            prompts.forEach(prompt -> expected.add(oracle.answer(prompt, TOKENS)));
        }
    }

    private CheckedRequests(final long seed, final KernelFamily family)
    {
        this.family = family;
        weights = GeneratedModel.weights(CheckedModel.SMALL.get(0).plan(WeightType.BF16), seed);
        for (int request = 0; request < COUNT; request++)
        {
            final int first = request;
            final int[] prompt = new int[SHORTEST_PROMPT + request];
            Arrays.setAll(prompt, index -> (11 * first + 5 * index) % weights.plan().vocabulary());
            prompts.add(prompt);
        }
    }

    /** Of the fast kernels, whose answers to each request alone are the expected ones. */
    static CheckedRequests fast(final CheckDevice device, final CheckConfig options)
    {
        final CheckedRequests requests = new CheckedRequests(options.seed(), KernelFamily.FAST);
        try (ModelSteps steps = new ModelSteps(device, options.device(), requests.weights,
            ModelSection.sizes(BLOCKS, SHORTEST_PROMPT + COUNT, 1), KernelFamily.FAST, CaptureForm.FUSED))
        {
            requests.prompts.forEach(prompt -> requests.expected.add(answer(steps, prompt)));
        }
        return requests;
    }

    /** The prompt as one step, then one token a step. */
    private static int[] answer(final ModelSteps steps, final int[] prompt)
    {
        final int[] table = new int[BLOCKS];
        Arrays.setAll(table, index -> index);
        final List<ModelToken> step = new ArrayList<>();
        for (int i = 0; i < prompt.length; i++)
        {
            step.add(new ModelToken(prompt[i], i, table, i == prompt.length - 1));
        }
        final int[] answer = new int[TOKENS];
        for (int i = 0; i < TOKENS; i++)
        {
            steps.run(step);
            if (steps.fault() != null)
            {
                throw new InvariantViolation("a step of a request alone failed: " + steps.fault());
            }
            answer[i] = steps.sampled()[0];
            step.clear();
            step.add(new ModelToken(answer[i], prompt.length + i, table, true));
        }
        return answer;
    }

    /** Two ranks behind the engine, with a journal and a pool that is too small for all requests. */
    EngineRunner.Served serve(
        final CheckDevice device, final int ordinal, final EngineRunner engine, final int drafts, final double seconds)
    {
        final CudaBackendConfig config = new CudaBackendConfig().devices(List.of(ordinal)).model(weights)
            .kernelFamily(family).drafts(drafts == 0 ? null : (request, from, guesses, at, count) ->
                guess(expected.get(request.promptTokens() - SHORTEST_PROMPT), from - request.promptTokens(), guesses, at,
                    count));
        try
        {
            return engine.serve(
                new CudaBackend(config, device.driver()), config.shape(), prompts, TOKENS, drafts, seconds);
        }
        finally
        {
            device.makeCurrent();
        }
    }

    /** The answer, of which every fourth token is wrong. */
    private static void guess(final int[] answer, final int from, final int[] guesses, final int at, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            final int place = from + i;
            final int right = place >= 0 && place < answer.length ? answer[place] : 0;
            guesses[at + i] = place % 4 == 3 ? right ^ 1 : right;
        }
    }

    /** The fault of the answers, one sentence, or null. */
    String fault(final EngineRunner.Served served, final int drafts)
    {
        for (int request = 0; request < COUNT; request++)
        {
            if (!Arrays.equals(expected.get(request), served.tokens().get(request)))
            {
                return "Request " + request + with(drafts) + " was answered otherwise than by " + source() + ".";
            }
        }
        if (served.others() > 0)
        {
            return served.others() + " of " + served.requests() + " requests" + with(drafts) +
                " were answered otherwise than before, or have other routed experts.";
        }
        return served.missingRows() == 0 ? null :
            served.missingRows() + " of " + served.rows() + " rows of requests" + with(drafts) + " are missing.";
    }

    String with(final int drafts)
    {
        return kernels() + (drafts == 0 ? "" : " with " + drafts + " draft tokens");
    }

    /** A part of names. */
    String kernels()
    {
        return family == KernelFamily.FAST ? " (fast kernels)" : "";
    }

    /** Who gave the expected answers. */
    String source()
    {
        return family == KernelFamily.FAST ? "the fast kernels alone" : "Java";
    }
}
