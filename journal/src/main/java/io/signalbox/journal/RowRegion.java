// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.ConfigException;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.event.GroupReader;
import io.signalbox.event.codec.D2hCompleteDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.RowForm;
import io.signalbox.experts.ModelShape;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;
import java.util.Map;

/** Where a payload has routed-expert rows, if it has any. One object describes payload after payload. */
final class RowRegion
{
    private static final int FIRST_MESSAGE = 4;
    private static final int BODY = FIRST_MESSAGE + MessageHeaderDecoder.ENCODED_LENGTH;

    private final int rowIds;
    private final int rowBytes;
    private final int shapeIdBytes;
    private int start;
    private int rows;
    private int ids;
    private int rest;
    private int idBytes;

    /** @param shape of the rows; {@code null} if there are none that can be packed. */
    RowRegion(final ModelShape shape)
    {
        final boolean packable = shape != null && shape.idBytes() <= Short.BYTES;
        rowIds = packable ? shape.rowIds() : 0;
        rowBytes = packable ? shape.rowBytes() : 0;
        shapeIdBytes = packable ? shape.idBytes() : Byte.BYTES;
    }

    /** Of the rows of the run with this description. */
    static RowRegion of(final Map<String, String> settings)
    {
        if (!settings.containsKey(ModelShape.PREFIX + ModelShape.EXPERTS.name()))
        {
            return new RowRegion(null);
        }
        try
        {
            return new RowRegion(ModelShape.of(settings));
        }
        catch (final ConfigException e)
        {
            // A description of another program; its rows are kept as they are.
            return new RowRegion(null);
        }
    }

    RowRegion none()
    {
        return set(0, 0, 0, 0, Byte.BYTES);
    }

    /** The payload is a chunk with so many rows of a slice, which begin at a byte of it. */
    RowRegion chunk(final int from, final int count, final CaptureSlice slice)
    {
        return rowBytes > 0 && slice.rowBytes() == rowBytes ? rows(from, count) : none();
    }

    /** The payload is a group; if its input is a completion with rows inside, these are the last bytes of that message. */
    RowRegion group(final DirectBuffer group, final int offset, final int length)
    {
        if (rowBytes == 0 || length < BODY + D2hCompleteDecoder.BLOCK_LENGTH ||
            GroupReader.templateAt(group, offset + FIRST_MESSAGE) != D2hCompleteDecoder.TEMPLATE_ID ||
            group.getByte(offset + BODY + D2hCompleteDecoder.rowFormEncodingOffset()) != RowForm.INLINE.value() ||
            int32(group, offset + BODY + D2hCompleteDecoder.rowBytesEncodingOffset()) != rowBytes)
        {
            return none();
        }
        final int count = int32(group, offset + BODY + D2hCompleteDecoder.rowCountEncodingOffset());
        final long end = FIRST_MESSAGE + (long)int32(group, offset);
        final long from = end - (long)count * rowBytes;
        return count < 0 || end > length || from < BODY ? none() : rows((int)from, count);
    }

    private static int int32(final DirectBuffer buffer, final int at)
    {
        return buffer.getInt(at, ByteOrder.LITTLE_ENDIAN);
    }

    /** Rows of which each is nothing but ids are one long row. */
    private RowRegion rows(final int from, final int count)
    {
        final int behind = rowBytes - rowIds * shapeIdBytes;
        return behind == 0 ? set(from, 1, count * rowIds, 0, shapeIdBytes) : set(from, count, rowIds, behind, shapeIdBytes);
    }

    RowRegion set(final int from, final int count, final int idsPerRow, final int restBytes, final int bytesPerId)
    {
        start = from;
        rows = count;
        ids = idsPerRow;
        rest = restBytes;
        idBytes = bytesPerId;
        return this;
    }

    /** The first byte of the rows within the payload. */
    int start()
    {
        return start;
    }

    int rows()
    {
        return rows;
    }

    /** Ids with which a row begins. */
    int ids()
    {
        return ids;
    }

    /** Bytes of a row behind its ids. */
    int rest()
    {
        return rest;
    }

    int idBytes()
    {
        return idBytes;
    }

    int bytes()
    {
        return rows * (ids * idBytes + rest);
    }
}
