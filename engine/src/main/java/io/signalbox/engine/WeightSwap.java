// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

/** What new weights do to requests that have begun: {@link SignalboxEngine#newWeights}. */
public enum WeightSwap
{
    /** They continue with the new weights, on KV blocks that the former weights computed. */
    CONTINUE,
    /** They end with the reason {@link FinishReason#NEW_WEIGHTS}. */
    ABORT,
    /** They compute their prompt and the tokens that their clients have seen again, then continue. */
    REQUEUE,
    /** They end with the former weights, then the new weights take their place. */
    DRAIN
}
