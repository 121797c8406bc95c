// SPDX-License-Identifier: Apache-2.0
package io.signalbox.metrics;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** The text of a scrape, in parts. */
final class Scrape
{
    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][\\w:]*)(?:\\{(.*)})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    /** Type of each family, in the order of the scrape. */
    final Map<String, String> types = new LinkedHashMap<>();
    final Map<String, String> help = new LinkedHashMap<>();
    private final Map<String, Map<Map<String, String>, Double>> samples = new LinkedHashMap<>();

    Scrape(final PrometheusMeterRegistry registry)
    {
        for (final String line : registry.scrape().lines().toList())
        {
            if (line.startsWith("# TYPE "))
            {
                final String[] words = line.split(" ");
                types.put(words[2], words[3]);
            }
            else if (line.startsWith("# HELP "))
            {
                final String[] words = line.split(" ", 4);
                help.put(words[2], words[3]);
            }
            else if (!line.startsWith("#"))
            {
                add(line);
            }
        }
    }

    private void add(final String line)
    {
        final Matcher sample = SAMPLE.matcher(line);
        assertTrue(sample.matches(), line);
        final Map<String, String> labels = new TreeMap<>();
        final Matcher label = LABEL.matcher(sample.group(2) == null ? "" : sample.group(2));
        while (label.find())
        {
            labels.put(label.group(1), label.group(2));
        }
        samples.computeIfAbsent(sample.group(1), name -> new LinkedHashMap<>())
            .put(labels, Double.valueOf(sample.group(3)));
    }

    boolean has(final String sample)
    {
        return samples.containsKey(sample);
    }

    /** Labels of every sample of this name. */
    List<Map<String, String>> labels(final String sample)
    {
        return List.copyOf(samples.getOrDefault(sample, Map.of()).keySet());
    }

    /** The sum of the samples with these labels, which are given as {@code key=value}. */
    double sum(final String sample, final String... labels)
    {
        assertTrue(samples.containsKey(sample), "no " + sample + " in " + samples.keySet());
        return samples.get(sample).entrySet().stream()
            .filter(entry -> List.of(labels).stream()
                .allMatch(label -> label.split("=")[1].equals(entry.getKey().get(label.split("=")[0]))))
            .mapToDouble(Map.Entry::getValue).sum();
    }

    /** The quantile as Prometheus' histogram_quantile computes it from the buckets, in seconds. */
    double quantile(final double quantile, final String histogram)
    {
        final TreeMap<Double, Double> buckets = new TreeMap<>();
        samples.get(histogram + "_bucket").forEach((labels, count) -> buckets.merge(
            labels.get("le").equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(labels.get("le")), count,
            Double::sum));
        final double wanted = quantile * buckets.lastEntry().getValue();
        double lower = 0;
        double below = 0;
        for (final Map.Entry<Double, Double> bucket : buckets.entrySet())
        {
            if (bucket.getValue() >= wanted)
            {
                return lower + (bucket.getKey() - lower) * (wanted - below) / (bucket.getValue() - below);
            }
            lower = bucket.getKey();
            below = bucket.getValue();
        }
        return Double.NaN;
    }
}
