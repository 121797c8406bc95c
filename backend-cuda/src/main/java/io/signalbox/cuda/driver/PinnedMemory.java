// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import java.nio.ByteBuffer;

/** A range of page-locked host memory, mapped into the device's address space. */
public interface PinnedMemory
{
    /** The whole range as a direct, little-endian buffer; invalid once the range is freed. */
    ByteBuffer buffer();

    long bytes();

    /** A part of this range; made once, before steps run, since it allocates. Only the whole range is freed. */
    PinnedMemory slice(long offset, long bytes);
}
