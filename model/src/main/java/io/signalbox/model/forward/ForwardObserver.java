// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

/** Sees the intermediate values of a pass, for comparisons with other implementations. */
interface ForwardObserver
{
    /** A value that is seen, {@code [token][element]}. */
    enum Point
    {
        /** The state behind a layer; behind the embedding with layer -1. */
        STATE,
        /** The sum that attention adds to the state. */
        ATTENTION_OUT,
        /** The input of MLP, router and experts. */
        MLP_IN,
        ROUTER_LOGITS,
        /** The sum that MLP or experts add to the state. */
        MLP_OUT,
        /** The input of the head, for each token whose logits are wanted. */
        FINAL_NORM
    }

    /** @param values valid during the call, perhaps with further elements behind. */
    void seen(Point point, int layer, float[] values, int tokens, int width);
}
