// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.ArrayList;
import java.util.List;

/** Reads the configuration of gpt-oss: attention with sinks, windows in some layers and biases, clamped experts. */
final class GptOssConfigReader
{
    private static final String LAYER_TYPES = "layer_types";
    private static final String SLIDING = "sliding_attention";
    private static final String FULL = "full_attention";
    private static final double PUBLISHED_LIMIT = 7.0;

    private final ConfigReader config;

    GptOssConfigReader(final ConfigReader config)
    {
        this.config = config;
    }

    DecoderPlan plan()
    {
        final int topK = config.number("num_experts_per_tok");
        if (config.number("experts_per_token", topK) != topK)
        {
            throw config.fault("gives different values as 'num_experts_per_tok' and 'experts_per_token'");
        }
        final double limit = config.real("swiglu_limit", PUBLISHED_LIMIT);
        if (!(limit > 0.0) || Double.isInfinite(limit))
        {
            throw config.fault("has 'swiglu_limit' with " + limit + ", which is not a finite number above 0");
        }
        final ExpertsPlan experts = ExpertsPlan.softmax(config.number("num_local_experts"), topK,
            config.number("intermediate_size"), false).withScoring(ExpertScoring.TOP_K_THEN_SOFTMAX).withLimit(limit);
        return config.plan(ModelFamily.GPT_OSS, config.moeFrom(0), 0, attention(), experts);
    }

    private AttentionPlan attention()
    {
        // transformers takes the scaling of the published models if both fields are absent.
        if (!config.has("rope_scaling") && !config.has("rope_parameters"))
        {
            throw config.fault("has neither 'rope_scaling' nor 'rope_parameters'");
        }
        final RopeConfigReader rope = new RopeConfigReader(config);
        return AttentionPlan.of(config.number("num_attention_heads"), config.number("num_key_value_heads"),
            config.number("head_dim"), rope.theta()).withYarn(rope.scaling(false)).withWindow(config.window(slidingLayers()))
            .withBiases(config.flag("attention_bias", true)).withSinks(true);
    }

    private List<Integer> slidingLayers()
    {
        if (!(config.value(LAYER_TYPES) instanceof List<?> types) || types.size() != config.layers())
        {
            throw config.fault("has no '" + LAYER_TYPES + "' that is a list with a type for each of its " +
                config.layers() + " layers");
        }
        final List<Integer> sliding = new ArrayList<>();
        for (int layer = 0; layer < types.size(); layer++)
        {
            final Object type = types.get(layer);
            if (!SLIDING.equals(type) && !FULL.equals(type))
            {
                throw config.unsupported("has '" + LAYER_TYPES + "' with '" + ModelJson.printable(String.valueOf(type)) +
                    "' for layer " + layer + ", and only '" + SLIDING + "' and '" + FULL + "' are supported",
                    "use a checkpoint with these types");
            }
            if (SLIDING.equals(type))
            {
                sliding.add(layer);
            }
        }
        return sliding;
    }
}
