// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import org.agrona.DirectBuffer;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** The CRC32C that a {@code D2hComplete} carries over its routed-expert rows. Not thread-safe. */
public final class RowsChecksum
{
    private final CRC32C crc = new CRC32C();

    public long of(final DirectBuffer rows, final int offset, final int length)
    {
        crc.reset();
        final int start = rows.wrapAdjustment() + offset;
        if (rows.byteArray() != null)
        {
            crc.update(rows.byteArray(), start, length);
        }
        else
        {
            final ByteBuffer bytes = rows.byteBuffer().duplicate();
            crc.update(bytes.limit(start + length).position(start));
        }
        return crc.getValue();
    }
}
