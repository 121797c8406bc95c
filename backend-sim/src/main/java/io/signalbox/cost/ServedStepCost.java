// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import io.signalbox.ConfigException;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How long a forward step of one deployment takes, in integer arithmetic. The MoE layers cost the maximum over
 * expert-parallel groups, by the experts that the step's tokens chose, or by experts that are alike if these are unknown.
 * Immutable; its text holds all of it, so that a run description does not depend on the tables that ship.
 */
public final class ServedStepCost
{
    /** Terms whose counts a load has. */
    private static final StepTerm[] OF_LOAD = {StepTerm.BASE, StepTerm.DECODE_ENTRY, StepTerm.CONTEXT_TOKEN,
        StepTerm.WINDOW_TOKEN, StepTerm.PROMPT_TOKEN, StepTerm.PROMPT_PAIR, StepTerm.WINDOW_PAIR, StepTerm.GROUP_TOKEN,
        StepTerm.GROUP_PROMPT_TOKEN, StepTerm.PROMPT_STEP};
    private static final long FEMTOS_PER_NANO = 1_000_000L;
    private static final double FEMTOS_PER_MICRO = 1e9;
    private static final double MICROS_PER_MILLI = 1000;
    private static final long MAX_FEMTOS = 1L << 52;
    private static final int MAX_COUNT = 1 << 20;
    private static final String FORM = "what 'signalbox calibrate' or a run description has";

    private final String deployment;
    private final Shape shape;
    private final EnumMap<StepTerm, Long> terms;
    private final long[] femtos;
    /** Share of experts that so many tokens leave untouched; grows on demand, always to the same values. */
    private volatile double[] untouched = {1};

    /**
     * Sizes by which steps are counted.
     *
     * @param expertGroups groups of GPUs that hold different experts.
     * @param dataParallel attention groups that share the experts; above 1, ranks step together.
     * @param windowTokens of layers that read a window; 0: none.
     */
    public record Shape(int moeLayers, int experts, int topK, int expertGroups, int dataParallel, int windowTokens)
    {
        public Shape
        {
            check("moeLayers", moeLayers, 0);
            check("experts", experts, 0);
            check("topK", topK, 0);
            check("expertGroups", expertGroups, 1);
            check("dataParallel", dataParallel, 1);
            check("windowTokens", windowTokens, 0);
            if (topK > experts || experts > 0 && expertGroups > experts)
            {
                throw ConfigException.of(
                    "experts", Integer.toString(experts), "at least topK and expertGroups", "give " + FORM);
            }
        }

        private static void check(final String name, final int value, final int least)
        {
            if (value < least || value > MAX_COUNT)
            {
                throw ConfigException.of(name, Integer.toString(value), "between " + least + " and " + MAX_COUNT,
                    "give " + FORM);
            }
        }
    }

    ServedStepCost(final String deployment, final Shape shape, final Map<StepTerm, Long> terms)
    {
        this.deployment = deployment;
        this.shape = shape;
        this.terms = new EnumMap<>(terms);
        femtos = new long[StepTerm.values().length];
        this.terms.forEach((term, value) ->
        {
            if (value < 0 || value > MAX_FEMTOS)
            {
                throw ConfigException.of(term.label(), value.toString(), "between 0 and " + MAX_FEMTOS, "give " + FORM);
            }
            femtos[term.ordinal()] = value;
        });
    }

    /** Of a deployment by tables. */
    public static ServedStepCost of(final Deployment deployment, final CostTables tables)
    {
        final double[] scales = tables.tpot().scales(deployment.keys(), LatencyTerms.TPOT.length);
        final KernelTimes times = new KernelTimes(deployment, tables.kernels());
        final ServedModelShape model = deployment.model();
        final double windowed = model.windowedShare();
        final Map<StepTerm, Long> terms = new EnumMap<>(StepTerm.class);
        put(terms, StepTerm.BASE, scales[0] * model.layers() / LatencyTerms.HOST_LAYERS * MICROS_PER_MILLI +
            scales[1] * times.decodeBase + scales[2] * times.denseBase + scales[3] * times.moeBase +
            scales[4] * times.collectiveBase);
        put(terms, StepTerm.DECODE_ENTRY, scales[1] * times.perDecodeEntry + scales[2] * times.perDenseToken +
            scales[5] * LatencyTerms.MILLIS_PER_ENTRY * MICROS_PER_MILLI);
        put(terms, StepTerm.CONTEXT_TOKEN, scales[1] * times.perContextToken * (1 - windowed));
        put(terms, StepTerm.WINDOW_TOKEN, scales[1] * times.perContextToken * windowed);
        put(terms, StepTerm.PROMPT_TOKEN, scales[6] * (times.perPrefillToken + times.perDenseToken));
        put(terms, StepTerm.PROMPT_PAIR, scales[6] * times.perPrefillPair * (1 - windowed));
        put(terms, StepTerm.WINDOW_PAIR, scales[6] * times.perPrefillPair * windowed);
        put(terms, StepTerm.GROUP_TOKEN, scales[4] * times.perCollectiveToken + scales[3] * times.perMoeToken);
        put(terms, StepTerm.GROUP_PROMPT_TOKEN, scales[8] * times.perCollectiveToken + scales[7] * times.perMoeToken);
        put(terms, StepTerm.EXPERT, scales[3] * times.perExpert);
        put(terms, StepTerm.PROMPT_EXPERT, scales[9] * times.perExpert);
        put(terms, StepTerm.ASSIGNMENT, scales[3] * times.perAssignment);
        put(terms, StepTerm.PROMPT_ASSIGNMENT, scales[7] * times.perAssignment);
        put(terms, StepTerm.HOTTEST, scales[3] * times.perHottestToken);
        put(terms, StepTerm.PROMPT_HOTTEST, scales[7] * times.perHottestToken);
        return new ServedStepCost(deployment.text(), new Shape(model.moeLayers(), model.experts(), model.topK(),
            deployment.parallelism().expertParallel(), deployment.parallelism().dataParallel(), model.windowTokens()),
            terms);
    }

    private static void put(final Map<StepTerm, Long> terms, final StepTerm term, final double micros)
    {
        terms.put(term, Math.round(micros * FEMTOS_PER_MICRO));
    }

    /** The deployment in words. */
    public String deployment()
    {
        return deployment;
    }

    public Shape shape()
    {
        return shape;
    }

    public long femtos(final StepTerm term)
    {
        return femtos[term.ordinal()];
    }

    /** Whether experts are counted if rows have this shape. */
    public boolean countsExperts(final int moeLayers, final int experts, final int topK)
    {
        return shape.moeLayers == moeLayers && shape.experts == experts && shape.topK == topK && moeLayers > 0;
    }

    /**
     * Nanoseconds of a step of one attention group, at least 1.
     *
     * @param load   of the group.
     * @param counts experts that the tokens of all groups chose; {@code null}: unknown.
     * @throws ArithmeticException if the step would take longer than a long can hold.
     */
    public long nanos(final StepLoad load, final ExpertCounts counts)
    {
        long sum = 0;
        for (final StepTerm term : OF_LOAD)
        {
            sum = Math.addExact(sum, Math.multiplyExact(femtos(term), load.count(term)));
        }
        final double experts = shape.experts == 0 ? 0 : counts == null ? expected(load) : counts.slowestFemtos(this);
        return Math.max(1, Math.addExact(sum, Math.round(experts)) / FEMTOS_PER_NANO);
    }

    /**
     * Adds the nanoseconds of a step by {@link StepPart}, as if experts were alike.
     *
     * @param load of the attention group.
     */
    public void addParts(final StepLoad load, final double[] parts)
    {
        for (final StepTerm term : OF_LOAD)
        {
            addPart(parts, term, load.count(term));
        }
        if (shape.experts > 0)
        {
            final ExpectedExperts experts = expectedExperts(load);
            addPart(parts, StepTerm.EXPERT, experts.touched);
            addPart(parts, StepTerm.PROMPT_EXPERT, experts.promptTouched);
            addPart(parts, StepTerm.ASSIGNMENT, experts.assignments);
            addPart(parts, StepTerm.PROMPT_ASSIGNMENT, experts.promptAssignments);
            addPart(parts, StepTerm.HOTTEST, experts.hottest);
            addPart(parts, StepTerm.PROMPT_HOTTEST, experts.promptHottest);
        }
    }

    private void addPart(final double[] parts, final StepTerm term, final double count)
    {
        parts[term.part().ordinal()] += femtos(term) * count / FEMTOS_PER_NANO;
    }

    /** The same cost with each part scaled. */
    public ServedStepCost scaled(final double[] scales)
    {
        final Map<StepTerm, Long> scaled = new EnumMap<>(StepTerm.class);
        terms.forEach((term, value) ->
            scaled.put(term, Math.min(MAX_FEMTOS, Math.round(value * scales[term.part().ordinal()]))));
        return new ServedStepCost(deployment, shape, scaled);
    }

    /** The same cost with a time for every step that has tokens of a prompt. */
    public ServedStepCost withPromptStep(final double micros)
    {
        final Map<StepTerm, Long> changed = new EnumMap<>(terms);
        put(changed, StepTerm.PROMPT_STEP, micros);
        return new ServedStepCost(deployment, shape, changed);
    }

    /** The same cost under another name. */
    public ServedStepCost named(final String name)
    {
        return new ServedStepCost(name, shape, terms);
    }

    /**
     * Of a deployment of which only times are known.
     *
     * @param micros of the base, a token of a prompt, a decode entry, and a token of context that it reads.
     */
    public static ServedStepCost linear(final String name, final double... micros)
    {
        final Map<StepTerm, Long> terms = new EnumMap<>(StepTerm.class);
        Arrays.stream(StepTerm.values()).forEach(term -> terms.put(term, 0L));
        put(terms, StepTerm.BASE, micros[0]);
        put(terms, StepTerm.PROMPT_TOKEN, micros[1]);
        put(terms, StepTerm.DECODE_ENTRY, micros[2]);
        put(terms, StepTerm.CONTEXT_TOKEN, micros[3]);
        return new ServedStepCost(name, new Shape(0, 0, 0, 1, 1, 0), terms);
    }

    /** Counts of one expert-parallel group if experts are alike. */
    private record ExpectedExperts(double touched, double promptTouched, double assignments, double promptAssignments,
        double hottest, double promptHottest)
    {
    }

    private ExpectedExperts expectedExperts(final StepLoad load)
    {
        final double perGroup = (double)shape.experts / shape.expertGroups;
        final double decode = perGroup * (1 - untouched(load.groupDecodeTokens));
        final double all = perGroup * (1 - untouched(load.groupDecodeTokens + load.groupPromptTokens));
        return new ExpectedExperts(decode, all - decode,
            (double)load.groupDecodeTokens * shape.topK / shape.expertGroups,
            (double)load.groupPromptTokens * shape.topK / shape.expertGroups, hottest(load.groupDecodeTokens),
            hottest(load.groupPromptTokens));
    }

    /** As if experts were alike. */
    private double expected(final StepLoad load)
    {
        final ExpectedExperts experts = expectedExperts(load);
        return charge(experts.touched, experts.promptTouched, experts.assignments, experts.promptAssignments,
            experts.hottest, experts.promptHottest);
    }

    private double hottest(final long tokens)
    {
        final double mean = (double)tokens * shape.topK / shape.experts;
        return Math.min(tokens, mean + 2 * Math.sqrt(mean));
    }

    /** Femtoseconds of one expert-parallel group over all layers, if every layer is like this. */
    double charge(final double experts, final double promptExperts, final double assignments, final double promptAssignments,
        final double hottest, final double promptHottest)
    {
        return femtos(StepTerm.EXPERT) * experts + femtos(StepTerm.PROMPT_EXPERT) * promptExperts +
            femtos(StepTerm.ASSIGNMENT) * assignments + femtos(StepTerm.PROMPT_ASSIGNMENT) * promptAssignments +
            femtos(StepTerm.HOTTEST) * hottest + femtos(StepTerm.PROMPT_HOTTEST) * promptHottest;
    }

    /** By repeated multiplication, whose result is the same on any JVM. */
    private double untouched(final long tokens)
    {
        final int most = (int)Math.min(tokens, MAX_COUNT);
        double[] shares = untouched;
        if (most >= shares.length)
        {
            // Another thread may do the same; each reads the array that it has made.
            final double[] longer = Arrays.copyOf(shares, Math.max(most + 1, 2 * shares.length));
            final double share = 1 - (double)shape.topK / shape.experts;
            for (int i = shares.length; i < longer.length; i++)
            {
                longer[i] = longer[i - 1] * share;
            }
            shares = longer;
            untouched = longer;
        }
        return shares[most];
    }

    /** One line; {@link #parse} reads it back. */
    public String text()
    {
        final StringBuilder text = new StringBuilder(deployment.replace(';', ','));
        text.append("; moeLayers=").append(shape.moeLayers).append(" experts=").append(shape.experts)
            .append(" topK=").append(shape.topK).append(" expertGroups=").append(shape.expertGroups)
            .append(" dataParallel=").append(shape.dataParallel).append(" windowTokens=").append(shape.windowTokens);
        terms.forEach((term, value) -> text.append(' ').append(term.label()).append('=').append(value));
        return text.toString();
    }

    /** @throws ConfigException if the text is not the form of {@link #text}. */
    public static ServedStepCost parse(final String text)
    {
        final int end = text.indexOf(';');
        final Map<String, Long> values = new LinkedHashMap<>();
        for (final String part : end < 0 ? new String[0] : text.substring(end + 1).strip().split(" +"))
        {
            final int equals = part.indexOf('=');
            if (equals < 1 || !part.substring(equals + 1).matches("\\d{1,18}"))
            {
                throw ConfigException.of("stepCost", part, "NAME=NUMBER", "give " + FORM);
            }
            values.put(part.substring(0, equals), Long.parseLong(part.substring(equals + 1)));
        }
        final Shape shape = new Shape(size(values, "moeLayers"), size(values, "experts"), size(values, "topK"),
            size(values, "expertGroups"), size(values, "dataParallel"), size(values, "windowTokens"));
        final Map<StepTerm, Long> terms = new EnumMap<>(StepTerm.class);
        for (final StepTerm term : StepTerm.values())
        {
            if (term != StepTerm.PROMPT_STEP || values.containsKey(term.label()))
            {
                terms.put(term, value(values, term.label()));
            }
        }
        if (!values.isEmpty())
        {
            throw ConfigException.of("stepCost", values.keySet().iterator().next(), "a known term", "give " + FORM);
        }
        return new ServedStepCost(text.substring(0, end), shape, terms);
    }

    private static int size(final Map<String, Long> values, final String name)
    {
        return (int)Math.min(MAX_COUNT + 1L, value(values, name));
    }

    private static long value(final Map<String, Long> values, final String name)
    {
        final Long value = values.remove(name);
        if (value == null)
        {
            throw ConfigException.because("the step cost has no " + name).allowed("a number").remedy("give " + FORM);
        }
        return value;
    }

    @Override
    public boolean equals(final Object other)
    {
        return other instanceof final ServedStepCost cost && text().equals(cost.text());
    }

    @Override
    public int hashCode()
    {
        return text().hashCode();
    }

    @Override
    public String toString()
    {
        return text();
    }
}
