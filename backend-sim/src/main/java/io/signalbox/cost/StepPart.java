// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

/** Parts of a step time that measured points of a deployment can tell apart. A calibration scales each of them. */
public enum StepPart
{
    /** Every step. */
    BASE("base"),
    /** Decode entries, apart from the context that they read. */
    ENTRIES("entries"),
    /** Context that decode entries read. */
    CONTEXT("context"),
    /** Experts that decode entries touch. */
    EXPERTS("experts"),
    /** Tokens of prompts. */
    PROMPTS("prompts"),
    /** Every step with tokens of a prompt. */
    PROMPT_STEPS("promptSteps");

    private final String label;

    StepPart(final String label)
    {
        this.label = label;
    }

    public String label()
    {
        return label;
    }
}
