// SPDX-License-Identifier: Apache-2.0
package io.signalbox.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.signalbox.engine.SignalboxEngine;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The dashboard asks for what a scrape has, and leaves nothing out. */
class DashboardTest
{
    /** Words of PromQL in front of a bracket or behind an aggregation, and names of variables. */
    private static final Set<String> PROMQL =
        Set.of("sum", "max", "by", "rate", "increase", "histogram_quantile", "label_values", "__rate_interval", "engine");
    /** Values of labels, and ranges of time. */
    private static final Pattern STRING = Pattern.compile("\"[^\"]*\"|\\[\\w+]");
    private static final Pattern WORD = Pattern.compile("[a-zA-Z_:][\\w:]*");

    private static JsonNode dashboard;
    private static SignalboxEngine engine;
    private static Scrape scrape;

    @BeforeAll
    static void scrapeAnEngine() throws IOException, InterruptedException
    {
        try (InputStream file = EngineMetrics.class.getResourceAsStream("grafana-dashboard.json"))
        {
            dashboard = new ObjectMapper().readTree(file);
        }
        final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        engine = EngineRun.launch();
        new EngineMetrics(engine::stats).bindTo(registry);
        EngineRun.complete(engine, 2);
        scrape = new Scrape(registry);
    }

    @AfterAll
    static void close()
    {
        engine.close();
    }

    @Test
    void shouldAskForMetricsThatAScrapeHas()
    {
        assertEquals(List.of(), unknown(expressions()));
        assertTrue(expressions().size() > 40, expressions()::toString);
    }

    @Test
    void shouldNoticeAnExpressionThatAsksForSomethingElse()
    {
        assertEquals(
            List.of("vllm:num_preemptions"), unknown(List.of("sum(rate(vllm:num_preemptions{engine=~\"a\"}[1m]))")));
        assertEquals(List.of("shard"), unknown(List.of("sum by (shard) (vllm:num_requests_running)")));
    }

    /** An alert on a metric that does not exist is silent for ever. */
    @Test
    void shouldAlertOnMetricsThatAScrapeHas() throws IOException
    {
        final List<String> lines;
        try (InputStream file = EngineMetrics.class.getResourceAsStream("prometheus-alerts.yml"))
        {
            lines = new String(file.readAllBytes(), StandardCharsets.UTF_8).lines().map(String::strip).toList();
        }
        final List<String> alerts = lines.stream().filter(line -> line.startsWith("expr: "))
            .map(line -> line.substring("expr: ".length())).toList();
        assertEquals(List.of(), unknown(alerts));
        assertEquals(lines.stream().filter(line -> line.startsWith("- alert: ")).distinct().count(), alerts.size());
        for (final String name : List.of("signalbox_engine_running", "signalbox_rank_lost", "signalbox_journal_lag_groups",
            "signalbox_missing_rows_total", "signalbox_requests_restarted_total", "vllm:kv_cache_usage_perc"))
        {
            assertTrue(alerts.stream().anyMatch(alert -> alert.contains(name)), name);
        }
        assertEquals(List.of("signalbox_lost_ranks"), unknown(List.of("signalbox_lost_ranks > 0")));
    }

    @Test
    void shouldShowEveryMetric()
    {
        final String all = String.join(" ", expressions());
        assertEquals(List.of(), scrape.types.keySet().stream().filter(name -> !all.contains(name)).toList());
    }

    @Test
    void shouldPlacePanelsBesideOneAnother()
    {
        final Set<String> cells = new TreeSet<>();
        for (final JsonNode panel : dashboard.get("panels"))
        {
            final JsonNode place = panel.get("gridPos");
            for (int x = place.get("x").asInt(); x < place.get("x").asInt() + place.get("w").asInt(); x++)
            {
                for (int y = place.get("y").asInt(); y < place.get("y").asInt() + place.get("h").asInt(); y++)
                {
                    assertTrue(x < 24 && cells.add(x + "," + y), panel.get("title") + " overlaps another panel");
                }
            }
            assertTrue(panel.get("type").asText().equals("row") || !panel.get("description").asText().isEmpty(),
                panel.get("title") + " has no description");
        }
    }

    private static List<String> expressions()
    {
        final List<String> expressions = new ArrayList<>();
        dashboard.get("panels").forEach(panel -> panel.path("targets").forEach(
            target -> expressions.add(target.get("expr").asText())));
        dashboard.get("templating").get("list").forEach(variable ->
        {
            if (variable.get("type").asText().equals("query"))
            {
                expressions.add(variable.get("definition").asText());
            }
        });
        return expressions;
    }

    /** Words that are neither PromQL nor a sample of the scrape nor a label of one that the expression names. */
    private static List<String> unknown(final List<String> expressions)
    {
        final List<String> unknown = new ArrayList<>();
        for (final String expression : expressions)
        {
            final Set<String> labels = new TreeSet<>();
            final List<String> words = new ArrayList<>();
            final Matcher word = WORD.matcher(STRING.matcher(expression).replaceAll(""));
            while (word.find())
            {
                words.add(word.group());
                scrape.labels(word.group()).stream().map(Map::keySet).forEach(labels::addAll);
            }
            words.stream().filter(name -> !PROMQL.contains(name) && !labels.contains(name) && !scrape.has(name))
                .forEach(unknown::add);
        }
        return unknown;
    }
}
