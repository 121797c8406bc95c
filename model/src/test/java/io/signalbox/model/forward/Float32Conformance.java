// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.Checkpoint;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertScoring;

import java.util.Arrays;

/** Compares float32 arithmetic with that of transformers: values within tolerances; sets of experts and tokens equal. */
final class Float32Conformance
{
    private static final String BLOCK = "f32";
    private static final int CHUNK = 5;

    private final ConformanceFixture fixture;
    private final DecoderPlan plan;
    private final ForwardModel model;
    private final ConformanceChecks checks;
    private final WorkTeam team;

    Float32Conformance(final ConformanceFixture fixture, final ConformanceChecks checks, final WorkTeam team)
    {
        this.fixture = fixture;
        this.checks = checks;
        this.team = team;
        plan = fixture.plan();
        model = fixture.model(Precision.F32);
    }

    void run()
    {
        for (int prompt = 0; prompt < fixture.prompts(); prompt++)
        {
            final int[] tokens = fixture.ints(BLOCK, prompt, "prompt");
            final RecordedPass whole = pass(tokens.length, 3).feedAll(tokens, tokens.length);
            compareRows(prompt, tokens.length, whole);
            if (prompt == fixture.debugPrompt())
            {
                compareStates(prompt, tokens.length, whole);
            }
            compareChunks(prompt, tokens, whole);
            generate(prompt, tokens);
        }
    }

    private RecordedPass pass(final int positions, final int stride)
    {
        return new RecordedPass(model, Precision.F32, team, positions, stride);
    }

    private double tolerance(final String name)
    {
        return fixture.tolerance(BLOCK, name);
    }

    private void compareRows(final int prompt, final int length, final RecordedPass pass)
    {
        final float[] logits = fixture.floats(BLOCK, prompt, "logits");
        final float[] routers = fixture.floats(BLOCK, prompt, "router_logits");
        final int count = plan.experts().experts();
        for (int at = 0; at < length; at++)
        {
            checks.near(pass.logits, at * plan.vocabulary(), logits, at * plan.vocabulary(), plan.vocabulary(),
                tolerance("logits_abs"), place(prompt, at) + " logits");
        }
        for (int moe = 0; moe < fixture.moeLayers(); moe++)
        {
            final float[] seen = pass.seen(ForwardObserver.Point.ROUTER_LOGITS, plan.moeLayers().get(moe), count);
            for (int at = 0; at < length; at++)
            {
                checks.near(seen, at * count, routers, (at * fixture.moeLayers() + moe) * count, count,
                    tolerance("router_logits_abs"), place(prompt, at) + " router logits " + moe);
            }
        }
        compareExperts(prompt, "", length, pass, fixture.floats(BLOCK, prompt, "order_gap"));
    }

    /** @param orderGaps {@code null}: the order is not compared. */
    private void compareExperts(
        final int prompt, final String prefix, final int length, final RecordedPass pass, final float[] orderGaps)
    {
        final int k = plan.experts().topK();
        final int[] ids = fixture.ints(BLOCK, prompt, prefix + "experts");
        final float[] weights = fixture.floats(BLOCK, prompt, prefix + "weights");
        for (int pair = 0; pair < length * fixture.moeLayers(); pair++)
        {
            final String place =
                place(prompt, pair / fixture.moeLayers()) + " " + prefix + "experts " + pair % fixture.moeLayers();
            final int[] wanted = Arrays.copyOfRange(ids, pair * k, (pair + 1) * k);
            final int[] chosen = Arrays.copyOfRange(pass.experts, pair * k, (pair + 1) * k);
            final boolean sorted = orderGaps != null && orderGaps[pair] > tolerance("set_gap") &&
                plan.experts().scoring() != ExpertScoring.SIGMOID_GROUPS;
            checks.check(sorted ? Arrays.equals(wanted, chosen) : sameSet(wanted, chosen),
                () -> place + " are " + Arrays.toString(chosen) + " and not " + Arrays.toString(wanted));
            compareWeights(place, wanted, weights, pair * k, chosen, pass.weights);
        }
    }

    private void compareWeights(
        final String place, final int[] wanted, final float[] weights, final int from, final int[] chosen,
        final float[] actual)
    {
        for (int i = 0; i < wanted.length; i++)
        {
            for (int j = 0; j < chosen.length; j++)
            {
                if (wanted[i] == chosen[j])
                {
                    checks.near(actual, from + j, weights, from + i, 1, tolerance("weights_abs"), place + " weight");
                }
            }
        }
    }

    static boolean sameSet(final int[] left, final int[] right)
    {
        final int[] a = left.clone();
        final int[] b = right.clone();
        Arrays.sort(a);
        Arrays.sort(b);
        return Arrays.equals(a, b);
    }

    private void compareStates(final int prompt, final int length, final RecordedPass pass)
    {
        final int hidden = plan.hidden();
        for (int layer = 0; layer <= plan.layers(); layer++)
        {
            near(prompt, "hidden", layer, length, pass.seen(ForwardObserver.Point.STATE, layer - 1, hidden));
        }
        for (int layer = 0; layer < plan.layers(); layer++)
        {
            near(prompt, "attn_out", layer, length, pass.seen(ForwardObserver.Point.ATTENTION_OUT, layer, hidden));
            near(prompt, "mlp_out", layer, length, pass.seen(ForwardObserver.Point.MLP_OUT, layer, hidden));
        }
        near(prompt, "final_norm", 0, length, pass.seen(ForwardObserver.Point.FINAL_NORM, plan.layers(), hidden));
    }

    private void near(final int prompt, final String name, final int layer, final int length, final float[] actual)
    {
        checks.near(actual, 0, fixture.floats(BLOCK, prompt, name), layer * length * plan.hidden(), length * plan.hidden(),
            tolerance("hidden_abs"), "prompt " + prompt + " " + name + " " + layer);
    }

    /** Chunks, and blocks in another order, change no bit. */
    private void compareChunks(final int prompt, final int[] tokens, final RecordedPass whole)
    {
        final RecordedPass chunks = pass(tokens.length, 1).feedAll(tokens, CHUNK);
        checks.check(Arrays.equals(whole.logits, chunks.logits) && Arrays.equals(whole.experts, chunks.experts) &&
            Arrays.equals(whole.weights, chunks.weights), () -> "prompt " + prompt + " differs in chunks of " + CHUNK);
    }

    private void generate(final int prompt, final int[] tokens)
    {
        final int[] wanted = fixture.ints(BLOCK, prompt, "gen.tokens");
        final boolean hasLogits = fixture.has(BLOCK, prompt, "gen.logits");
        final float[] logits = hasLogits ? fixture.floats(BLOCK, prompt, "gen.logits") : null;
        final int[] generated = new int[wanted.length];
        final RecordedPass pass = pass(tokens.length + wanted.length, 3).feedAll(tokens, tokens.length);
        for (int i = 0; i < wanted.length; i++)
        {
            final int at = tokens.length + i - 1;
            final int token = pass.greedy(at);
            final int number = i;
            generated[i] = token;
            checks.check(token == wanted[i], () -> "prompt " + prompt + " token " + number + " is " + token + " and not " +
                wanted[number]);
            if (hasLogits)
            {
                checks.near(pass.logits, at * plan.vocabulary(), logits, i * plan.vocabulary(), plan.vocabulary(),
                    tolerance("logits_abs"), place(prompt, at) + " logits while generating");
            }
            if (i < wanted.length - 1)
            {
                pass.feed(wanted, i, i + 1);
            }
        }
        compareExperts(prompt, "gen.", tokens.length + wanted.length - 1, pass, null);
        if (fixture.has(BLOCK, prompt, "gen.stop"))
        {
            final int stop = stop(generated);
            final int expected = fixture.ints(BLOCK, prompt, "gen.stop")[0];
            checks.check(stop == expected,
                () -> "prompt " + prompt + " stops after " + stop + " tokens and not " + expected);
        }
    }

    /** Tokens of an answer up to the first that ends it, which it contains. */
    private int stop(final int[] generated)
    {
        final int[] ends = Checkpoint.endTokens(fixture.directory());
        int stop = 0;
        while (stop < generated.length)
        {
            final int token = generated[stop++];
            if (Arrays.stream(ends).anyMatch(end -> end == token))
            {
                return stop;
            }
        }
        return stop;
    }

    private static String place(final int prompt, final int position)
    {
        return "prompt " + prompt + " position " + position;
    }
}
