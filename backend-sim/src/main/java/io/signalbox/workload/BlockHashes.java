// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

/** Brings mixed bits into the range of block hashes. */
final class BlockHashes
{
    private BlockHashes()
    {
    }

    /** 1 to 2^63 - 1; 0 and negative values are not block hashes. */
    static long positive(final long mixed)
    {
        final long bits = mixed & Long.MAX_VALUE;
        return bits == 0 ? 1 : bits;
    }
}
