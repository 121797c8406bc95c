// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.event.EncodedInput;
import org.agrona.DirectBuffer;

/** Checks of an input before an engine accepts it: a publisher's mistake fails the publisher, not the engine. */
public final class InputBounds
{
    /** Bytes of the largest input. */
    public static final int MAX_INPUT_BYTES = 8 * 1024 * 1024;

    private InputBounds()
    {
    }

    /**
     * @return the template id of the input.
     * @throws IllegalArgumentException if neither the scheduler nor the journal could process the input.
     */
    public static int check(final DirectBuffer input, final int offset, final int length, final CaptureSlice rows)
    {
        if (input == null)
        {
            throw new IllegalArgumentException("the input is null; give the buffer of an encoded input");
        }
        if (length > MAX_INPUT_BYTES)
        {
            throw new IllegalArgumentException(
                "an input of " + length + " bytes is above the bound of " + MAX_INPUT_BYTES + " bytes");
        }
        final int template = EncodedInput.check(input, offset, length);
        final boolean chunked = EncodedInput.hasChunkedRows(template, input, offset);
        if (chunked != (rows != null))
        {
            throw new IllegalArgumentException(chunked ?
                "a D2hComplete whose form is CHUNKED came without its routed-expert rows" :
                "routed-expert rows came with an input that is no D2hComplete whose form is CHUNKED");
        }
        return template;
    }
}
