// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Generated workloads that are known by name; each is the starting point of a {@link GeneratedWorkloadConfig}. */
public enum WorkloadPreset
{
    /** The defaults: about 1,900 requests in 400 conversations. */
    CONVERSATIONS("conversations")
    {
        @Override
        public GeneratedWorkloadConfig.Builder builder()
        {
            return GeneratedWorkloadConfig.builder();
        }
    },

    /** Most conversations and questions are short, a few are very long: balance by number of requests fails. */
    SKEWED("skewed")
    {
        @Override
        public GeneratedWorkloadConfig.Builder builder()
        {
            return GeneratedWorkloadConfig.builder()
                .conversations(300)
                .arrivals(new Arrivals.Poisson(4.0))
                .turns(new SizeDistribution.Zipf(1.2, 1, 64))
                .userTokens(new SizeDistribution.Lognormal(150.0, 1.6, 8, 16_384))
                .maxContextTokens(65_536);
        }
    },

    /** The conversations of the defaults in clumps: their gaps vary five times as much as those of Poisson arrivals. */
    BURSTY("bursty")
    {
        @Override
        public GeneratedWorkloadConfig.Builder builder()
        {
            return GeneratedWorkloadConfig.builder().arrivals(new Arrivals.Bursty(8.0, 5.0));
        }
    },

    /**
     * 256 clients who never pause, each starting its next conversation when one has ended: the shape of the published
     * benchmark of TensorRT-LLM's KV-cache-aware router, of which number of clients and blocks of 64 tokens on 8 ranks
     * are known. Lengths are assumptions: some 19 turns, and a system prompt of about ten turns' worth of tokens.
     */
    CLOSED_LOOP("closed-loop")
    {
        @Override
        public GeneratedWorkloadConfig.Builder builder()
        {
            return GeneratedWorkloadConfig.builder()
                .conversations(512)
                .clients(256)
                .arrivals(new Arrivals.Poisson(64.0))
                .systemPromptTokens(5120)
                .turns(new SizeDistribution.Lognormal(18.0, 0.35, 4, 48))
                .userTokens(new SizeDistribution.Lognormal(256.0, 0.8, 16, 4096))
                .outputTokens(new SizeDistribution.Lognormal(200.0, 0.6, 16, 1024))
                .meanThinkTimeNanos(0)
                .maxContextTokens(32_768);
        }
    },

    /**
     * The closed loop of public benchmarks of served models: 64 clients who all start at once and never pause, ten requests
     * of one turn each, no common prefix, lengths uniform from 0.8 to 1.0 of 1,024 tokens.
     */
    BENCHMARK("benchmark")
    {
        @Override
        public GeneratedWorkloadConfig.Builder builder()
        {
            return GeneratedWorkloadConfig.builder()
                .conversations(640)
                .clients(64)
                .arrivals(new Arrivals.Poisson(1_000_000.0))
                .systemPromptTokens(0)
                .turns(new SizeDistribution.Fixed(1))
                .userTokens(new SizeDistribution.Uniform(820, 1024))
                .outputTokens(new SizeDistribution.Uniform(820, 1024))
                .meanThinkTimeNanos(0);
        }
    };

    private final String label;

    WorkloadPreset(final String label)
    {
        this.label = label;
    }

    /** The name on the command line. */
    public String label()
    {
        return label;
    }

    /** A new builder with the preset's settings. */
    public abstract GeneratedWorkloadConfig.Builder builder();

    /** @throws ConfigException when there is no such preset. */
    public static WorkloadPreset of(final String label)
    {
        return Arrays.stream(values()).filter(preset -> preset.label.equals(label)).findFirst().orElseThrow(() ->
            ConfigException.because(new ConfigException.Named("workload", label), " is not known")
                .allowed("one of " + labels()).remedy("give one of " + labels()));
    }

    /** The names of all presets, for messages and help. */
    public static String labels()
    {
        return Arrays.stream(values()).map(WorkloadPreset::label).collect(Collectors.joining(", "));
    }
}
