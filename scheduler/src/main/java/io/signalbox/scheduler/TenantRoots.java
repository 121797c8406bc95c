// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.kv.hash.BlockHasher;
import org.agrona.DirectBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Digests of cache keys, as strong as the hash of the blocks: first blocks are compared only under equal ones. */
final class TenantRoots
{
    private static final int[] NO_TOKENS = {};
    private static final long[] NO_HASHES = {};

    private final BlockHasher hasher;
    private final byte[] chain;
    private final ByteBuffer words;
    private byte[] key = new byte[0];

    TenantRoots(final BlockHasher hasher)
    {
        this.hasher = hasher;
        chain = new byte[hasher.chainBytes()];
        words = ByteBuffer.wrap(chain).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The first 8 bytes of the root from which the block hashes under the key continue. */
    long of(final DirectBuffer buffer, final int offset, final int length)
    {
        // Mostly every key is as long as the one before it.
        key = key.length == length ? key : new byte[length];
        buffer.getBytes(offset, key);
        hasher.hash(NO_TOKENS, 0, key, NO_HASHES);
        hasher.chain(chain);
        return words.getLong(0);
    }
}
