// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertScoring;

import java.util.Arrays;

/**
 * Compares bf16 arithmetic with that of transformers, in three levels: routers alone, on recorded inputs; a whole pass, in
 * which a token and layer is clean as long as no earlier layer of this or an earlier token chose other experts than the
 * reference, and only clean ones are compared; tokens.
 *
 * <p>A router's logit is one rounding of a sum. Both sides round at the same point, so they differ only if float32 sums of
 * another order fall on the two sides of the middle between two bf16 values. Each difference is shown to be of that kind,
 * and they are few. A router with sigmoid computes in float32: its logits are not rounded, and are compared with the sum.
 */
final class Bf16Conformance
{
    private static final String BLOCK = "bf16";
    private static final int FRACTION_BITS = 7;
    /** Error of a float32 sum in any order that a library may have, as a share of the sum of its absolute products. */
    private static final double SUM_ERROR = 0x1p-21;
    /** Routers alone: one of so many logits, and two more, may be at such a middle; 4 of 26,880 are. */
    private static final int TIES_APART = 1000;
    private static final int FEW = 2;
    /** Share of clean router logits with the reference's bits; a rounding too few or too many leaves far fewer. */
    private static final double LEAST_EQUAL = 0.9;
    /** Logits that no rounding to bf16 made equal are the same if they are so close, relative to themselves or 1. */
    private static final float SAME_UNROUNDED = 0x1p-17f;

    private final ConformanceFixture fixture;
    private final DecoderPlan plan;
    private final ForwardModel model;
    private final ConformanceChecks checks;
    private final WorkTeam team;
    private final int moeLayers;
    private final boolean roundsRouters;
    private int aloneSeen;
    private int aloneTies;
    private int routersSeen;
    private int routersEqual;

    Bf16Conformance(final ConformanceFixture fixture, final ConformanceChecks checks, final WorkTeam team)
    {
        this.fixture = fixture;
        this.checks = checks;
        this.team = team;
        plan = fixture.plan();
        model = fixture.model(Precision.BF16);
        moeLayers = fixture.moeLayers();
        roundsRouters = plan.experts().scoring() != ExpertScoring.SIGMOID_GROUPS;
    }

    /** @param sameRoundings whether most router logits of a whole pass must have the reference's bits. */
    void run(final boolean sameRoundings)
    {
        for (int prompt = 0; prompt < fixture.prompts(); prompt++)
        {
            final int[] tokens = fixture.ints(BLOCK, prompt, "prompt");
            routersAlone(prompt, tokens.length);
            wholePass(prompt, tokens);
            generate(prompt, tokens);
        }
        checks.check(aloneTies <= FEW + aloneSeen / TIES_APART, () -> "routers alone: of " + aloneSeen + " logits " +
            aloneTies + " differ from the reference's");
        checks.check(!sameRoundings || routersEqual >= LEAST_EQUAL * routersSeen, () -> "whole pass: of " + routersSeen +
            " router logits in clean rows only " + routersEqual + " have the reference's bits; a rounding point differs");
    }

    private double tolerance(final String name)
    {
        return fixture.tolerance(BLOCK, name);
    }

    private void routersAlone(final int prompt, final int length)
    {
        final float[] inputs = fixture.floats(BLOCK, prompt, "mlp_in");
        final float[] logits = fixture.floats(BLOCK, prompt, "router_logits");
        final int[] ids = fixture.ints(BLOCK, prompt, "experts");
        final float[] gaps = fixture.floats(BLOCK, prompt, "gap");
        final int hidden = plan.hidden();
        final int count = plan.experts().experts();
        final ExpertsPass pass = new ExpertsPass(plan, new LinearStages(team, Precision.BF16));
        for (int moe = 0; moe < moeLayers; moe++)
        {
            final float[] in = new float[length * hidden];
            for (int at = 0; at < length; at++)
            {
                System.arraycopy(inputs, (at * moeLayers + moe) * hidden, in, at * hidden, hidden);
            }
            final ForwardModel.Experts layer = model.layer(plan.moeLayers().get(moe)).experts();
            pass.run(layer, in, length, new float[length * hidden]);
            for (int at = 0; at < length; at++)
            {
                final int pair = at * moeLayers + moe;
                compareRouter(place(prompt, at, moe) + " alone", pass, at, ExactSum.of(layer.router(), in, at * hidden),
                    Arrays.copyOfRange(logits, pair * count, (pair + 1) * count),
                    Arrays.copyOfRange(ids, pair * plan.experts().topK(), (pair + 1) * plan.experts().topK()), gaps[pair]);
            }
        }
    }

    private void compareRouter(
        final String place, final ExpertsPass pass, final int at, final ExactSum[] exact, final float[] wanted,
        final int[] ids, final float gap)
    {
        final int count = wanted.length;
        final float[] logits = Arrays.copyOfRange(pass.logits(), at * count, (at + 1) * count);
        final int[] chosen = Arrays.copyOfRange(pass.ids(), at * ids.length, (at + 1) * ids.length);
        int beyond = -1;
        int ties = 0;
        double error = 0.0;
        for (int i = 0; i < count; i++)
        {
            final boolean allowed = roundsRouters ? exact[i].isTie(logits[i], wanted[i]) : exact[i].isNear(logits[i]);
            beyond = logits[i] != wanted[i] && !allowed ? i : beyond;
            ties += logits[i] != wanted[i] && roundsRouters ? 1 : 0;
            error = Math.max(error, exact[i].error());
        }
        aloneSeen += count;
        aloneTies += ties;
        final int wrong = beyond;
        checks.check(beyond < 0, () -> place + ": logit " + wrong + " is " + logits[wrong] + " and not " + wanted[wrong] +
            ", of the exact sum " + exact[wrong].value());
        // Equal logits are chosen alike, ties included, in the same order.
        final boolean equal = Arrays.equals(logits, wanted);
        final boolean certain = gap > 2 * (roundsRouters ? ulp(edge(wanted, ids.length)) : error);
        checks.check(equal ? sameChoice(chosen, ids) : !certain || Float32Conformance.sameSet(chosen, ids),
            () -> place + ": experts " + Arrays.toString(chosen) + " and not " + Arrays.toString(ids));
    }

    /** transformers does not sort the choice of a router with sigmoid. */
    private boolean sameChoice(final int[] chosen, final int[] ids)
    {
        return roundsRouters ? Arrays.equals(chosen, ids) : Float32Conformance.sameSet(chosen, ids);
    }

    /** The larger magnitude of the last logit that is chosen and the first that is not. */
    private static float edge(final float[] logits, final int chosen)
    {
        final float[] sorted = logits.clone();
        Arrays.sort(sorted);
        final int last = sorted.length - chosen;
        return Math.max(Math.abs(sorted[last]), Math.abs(sorted[Math.max(0, last - 1)]));
    }

    /** A sum of products in double, and by how much a float32 sum may miss it. */
    private record ExactSum(double value, double error)
    {
        private static ExactSum[] of(final Matrix router, final float[] in, final int at)
        {
            final ExactSum[] sums = new ExactSum[router.rows()];
            final float[] row = new float[router.columns()];
            for (int expert = 0; expert < sums.length; expert++)
            {
                router.copyRow(expert, row, 0);
                final float[] bias = {0.0f};
                router.addBias(expert, 1, bias, 0);
                double value = bias[0];
                double absolute = Math.abs(bias[0]);
                for (int i = 0; i < row.length; i++)
                {
                    value += (double)row[i] * in[at + i];
                    absolute += Math.abs((double)row[i] * in[at + i]);
                }
                sums[expert] = new ExactSum(value, SUM_ERROR * absolute);
            }
            return sums;
        }

        private boolean isNear(final float logit)
        {
            return Math.abs(logit - value) <= error;
        }

        /** Whether two values are neighbours in bf16, and the sum is in the middle between them. */
        private boolean isTie(final float one, final float other)
        {
            final double distance = Math.abs((double)one - other);
            return distance <= ulp(Math.max(Math.abs(one), Math.abs(other))) &&
                Math.abs(value - ((double)one + other) / 2.0) <= error;
        }
    }

    /** 2^-7 of the power of two below. */
    private static float ulp(final float value)
    {
        return Math.scalb(1.0f, Math.getExponent(value) - FRACTION_BITS);
    }

    private RecordedPass pass(final int positions)
    {
        return new RecordedPass(model, Precision.BF16, team, positions, 3);
    }

    private void wholePass(final int prompt, final int[] tokens)
    {
        final RecordedPass pass = pass(tokens.length).feedAll(tokens, tokens.length);
        final int count = plan.experts().experts();
        final float[] routers = fixture.floats(BLOCK, prompt, "router_logits");
        final float[][] seen = new float[moeLayers][];
        Arrays.setAll(seen,
            moe -> pass.seen(ForwardObserver.Point.ROUTER_LOGITS, plan.moeLayers().get(moe), count));
        final CleanRows clean = new CleanRows(prompt, "", pass);
        for (int at = 0; at < tokens.length; at++)
        {
            for (int moe = 0; moe < moeLayers; moe++)
            {
                if (clean.isClean(moe))
                {
                    checks.near(seen[moe], at * count, routers, (at * moeLayers + moe) * count, count,
                        tolerance("router_logits_abs_clean"), place(prompt, at, moe) + " router logits");
                    countEqual(seen[moe], at * count, routers, (at * moeLayers + moe) * count, count);
                }
                clean.compare(at, moe);
            }
            if (clean.isRowClean())
            {
                compareLogits(prompt, at, pass);
            }
        }
    }

    private void countEqual(final float[] actual, final int at, final float[] wanted, final int from, final int count)
    {
        routersSeen += count;
        for (int i = 0; i < count; i++)
        {
            final float most = roundsRouters ? 0.0f : SAME_UNROUNDED * Math.max(1.0f, Math.abs(wanted[from + i]));
            routersEqual += Math.abs(actual[at + i] - wanted[from + i]) <= most ? 1 : 0;
        }
    }

    private void compareLogits(final int prompt, final int at, final RecordedPass pass)
    {
        final int vocabulary = plan.vocabulary();
        final float[] logits = fixture.floats(BLOCK, prompt, "logits");
        final int from = at * vocabulary;
        double difference = 0.0;
        double norm = 0.0;
        int first = from;
        int second = -1;
        for (int i = from; i < from + vocabulary; i++)
        {
            difference += Math.pow((double)pass.logits[i] - logits[i], 2);
            norm += Math.pow(logits[i], 2);
            if (i > from && logits[i] > logits[first])
            {
                second = first;
                first = i;
            }
            else if (i > from && (second < 0 || logits[i] > logits[second]))
            {
                second = i;
            }
        }
        final double relative = Math.sqrt(difference / norm);
        checks.check(relative <= tolerance("logits_rel_l2_clean"), () -> "prompt " + prompt + " position " + at +
            ": logits differ by " + relative + " of their norm");
        final int token = first - from;
        final float gap = logits[first] - logits[second];
        checks.check(pass.greedy(at) == token || gap <= tolerance("token_gap"), () -> "prompt " + prompt + " position " +
            at + ": the most probable token is " + pass.greedy(at) + " and not " + token + ", gap " + gap);
    }

    /** Compares up to the first token that differs, or the first row that is not clean. */
    private void generate(final int prompt, final int[] tokens)
    {
        final int[] wanted = fixture.ints(BLOCK, prompt, "gen.tokens");
        final float[] gaps = fixture.floats(BLOCK, prompt, "gen.token_gap");
        final RecordedPass pass = pass(tokens.length + wanted.length).feedAll(tokens, tokens.length);
        final CleanRows clean = new CleanRows(prompt, "gen.", pass);
        for (int at = 0; at < tokens.length; at++)
        {
            clean.compareRow(at);
        }
        for (int i = 0; i < wanted.length && clean.isRowClean(); i++)
        {
            final int at = tokens.length + i - 1;
            final int token = pass.greedy(at);
            final int number = i;
            checks.check(token == wanted[i] || gaps[i] <= tolerance("token_gap"), () -> "prompt " + prompt + " token " +
                number + " is " + token + " and not " + wanted[number] + ", gap " + gaps[number]);
            if (token != wanted[i] || i == wanted.length - 1)
            {
                return;
            }
            pass.feed(wanted, i, i + 1);
            clean.compareRow(at + 1);
        }
    }

    private static String place(final int prompt, final int position, final int moe)
    {
        return "prompt " + prompt + " position " + position + " MoE layer " + moe;
    }

    /** Which pairs of token and MoE layer are clean, token after token. */
    private final class CleanRows
    {
        private final int prompt;
        private final RecordedPass pass;
        private final int[] ids;
        private final float[] gaps;
        /** The first MoE layer in which this or an earlier token chose otherwise; as many as there are: none. */
        private int dirtyFrom = moeLayers;

        private CleanRows(final int prompt, final String prefix, final RecordedPass pass)
        {
            this.prompt = prompt;
            this.pass = pass;
            ids = fixture.ints(BLOCK, prompt, prefix + "experts");
            gaps = fixture.floats(BLOCK, prompt, prefix + "gap");
        }

        private boolean isClean(final int moe)
        {
            return moe <= dirtyFrom;
        }

        private boolean isRowClean()
        {
            return dirtyFrom == moeLayers;
        }

        private void compareRow(final int at)
        {
            for (int moe = 0; moe < moeLayers; moe++)
            {
                compare(at, moe);
            }
        }

        private void compare(final int at, final int moe)
        {
            final int k = plan.experts().topK();
            final int pair = at * moeLayers + moe;
            final int[] wanted = Arrays.copyOfRange(ids, pair * k, (pair + 1) * k);
            final int[] chosen = Arrays.copyOfRange(pass.experts, pair * k, (pair + 1) * k);
            final boolean same = Float32Conformance.sameSet(wanted, chosen);
            if (isClean(moe))
            {
                checks.check(same || gaps[pair] <= tolerance("set_gap"), () -> place(prompt, at, moe) + ": experts " +
                    Arrays.toString(chosen) + " and not " + Arrays.toString(wanted) + ", gap " + gaps[pair]);
            }
            if (!same)
            {
                dirtyFrom = Math.min(dirtyFrom, moe);
            }
        }
    }
}
