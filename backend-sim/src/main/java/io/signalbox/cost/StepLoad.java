// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

/** What one step computes, on one attention group and over all groups that share its experts. Reused. */
public final class StepLoad
{
    long decodeEntries;
    long contextTokens;
    long windowTokens;
    long promptTokens;
    long promptPairs;
    long windowPairs;
    long groupDecodeTokens;
    long groupPromptTokens;

    public void clear()
    {
        decodeEntries = 0;
        contextTokens = 0;
        windowTokens = 0;
        promptTokens = 0;
        promptPairs = 0;
        windowPairs = 0;
        groupDecodeTokens = 0;
        groupPromptTokens = 0;
    }

    /**
     * Adds an entry of one token.
     *
     * @param context tokens that it reads.
     * @param window  most tokens that a layer with a window reads.
     */
    public void addDecode(final long context, final long window)
    {
        decodeEntries++;
        contextTokens += context;
        windowTokens += Math.min(context, window);
        groupDecodeTokens++;
    }

    /**
     * Adds tokens of a prompt.
     *
     * @param start position of the first.
     */
    public void addPrompt(final long start, final long tokens, final long window)
    {
        final long pairs = tokens * start + tokens * tokens / 2;
        promptTokens += tokens;
        promptPairs += pairs;
        windowPairs += Math.min(pairs, tokens * window);
        groupPromptTokens += tokens;
    }

    /** Counts as many groups that share the experts, all with the load of this one. */
    public void asOneOf(final int groups)
    {
        groupDecodeTokens = groups * decodeEntries;
        groupPromptTokens = groups * promptTokens;
    }

    /** Counts the tokens of another group that shares the experts. */
    public void addGroup(final StepLoad other)
    {
        groupDecodeTokens += other.decodeEntries;
        groupPromptTokens += other.promptTokens;
    }

    /** How often a step pays the term, which is none of experts. */
    long count(final StepTerm term)
    {
        return switch (term)
        {
            case BASE -> 1;
            case DECODE_ENTRY -> decodeEntries;
            case CONTEXT_TOKEN -> contextTokens;
            case WINDOW_TOKEN -> windowTokens;
            case PROMPT_TOKEN -> promptTokens;
            case PROMPT_PAIR -> promptPairs;
            case WINDOW_PAIR -> windowPairs;
            case GROUP_TOKEN -> groupDecodeTokens;
            case GROUP_PROMPT_TOKEN -> groupPromptTokens;
            case PROMPT_STEP -> promptTokens > 0 ? 1 : 0;
            default -> throw new IllegalArgumentException("a load does not have the count of " + term);
        };
    }
}
