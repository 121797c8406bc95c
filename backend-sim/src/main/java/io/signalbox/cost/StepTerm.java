// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import java.util.Arrays;

/** What a step is charged for, in femtoseconds per unit, over all layers. */
public enum StepTerm
{
    BASE("base"),
    DECODE_ENTRY("decodeEntry"),
    CONTEXT_TOKEN("contextToken"),
    WINDOW_TOKEN("windowToken"),
    PROMPT_TOKEN("promptToken"),
    PROMPT_PAIR("promptPair"),
    WINDOW_PAIR("windowPair"),
    GROUP_TOKEN("groupToken"),
    GROUP_PROMPT_TOKEN("groupPromptToken"),
    EXPERT("expert"),
    PROMPT_EXPERT("promptExpert"),
    ASSIGNMENT("assignment"),
    PROMPT_ASSIGNMENT("promptAssignment"),
    HOTTEST("hottest"),
    PROMPT_HOTTEST("promptHottest");

    private final String label;

    StepTerm(final String label)
    {
        this.label = label;
    }

    public String label()
    {
        return label;
    }

    /** {@code null} if there is no such term. */
    static StepTerm of(final String label)
    {
        return Arrays.stream(values()).filter(term -> term.label.equals(label)).findFirst().orElse(null);
    }
}
