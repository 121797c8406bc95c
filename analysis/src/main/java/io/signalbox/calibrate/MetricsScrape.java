// SPDX-License-Identifier: Apache-2.0
package io.signalbox.calibrate;

import io.signalbox.ConfigException;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counters of vLLM's {@code /metrics}, each summed over its labels. Every decoding request has one token in each step, so
 * generated tokens over steps are the mean requests of a step.
 */
final class MetricsScrape
{
    private static final Pattern SAMPLE = Pattern.compile("vllm[:_]([a-z0-9_]+)(?:\\{(.*)\\})?\\s+(\\S+).*");
    private static final Pattern ENGINE = Pattern.compile("engine=\"([^\"]*)\"");
    private static final String TTFT = "time_to_first_token_seconds";
    private static final String STEPS = "iteration_tokens_total";
    private static final String[] TPOT =
        {"request_time_per_output_token_seconds", "inter_token_latency_seconds", "time_per_output_token_seconds"};
    private static final double MILLIS_PER_SECOND = 1000;

    private final Path file;
    private final Map<String, Double> counters;
    private final int engines;

    private MetricsScrape(final Path file, final Map<String, Double> counters, final int engines)
    {
        this.file = file;
        this.counters = counters;
        this.engines = engines;
    }

    static MetricsScrape read(final Path file, final String text)
    {
        final Map<String, Double> counters = new HashMap<>();
        final Set<String> engines = new HashSet<>();
        for (final String line : text.split("\n"))
        {
            final Matcher sample = SAMPLE.matcher(line);
            if (sample.matches() && !sample.group(1).endsWith("_bucket"))
            {
                counters.merge(sample.group(1), value(file, line, sample.group(3)), Double::sum);
                final Matcher engine = ENGINE.matcher(sample.group(2) == null ? "" : sample.group(2));
                engines.add(engine.find() ? engine.group(1) : "");
            }
        }
        return new MetricsScrape(file, counters, Math.max(1, engines.size()));
    }

    private static double value(final Path file, final String line, final String text)
    {
        try
        {
            return Double.parseDouble(text);
        }
        catch (final NumberFormatException e)
        {
            throw new ConfigException(file + " has the line '" + line.substring(0, Math.min(60, line.length())) +
                "' without a number; give an undamaged scrape.");
        }
    }

    /** What was counted since an earlier scrape; all of it if there is none, or the server was started since. */
    MetricsScrape since(final MetricsScrape earlier)
    {
        final String requests = TTFT + "_count";
        if (earlier == null || sum(requests) <= earlier.sum(requests))
        {
            return this;
        }
        final Map<String, Double> difference = new HashMap<>();
        counters.forEach((name, value) -> difference.put(name, value - earlier.counters.getOrDefault(name, 0.0)));
        return new MetricsScrape(file, difference, engines);
    }

    private double sum(final String name)
    {
        return counters.getOrDefault(name, 0.0);
    }

    LoadPoint point(final Path source)
    {
        final String tpot = tpotName();
        final double requests = needed(TTFT + "_count");
        final double generated = needed("generation_tokens_total");
        final double cached = sum("prefix_cache_hits_total");
        final double prompt = Math.max(1, (needed("prompt_tokens_total") - cached) / requests);
        final double perStep = generated / needed(STEPS + "_count");
        return new LoadPoint(source.toString(), (int)Math.round(prompt), (int)Math.max(2, Math.round(generated / requests)),
            (int)Math.max(1, Math.round(perStep * engines)),
            MILLIS_PER_SECOND * needed(TTFT + "_sum") / requests,
            MILLIS_PER_SECOND * needed(tpot + "_sum") / needed(tpot + "_count"));
    }

    private String tpotName()
    {
        for (final String name : TPOT)
        {
            if (sum(name + "_count") > 0)
            {
                return name;
            }
        }
        return TPOT[0];
    }

    private double needed(final String name)
    {
        final double value = sum(name);
        if (value > 0)
        {
            return value;
        }
        throw new ConfigException(file + " has no count in vllm:" + name + "; give a scrape of a vLLM server that has " +
            "answered requests, saved whole.");
    }
}
