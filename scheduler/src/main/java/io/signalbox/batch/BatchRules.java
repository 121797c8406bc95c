// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/**
 * By what a {@link BatchPlanner} decides.
 *
 * @param maxRunning        most requests that run at a time.
 * @param stepTokens        token budget of a step.
 * @param depth             most steps in flight, 1 to 4.
 * @param draftTokens       draft tokens per entry that the device samples.
 * @param pausedBlocks      most KV blocks that paused requests may hold; 0: none is paused.
 * @param maxPreemptions    preemptions of a request after which it is admitted with {@link AdmissionPromise#WHOLE}.
 * @param promise           blocks that an admitted request is promised before that.
 * @param watermarkBlocks   blocks that an admission leaves free and not promised, if other requests run.
 * @param longPrefillTokens most prompt tokens of a request in a step; a request with more left is a long one. 0: no limit.
 * @param maxLongPrefills   most long requests in a step.
 * @param suspectTurns      whether requests of failed steps and the others that run take turns; else the others wait.
 */
public record BatchRules(
    int maxRunning,
    int stepTokens,
    int depth,
    int draftTokens,
    int pausedBlocks,
    int maxPreemptions,
    AdmissionPromise promise,
    int watermarkBlocks,
    int longPrefillTokens,
    int maxLongPrefills,
    boolean suspectTurns)
{
    /** Rules without pauses, promises and limits of preemptions and prefills, for one step at a time. */
    public static BatchRules plain(final int maxRunning, final int stepTokens)
    {
        return new BatchRules(maxRunning, stepTokens, 1, 0, 0, Integer.MAX_VALUE, AdmissionPromise.NOTHING, 0, 0, 1, true);
    }

    public BatchRules withDepth(final int steps, final int drafts)
    {
        return new BatchRules(maxRunning, stepTokens, steps, drafts, pausedBlocks, maxPreemptions, promise, watermarkBlocks,
            longPrefillTokens, maxLongPrefills, suspectTurns);
    }

    public BatchRules withPressure(final int mostPausedBlocks, final int mostPreemptions)
    {
        return new BatchRules(maxRunning, stepTokens, depth, draftTokens, mostPausedBlocks, mostPreemptions, promise,
            watermarkBlocks, longPrefillTokens, maxLongPrefills, suspectTurns);
    }

    public BatchRules withAdmission(final AdmissionPromise promised, final int freeBlocks)
    {
        return new BatchRules(maxRunning, stepTokens, depth, draftTokens, pausedBlocks, maxPreemptions, promised, freeBlocks,
            longPrefillTokens, maxLongPrefills, suspectTurns);
    }

    public BatchRules withLongPrefills(final int tokens, final int requests)
    {
        return new BatchRules(maxRunning, stepTokens, depth, draftTokens, pausedBlocks, maxPreemptions, promise,
            watermarkBlocks, tokens, requests, suspectTurns);
    }

    public BatchRules withSuspectTurns(final boolean value)
    {
        return new BatchRules(maxRunning, stepTokens, depth, draftTokens, pausedBlocks, maxPreemptions, promise,
            watermarkBlocks, longPrefillTokens, maxLongPrefills, value);
    }
}
