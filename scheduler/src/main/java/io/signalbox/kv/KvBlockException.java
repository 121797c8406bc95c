// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import java.util.Arrays;

/** A call to the block allocator that cannot be carried out. The allocator is as it was before the call. */
public final class KvBlockException extends IllegalArgumentException
{
    private static final long serialVersionUID = 1L;

    /** Fault of the call. */
    public enum Reason
    {
        /** The id is negative, the dummy block's, or beyond the pool. */
        UNKNOWN_BLOCK,
        /** More references are released than are held. */
        OVER_RELEASE,
        /** The block is free, so that it can neither be shared nor be given a hash. */
        NOT_OWNED,
        /** The block has another hash already. */
        OTHER_HASH,
        /** Block hashes are in 1 … 2^63 − 1; parents may also be 0, the root. */
        ILLEGAL_HASH,
        /** A block names itself or a later block of the same call as its parent. */
        PARENT_AFTER_CHILD,
        /** The depth of a block in its prefix is negative or beyond any prefix. */
        ILLEGAL_DEPTH,
        /** More references than a block can count. */
        TOO_MANY_OWNERS,
        /** Lists that belong together differ in length, or an array is shorter than the count says. */
        LENGTH_MISMATCH,
        /** A count is negative. */
        NEGATIVE_COUNT,
        /** The LRU clock would run backwards or beyond its last value. */
        ILLEGAL_CLOCK,
        /** The operation needs prefix caching, which is off. */
        PREFIX_CACHING_OFF
    }

    private final Reason reason;
    private final int[] blockIds;

    KvBlockException(final Reason reason, final String message, final int... blockIds)
    {
        super(message);
        this.reason = reason;
        this.blockIds = blockIds;
    }

    public Reason reason()
    {
        return reason;
    }

    /** The blocks at fault, or all blocks of the call if no single one is at fault. */
    public int[] blockIds()
    {
        return Arrays.copyOf(blockIds, blockIds.length);
    }
}
