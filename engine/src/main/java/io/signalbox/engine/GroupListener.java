// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import org.agrona.DirectBuffer;

/** Receives each group once it has the durability that the user chose, in one thread at a time, not always the same one. */
@FunctionalInterface
public interface GroupListener
{
    /** @param group valid only during the call. */
    void onGroup(DirectBuffer group, int offset, int length);

    /** A listener that gives each group to this one, then to another. */
    default GroupListener andThen(final GroupListener other)
    {
        return (group, offset, length) ->
        {
            onGroup(group, offset, length);
            other.onGroup(group, offset, length);
        };
    }
}
