// SPDX-License-Identifier: Apache-2.0
package io.signalbox.calibrate;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LoadPointFilesTest
{
    /** 100 requests of 500 prompt tokens, of which 100 were cached, and 20 answer tokens; 4 requests in a typical step. */
    private static final String SCRAPE = """
        # HELP vllm:time_to_first_token_seconds Histogram of time to first token in seconds.
        # TYPE vllm:time_to_first_token_seconds histogram
        vllm:time_to_first_token_seconds_bucket{engine="0",le="0.25",model_name="m"} 90.0
        vllm:time_to_first_token_seconds_sum{engine="0",model_name="m"} 8.0
        vllm:time_to_first_token_seconds_count{engine="0",model_name="m"} 100.0
        vllm:inter_token_latency_seconds_sum{engine="0",model_name="m"} 38.0
        vllm:inter_token_latency_seconds_count{engine="0",model_name="m"} 1900.0
        vllm:iteration_tokens_total_sum{engine="0",model_name="m"} 42000.0
        vllm:iteration_tokens_total_count{engine="0",model_name="m"} 500.0
        vllm:prompt_tokens_total{engine="0",model_name="m"} 50000.0
        vllm:prefix_cache_hits_total{engine="0",model_name="m"} 10000.0
        vllm:generation_tokens_total{engine="0",model_name="m"} 2000.0
        """;

    @TempDir
    private Path directory;

    private Path file(final String name, final String text) throws IOException
    {
        return Files.writeString(directory.resolve(name), text);
    }

    private LoadPoint point(final String name, final String text) throws IOException
    {
        return LoadPointFiles.read(List.of(file(name, text))).get(0);
    }

    private static void assertPoint(
        final LoadPoint point, final int prompt, final int output, final int concurrency, final double ttft,
        final double tpot)
    {
        assertEquals(List.of(prompt, output, concurrency),
            List.of(point.promptTokens(), point.outputTokens(), point.concurrency()));
        assertEquals(ttft, point.ttftMillis(), 1e-9);
        assertEquals(tpot, point.tpotMillis(), 1e-9);
    }

    @Test
    void shouldReadATable() throws IOException
    {
        final List<LoadPoint> points = LoadPointFiles.read(List.of(
            file("a.csv", "tpot_ms,concurrency,isl,osl,ttft_ms\n10.5,8,1000,200,70\n12,16,1000,200,\n")));

        assertEquals(2, points.size());
        assertPoint(points.get(0), 1000, 200, 8, 70, 10.5);
        assertTrue(Double.isNaN(points.get(1).ttftMillis()));
    }

    @Test
    void shouldReadResultsOfVllmBenchServe() throws IOException
    {
        final String result = """
            {"date": "20261101", "max_concurrency": 16, "completed": 100, "duration": 20.0, "total_input_tokens": 102400,
             "total_output_tokens": 12800, "mean_ttft_ms": 61.5, "mean_tpot_ms": 9.25, "ttfts": [0.1, 0.2]}
            """;
        assertPoint(point("a.json", result), 1024, 128, 16, 61.5, 9.25);
        // In 20 s, 100 requests of 61.5 + 127 * 9.25 ms are 6.2 at a time.
        assertPoint(point("b.json", result.replace("16,", "null,")), 1024, 128, 6, 61.5, 9.25);
        assertEquals(2, LoadPointFiles.read(List.of(file("c.jsonl", result + result))).size());
    }

    @Test
    void shouldReadAResultOfAiperf() throws IOException
    {
        assertPoint(point("a.json", """
            {"request_count": {"unit": "requests", "avg": 200.0}, "benchmark_duration": {"unit": "sec", "avg": 15.2},
             "time_to_first_token": {"unit": "ms", "avg": 158.5, "p50": 78.7}, "inter_token_latency": {"unit": "s",
             "avg": 0.012}, "input_sequence_length": {"avg": 550.2}, "output_sequence_length": {"avg": 96.85},
             "input_config": {"loadgen": {"concurrency": 100}}}
            """), 550, 97, 100, 158.5, 12);
    }

    @Test
    void shouldReadAScrapeAndCountTheNextOneFromIt() throws IOException
    {
        final Path first = file("a.txt", SCRAPE);
        assertPoint(LoadPointFiles.read(List.of(first)).get(0), 400, 20, 4, 80, 20);

        final Path second = file("b.txt", SCRAPE.replace("sum{engine=\"0\",model_name=\"m\"} 8.0", "sum{engine=\"0\"} 10.0")
            .replace("} 100.0", "} 110.0").replace("} 2000.0", "} 2400.0").replace("} 500.0", "} 550.0")
            .replace("} 50000.0", "} 58000.0").replace("} 38.0", "} 58.0").replace("} 1900.0", "} 2300.0"));
        assertPoint(LoadPointFiles.read(List.of(first, second)).get(1), 800, 40, 8, 200, 50);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "a,b|has no column 'concurrency' (or max_concurrency, batch_size); give a CSV file with concurrency",
        "{\"a\": 1}|has neither mean_ttft_ms, as 'vllm bench serve' writes it, nor time_to_first_token.avg",
        "{\"mean_ttft_ms\": 5, \"completed\": 0}|has completed=0; a number above 0 is needed.",
        "{\"mean_ttft_ms\": 5|is not valid JSON (line 1); give",
        "# HELP x|has no count in vllm:time_to_first_token_seconds_count; give a scrape",
        "vllm:generation_tokens_total x|has the line 'vllm:generation_tokens_total x' without a number; give an undamaged",
        "concurrency,isl,osl,ttft_ms,tpot_ms;0,5,5,5,5|row 1 after the header, has a concurrency of 0; 1 to 65536",
        "concurrency,isl,osl,ttft_ms,tpot_ms;1,5,5,5,0|has a TPOT of 0.0 ms; a time above 0 is allowed; correct it.",
        "concurrency,isl,osl,ttft_ms,tpot_ms|has no row; give a CSV file",
        "model_path,concurrency,isl,osl,ttft_ms,tpot_ms;x,1,5,5,5,1;y,1,5,5,5,1|points of several models: x, y; give"})
    void shouldSayWhatIsWrong(final String text, final String part) throws IOException
    {
        final Path file = file("a", text.replace(";", "\n"));

        final String message =
            assertThrows(ConfigException.class, () -> LoadPointFiles.read(List.of(file))).getMessage();
        assertTrue(message.contains(part) && message.startsWith(file.toString()) && message.endsWith("."), message);
    }
}
