// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import java.util.Arrays;

/** What a step is charged for, in femtoseconds per unit, over all layers. */
public enum StepTerm
{
    BASE("base", StepPart.BASE),
    DECODE_ENTRY("decodeEntry", StepPart.ENTRIES),
    CONTEXT_TOKEN("contextToken", StepPart.CONTEXT),
    WINDOW_TOKEN("windowToken", StepPart.CONTEXT),
    PROMPT_TOKEN("promptToken", StepPart.PROMPTS),
    PROMPT_PAIR("promptPair", StepPart.PROMPTS),
    WINDOW_PAIR("windowPair", StepPart.PROMPTS),
    GROUP_TOKEN("groupToken", StepPart.ENTRIES),
    GROUP_PROMPT_TOKEN("groupPromptToken", StepPart.PROMPTS),
    EXPERT("expert", StepPart.EXPERTS),
    PROMPT_EXPERT("promptExpert", StepPart.PROMPTS),
    ASSIGNMENT("assignment", StepPart.ENTRIES),
    PROMPT_ASSIGNMENT("promptAssignment", StepPart.PROMPTS),
    HOTTEST("hottest", StepPart.ENTRIES),
    PROMPT_HOTTEST("promptHottest", StepPart.PROMPTS),
    /** A step with tokens of a prompt: engines launch its kernels one by one instead of as a graph. */
    PROMPT_STEP("promptStep", StepPart.PROMPT_STEPS);

    private final String label;
    private final StepPart part;

    StepTerm(final String label, final StepPart part)
    {
        this.label = label;
        this.part = part;
    }

    public String label()
    {
        return label;
    }

    public StepPart part()
    {
        return part;
    }

    /** {@code null} if there is no such term. */
    static StepTerm of(final String label)
    {
        return Arrays.stream(values()).filter(term -> term.label.equals(label)).findFirst().orElse(null);
    }
}
