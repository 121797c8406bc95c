// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.trtllm;

import io.signalbox.ConfigException;

/** Where the conversation router places a request whose conversation has no rank yet. */
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

    /** @throws ConfigException when no placement has this label. */
    public static NewConversation of(final String label)
    {
        for (final NewConversation placement : values())
        {
            if (placement.label.equals(label))
            {
                return placement;
            }
        }
        throw new ConfigException("newConversation=" + label + " is not known; it is round_robin or least_queued.");
    }
}
