// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.calibration;

import io.signalbox.calibrate.CsvRecords;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Measured kernels by cell, with the terms by which a cell is fitted. */
final class KernelRows
{
    private static final double MICROS_PER_MILLI = 1000;

    /** @param group of rows that differ in the distribution of experts alone; empty: none. */
    record Row(double[] terms, double micros, int tokens, String group, String distribution)
    {
    }

    private final Path directory;
    private final Map<String, List<Row>> cells = new TreeMap<>();

    KernelRows(final Path directory)
    {
        this.directory = directory;
    }

    Map<String, List<Row>> read()
    {
        readLatent("mla_generation_latency_vllm0.24_h100_h200_b200.csv.gz", "mla-decode");
        readLatent("mla_context_latency_vllm0.24_h100_h200_b200.csv.gz", "mla-prefill");
        readGrouped("gqa_generation_attention_latency_vllm0.24_h100_h200_b200.csv.gz", "gqa-decode");
        readGrouped("gqa_context_attention_latency_vllm0.24_h100_h200_b200.csv.gz", "gqa-prefill");
        readCollectives();
        readExperts();
        return cells;
    }

    private void add(final String cell, final double[] terms, final double micros)
    {
        cells.computeIfAbsent(cell, name -> new ArrayList<>()).add(new Row(terms, micros, 0, "", ""));
    }

    private CsvRecords open(final String file, final String... columns)
    {
        return CsvRecords.read(directory.resolve(file), List.of(columns));
    }

    private void readLatent(final String file, final String kind)
    {
        final CsvRecords rows = open(file, "system", "kv_cache_dtype", "gemm_type", "num_heads", "batch_size", "isl", "step",
            "latency");
        while (rows.next())
        {
            if (rows.text("kv_cache_dtype").equals("bfloat16"))
            {
                final double heads = rows.count("num_heads", 0);
                final double batch = rows.count("batch_size", 0);
                final double context = batch * rows.count("step", 0);
                final double length = rows.count("isl", 0);
                final double tokens = batch * length;
                final double pairs = tokens * length / 2;
                add(kind + "/" + rows.text("system") + "/" + rows.text("gemm_type"), kind.endsWith("decode") ?
                    new double[] {1, heads, batch, batch * heads, context, context * heads} :
                    new double[] {1, heads, tokens, tokens * heads, pairs * heads}, micros(rows));
            }
        }
    }

    private void readGrouped(final String file, final String kind)
    {
        final CsvRecords rows = open(file, "system", "kv_cache_dtype", "num_heads", "num_key_value_heads", "head_dim",
            "batch_size", "isl", "step", "latency");
        while (rows.next())
        {
            if (rows.text("kv_cache_dtype").equals("bfloat16"))
            {
                final double heads = rows.count("num_heads", 0);
                final double size = rows.count("head_dim", 0);
                final double values = rows.count("num_key_value_heads", 0) * size;
                final double batch = rows.count("batch_size", 0);
                final double context = batch * rows.count("step", 0);
                final double length = rows.count("isl", 0);
                final double tokens = batch * length;
                final double pairs = tokens * length / 2;
                add(kind + "/" + rows.text("system"), kind.endsWith("decode") ?
                    new double[] {1, batch, batch * values, context * values, context * heads} :
                    new double[] {1, tokens, tokens * heads * size, pairs * heads * size, pairs * heads}, micros(rows));
            }
        }
    }

    private static double micros(final CsvRecords rows)
    {
        return rows.number("latency", 0) * MICROS_PER_MILLI;
    }

    /** The faster implementation of each size. */
    private void readCollectives()
    {
        final CsvRecords rows =
            open("collectives_latency_h100_h200_b200.csv.gz", "system", "op_name", "nccl_dtype", "num_gpus", "message_size",
                "latency");
        final Map<String, Map<Integer, Double>> fastest = new HashMap<>();
        while (rows.next())
        {
            if (!rows.text("nccl_dtype").equals("int8"))
            {
                fastest.computeIfAbsent("collective/" + rows.text("op_name") + "/" + rows.text("system") + "/" +
                    rows.text("num_gpus"), cell -> new TreeMap<>())
                    .merge(rows.count("message_size", 0), micros(rows), Math::min);
            }
        }
        fastest.forEach((cell, sizes) ->
            sizes.forEach((bytes, micros) -> add(cell, new double[] {1, bytes}, micros)));
    }

    private void readExperts()
    {
        final CsvRecords rows = open("moe_layer_latency_vllm0.24_h100_h200_b200.csv.gz", "system", "model", "moe_dtype",
            "num_tokens", "topk", "num_experts", "moe_tp_size", "moe_ep_size", "distribution", "kernel_source", "latency");
        final HarnessLoads harness = new HarnessLoads();
        while (rows.next())
        {
            final int tokens = rows.count("num_tokens", 0);
            final int shards = rows.count("moe_tp_size", 0);
            final int groups = rows.count("moe_ep_size", 0);
            final String model = rows.text("model");
            final String distribution = rows.text("distribution");
            final HarnessLoads.Loads loads = harness.of(model.startsWith("DeepSeek"), tokens,
                rows.count("num_experts", 0), rows.count("topk", 0), groups, distribution);
            final String cell = String.join("/", "moe", model, rows.text("system"), rows.text("moe_dtype"), "tp" + shards,
                rows.text("kernel_source"));
            cells.computeIfAbsent(cell, name -> new ArrayList<>()).add(new Row(new double[] {1, loads.touched() / shards,
                loads.assignments() / shards, tokens, loads.hottest() / shards}, micros(rows), tokens,
                tokens + "/" + groups, distribution));
        }
    }
}
