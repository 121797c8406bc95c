// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.event.RequestContent;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.model.forward.Precision;
import io.signalbox.model.forward.TokenSampler;
import io.signalbox.serving.DraftSource;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Guesses from the answers of requests alone; every few positions the guess is wrong, no token at all, or missing. */
public final class KnownAnswers implements DraftSource
{
    private static final int MOST_TOKENS = 40;
    private static final int KINDS = 5;

    private final ForwardModel model;
    private final Precision precision;
    private final Map<List<Object>, int[]> answers = new HashMap<>();

    public KnownAnswers(final ForwardModel model, final Precision precision)
    {
        this.model = model;
        this.precision = precision;
    }

    @Override
    public void guess(final RequestContent request, final int from, final int[] guesses, final int at, final int count)
    {
        final int[] answer = answer(request);
        for (int i = 0; i < count; i++)
        {
            final int place = from + i - request.promptTokens();
            final int right = place >= 0 && place < answer.length ? answer[place] : 0;
            guesses[at + i] = switch ((from + i) % KINDS)
            {
                case 0 -> right == 0 ? 1 : right - 1;
                case 1 -> (from + i) % 2 == 0 ? -1 : Integer.MAX_VALUE;
                default -> right;
            };
        }
    }

    private int[] answer(final RequestContent request)
    {
        final int[] prompt = new int[request.promptTokens()];
        Arrays.setAll(prompt, request::token);
        final TokenSampler.SamplingChoice choice = new TokenSampler.SamplingChoice(
            request.isGreedy() ? 0.0f : request.temperature(), request.topK(), request.topP(), request.samplingSeed());
        final int count = Math.min(MOST_TOKENS, model.plan().maxPositions() - prompt.length);
        return answers.computeIfAbsent(List.of(Arrays.stream(prompt).boxed().collect(Collectors.toList()), choice),
            key -> LoneSequence.of(model, precision, prompt, count, choice).tokens());
    }
}
