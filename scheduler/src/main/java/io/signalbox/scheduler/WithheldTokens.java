// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.Request;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.router.PlacementBatch;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;

/**
 * A {@code Submit} without tokens has this in the place of the hash chain, so that the same is decided as with them: a byte
 * that is 1 if blocks that decoding fills are found again, else 0; and int32 numbers, at most as many as a prompt's head has
 * tokens, that replace the head. Hashes of such blocks come with the results of steps.
 */
public final class WithheldTokens
{
    /** The byte of a request whose blocks that decoding fills are found again. */
    public static final byte CONTINUES = 1;

    private WithheldTokens()
    {
    }

    /** Whether a chain of this length is this form: no {@link io.signalbox.kv.hash.BlockHasher} has such chains. */
    public static boolean isForm(final int chainBytes)
    {
        return chainBytes % Integer.BYTES == 1 && chainBytes <= 1 + PlacementBatch.HEAD_TOKENS * Integer.BYTES;
    }

    /** @param input at its hash chain. */
    static void read(final SubmitDecoder input, final boolean caches, final int blockSizeTokens, final Request request)
    {
        final DirectBuffer buffer = input.buffer();
        final int at = input.limit() + SubmitDecoder.hashChainHeaderLength();
        final int length = input.hashChainLength();
        for (int i = 1; i < length; i += Integer.BYTES)
        {
            request.head().add(buffer.getInt(at + i, ByteOrder.LITTLE_ENDIAN));
        }
        final boolean hashed = request.prefix().count() == request.promptTokens() / blockSizeTokens;
        if (buffer.getByte(at) == CONTINUES && caches && hashed)
        {
            request.prefix().continueWithheld(request.promptTokens() % blockSizeTokens);
        }
    }
}
