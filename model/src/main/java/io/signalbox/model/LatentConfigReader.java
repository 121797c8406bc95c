// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

/** Reads the configuration of DeepSeek-V3: latent attention, sigmoid router with groups, shared experts. */
final class LatentConfigReader
{
    private final ConfigReader config;

    LatentConfigReader(final ConfigReader config)
    {
        this.config = config;
    }

    DecoderPlan plan()
    {
        config.refuseFlag(ConfigReader.BIAS);
        config.refuseOther("scoring_func", "sigmoid");
        config.refuseOther("topk_method", "noaux_tc");
        config.refuseOther("moe_layer_freq", 1L);
        final int first = config.number("first_k_dense_replace");
        if (first < 0 || first > config.layers())
        {
            throw config.fault("has 'first_k_dense_replace' with " + first + ", which is no number of its layers");
        }
        final int denseWidth = first == 0 ? 0 : config.number("intermediate_size");
        return config.plan(ModelFamily.DEEPSEEK_V3, config.moeFrom(first), denseWidth, attention(), experts());
    }

    private AttentionPlan attention()
    {
        final int plain = config.number("qk_nope_head_dim");
        final int rotary = config.number("qk_rope_head_dim");
        final LatentAttention latent = new LatentAttention(config.number("q_lora_rank", 0), config.number("kv_lora_rank"),
            plain, rotary, config.number("v_head_dim"), config.flag("rope_interleave", true));
        final int heads = config.number("num_attention_heads");
        if ((long)plain + rotary > AttentionPlan.MAX_HEAD_SIZE)
        {
            throw config.fault("has heads of " + plain + " + " + rotary + " elements, above " + AttentionPlan.MAX_HEAD_SIZE);
        }
        final RopeConfigReader rope = new RopeConfigReader(config);
        return AttentionPlan.of(heads, heads, plain + rotary, rope.theta()).withLatent(latent).withYarn(rope.scaling(true));
    }

    private ExpertsPlan experts()
    {
        return ExpertsPlan.softmax(config.number("n_routed_experts"), config.number("num_experts_per_tok"),
            config.number("moe_intermediate_size"), config.flag("norm_topk_prob", true))
            .withScoring(ExpertScoring.SIGMOID_GROUPS).withRoundedWeights(false)
            .withGroups(config.number("n_group"), config.number("topk_group"))
            .withSharedExperts(config.number("n_shared_experts")).withScale(config.real("routed_scaling_factor", null));
    }
}
