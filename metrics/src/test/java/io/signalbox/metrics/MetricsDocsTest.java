// SPDX-License-Identifier: Apache-2.0
package io.signalbox.metrics;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.signalbox.engine.SignalboxEngine;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** docs/metrics.md lists what a scrape of an engine has. {@code -Dsignalbox.write=true} writes the table anew. */
class MetricsDocsTest
{
    private static final Path PAGE = Path.of(System.getProperty("signalbox.root")).resolve("docs/metrics.md");
    private static final String HEAD = "| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n";

    @Test
    void shouldListEveryMetricOfAScrape() throws IOException
    {
        final String page = Files.readString(PAGE);
        final int begin = page.indexOf(HEAD) + HEAD.length();
        final String table = table(scrape());
        if (Boolean.getBoolean("signalbox.write"))
        {
            Files.writeString(PAGE, page.substring(0, begin) + table);
            return;
        }
        assertEquals(table, page.substring(begin), "write it with -Dsignalbox.write=true");
    }

    /** An engine without requests has every series: a counter that appears with its first value has no rate before. */
    private static Scrape scrape()
    {
        final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (SignalboxEngine engine = EngineRun.launch())
        {
            new EngineMetrics(engine::stats).bindTo(registry);
            return new Scrape(registry);
        }
    }

    private static String table(final Scrape scrape)
    {
        final StringBuilder table = new StringBuilder();
        final Map<String, String> left = new LinkedHashMap<>(scrape.types);
        for (final EngineFigure figure : EngineFigures.ALL)
        {
            final String name = figure.name() + (figure.unit() == null ? "" : "_" + figure.unit()) +
                (figure.kind() == EngineFigure.Kind.COUNTER ? "_total" : "");
            table.append(row(scrape, name, name));
            left.remove(name);
        }
        for (final LatencyHistogram kind : EngineFigures.LATENCIES)
        {
            table.append(row(scrape, kind.name(), kind.name() + "_bucket"));
            left.remove(kind.name());
        }
        for (final TokenMetric kind : EngineFigures.TOKEN_METRICS)
        {
            table.append(row(scrape, kind.name(), kind.name() + "_bucket"));
            left.remove(kind.name());
        }
        final String info = EngineFigures.CACHE_CONFIG + "_info";
        table.append(row(scrape, info, info));
        left.remove(info);
        assertEquals(Map.of(), left, "the scrape has metrics that no figure declares");
        return table.toString();
    }

    private static String row(final Scrape scrape, final String family, final String sample)
    {
        final Map<String, TreeSet<String>> values = new LinkedHashMap<>();
        scrape.labels(sample).forEach(labels ->
            labels.forEach((key, value) -> values.computeIfAbsent(key, k -> new TreeSet<>()).add(value)));
        values.remove("engine");
        final String labels = values.entrySet().stream().map(entry -> "`" + entry.getKey() + "`" + switch (entry.getKey())
        {
            case "rank" -> "";
            case "le" -> family.endsWith("_seconds") ? ": bound in seconds" : ": bound in tokens";
            case "block_size", "num_gpu_blocks" -> "";
            case "router" -> ": its label";
            default -> ": " + String.join(", ", entry.getValue());
        }).collect(Collectors.joining("; "));
        return "| `" + family + "` | " + scrape.types.get(family) + " | " + labels + " | " + scrape.help.get(family) +
            " |\n";
    }
}
