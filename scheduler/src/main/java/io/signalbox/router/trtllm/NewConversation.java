// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.trtllm;

/** Placement of a request whose conversation has no rank yet, by the conversation router. */
public enum NewConversation
{
    ROUND_ROBIN("round_robin"),
    LEAST_QUEUED("least_queued");

    private final String label;

    NewConversation(final String label)
    {
        this.label = label;
    }

    public String label()
    {
        return label;
    }
}
