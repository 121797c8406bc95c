// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

/** Families of models whose checkpoints can be read. */
public enum ModelFamily
{
    OLMOE("olmoe"),
    QWEN3_MOE("qwen3_moe"),
    MIXTRAL("mixtral"),
    DEEPSEEK_V3("deepseek_v3"),
    GPT_OSS("gpt_oss");

    private final String modelType;

    ModelFamily(final String modelType)
    {
        this.modelType = modelType;
    }

    /** The {@code model_type} of its {@code config.json}. */
    public String modelType()
    {
        return modelType;
    }
}
