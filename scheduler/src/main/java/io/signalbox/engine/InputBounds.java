// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.event.codec.MessageHeaderDecoder;

/** What every engine asks of an input before it takes it: a publisher's mistake is the publisher's, not the engine's. */
final class InputBounds
{
    private InputBounds()
    {
    }

    static void check(final int length)
    {
        if (length > Engine.MAX_INPUT_BYTES)
        {
            throw new IllegalArgumentException(
                "an input of " + length + " bytes is above the bound of " + Engine.MAX_INPUT_BYTES + " bytes");
        }
        if (length < MessageHeaderDecoder.ENCODED_LENGTH)
        {
            throw new IllegalArgumentException("an input of " + length + " bytes is shorter than its header of " +
                MessageHeaderDecoder.ENCODED_LENGTH + " bytes");
        }
    }
}
