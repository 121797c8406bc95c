// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/**
 * By what a {@link BatchPlanner} decides.
 *
 * @param maxRunning     most requests that run at a time.
 * @param stepTokens     token budget of a step.
 * @param depth          most steps in flight, 1 to 4.
 * @param draftTokens    draft tokens per entry that the device samples.
 * @param pausedBlocks   most KV blocks that paused requests may hold; 0: none is paused.
 * @param maxPreemptions preemptions of a request after which it is admitted only together with a promise of every block
 *                       that it can need, and is not preempted again.
 */
public record BatchRules(
    int maxRunning, int stepTokens, int depth, int draftTokens, int pausedBlocks, int maxPreemptions)
{
}
