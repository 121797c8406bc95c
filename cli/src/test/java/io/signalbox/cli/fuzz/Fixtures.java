// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import io.signalbox.engine.SteppedEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalWriter;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.Simulation;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.SimulationProgress;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.SizeDistribution;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Small good files of each kind that a command reads, and files that are none of its business. */
final class Fixtures
{
    static final String TRACE = """
        {"timestamp": 0, "input_length": 600, "output_length": 5, "hash_ids": [1, 2]}
        {"timestamp": 20, "input_length": 900, "output_length": 3, "hash_ids": [1, 3]}
        {"timestamp": 20, "input_length": 100, "output_length": 0, "hash_ids": [7]}
        {"timestamp": 45, "input_length": 512, "output_length": 2, "hash_ids": [1]}
        """;
    static final String PLAYS = """
        {"id":"a","block_size":64,"hash_id_scope":"local","tool_tokens":130,"system_tokens":70,"requests":[\
        {"t":0.0,"type":"n","in":330,"out":10,"hash_ids":[1,2,3,4,5],"api_time":2.5,"think_time":0.0},\
        {"t":17.0,"type":"subagent","duration_ms":6500,"tool_tokens":64,"system_tokens":64,"requests":[\
        {"t":0.0,"type":"n","in":140,"out":3,"hash_ids":[20,21],"api_time":2.0,"think_time":0.0},\
        {"t":4.0,"type":"s","in":200,"out":4,"hash_ids":[20,21,22],"api_time":2.0,"think_time":2.0}]},\
        {"t":60.0,"type":"n","in":400,"out":7,"hash_ids":[1,2,3,4,5,6],"api_time":4.0,"think_time":3.5}]}
        {"id":"b","block_size":64,"hash_id_scope":"local","tool_tokens":130,"system_tokens":70,"requests":[\
        {"t":0.0,"type":"n","in":330,"out":0,"hash_ids":[1,2,3,4,5]}]}
        """;
    /** For a vocabulary of 300. */
    static final String PROMPTS = """
        {"id": "a", "prompt": [5, 7, 299, 0], "max_new_tokens": 3, "temperature": 0.8, "top_k": 40, "top_p": 0.9}
        {"id": 2, "prompt": [1], "seed": 7, "stop_token": 3, "conversation": 4}
        {"prompt": [9, 9, 9]}
        """;
    static final String ROUTER = """
        # A router for the fuzzer.
        attention_dp_config:
          enable_balance: false
          timeout_iters: 50
          batching_wait_iters: 10
          enable_kv_cache_aware_routing: true
          kv_cache_routing_load_balance_weight: 0.75
          kv_cache_routing_match_rate_threshold: 0.1
          kv_cache_routing_fair_share_multiplier: 2.0
          kv_cache_routing_cold_start_warmup: true
          kv_cache_routing_conversation_affinity: true
          kv_cache_routing_max_sessions: 100
          kv_cache_routing_new_conv_placement: round_robin
        """;
    /** Small segments make small files, and several of them. */
    private static final JournalConfig SMALL = new JournalConfig(Durability.PROCESS, 1 << 16, 1 << 16);

    /** Without a UTF-8 locale the JVM of the tests cannot name such files. */
    private static final boolean UNICODE = "UTF-8".equalsIgnoreCase(System.getProperty("sun.jnu.encoding"));

    private Fixtures()
    {
    }

    /** Lays out everything that an option may name. */
    static void all(final Path directory) throws IOException
    {
        Files.createDirectories(directory);
        foreign(directory.resolve("foreign"));
        Files.createDirectories(directory.resolve("empty"));
        Files.writeString(directory.resolve("small.jsonl"), TRACE);
        Files.writeString(directory.resolve("plays.jsonl"), PLAYS);
        Files.write(directory.resolve("small.jsonl.gz"), GzipFile.of(TRACE));
        Files.writeString(directory.resolve("router.yaml"), ROUTER);
        journal(directory.resolve("journal"), 1, 4, "conversation");
    }

    /** A tree that nothing may touch: files with the names of a journal's among them. */
    static void foreign(final Path directory) throws IOException
    {
        final Path deep = directory.resolve(UNICODE ? "b\u00e4ume/\u6e96" : "trees/water");
        Files.createDirectories(deep);
        Files.writeString(directory.resolve("notes.txt"), "mine\n");
        Files.write(deep.resolve("data.bin"), new byte[]{0, 1, 2, -1});
        Files.createSymbolicLink(directory.resolve("link"), Path.of("notes.txt"));
        Files.createDirectories(directory.resolve("segment-00007.old"));
        Files.writeString(directory.resolve("segment-00007.old/19700101F.cq4"), "not a journal");
    }

    /** A sealed journal of a small run. */
    static void journal(final Path directory, final long seed, final int conversations, final String label)
    {
        final SchedulerConfig scheduler = SchedulerConfig.builder().ranks(2).kvBlocks(600)
            .router(RouterConfig.of(label))
            .capture(new ModelShape(2, 16, 2)).build();
        final GeneratedWorkload workload = GeneratedWorkload.of(GeneratedWorkloadConfig.builder()
            .seed(seed).conversations(conversations).systemPromptTokens(16).turns(new SizeDistribution.Fixed(2))
            .userTokens(new SizeDistribution.Fixed(20))
            .outputTokens(new SizeDistribution.Fixed(4)).build());
        final Simulation simulation = new Simulation(scheduler, SimulationConfig.DEFAULT, workload);
        final JournalWriter writer = JournalWriter.create(directory, simulation.settings(), SMALL);
        simulation.run(SteppedEngine::new, writer, SimulationProgress.NONE);
    }
}
