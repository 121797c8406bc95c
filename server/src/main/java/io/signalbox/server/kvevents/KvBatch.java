// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.kvevents;

import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;

/** The events of one rank from one group, under one number. Consumers get them as MessagePack. */
final class KvBatch
{
    private final long sequence;
    private final double seconds;
    private final int rank;
    /** {@code null} once the payload is made. */
    private List<KvEvent> events;
    private byte[] payload;

    /** @param seconds since 1970. */
    KvBatch(final long sequence, final double seconds, final int rank, final List<KvEvent> events)
    {
        this.sequence = sequence;
        this.seconds = seconds;
        this.rank = rank;
        this.events = events;
    }

    long sequence()
    {
        return sequence;
    }

    /** About the bytes of the payload. */
    static long bytes(final List<KvEvent> events)
    {
        long bytes = 64;
        for (final KvEvent event : events)
        {
            if (event instanceof KvEvent.Stored stored)
            {
                bytes += 160 + stored.blocks().size() * (16L + Integer.BYTES * stored.blocks().get(0).tokens().length);
            }
            else if (event instanceof KvEvent.Removed removed)
            {
                bytes += 64 + 9L * removed.hashes().size();
            }
        }
        return bytes;
    }

    /** Not a copy. Made when it is first asked for, by a thread that does not serve the engine. */
    synchronized byte[] payload(final KvEventConfig.Form form)
    {
        if (payload == null)
        {
            try (MessageBufferPacker packer = MessagePack.newDefaultBufferPacker())
            {
                packer.packArrayHeader(3).packDouble(seconds).packArrayHeader(events.size());
                for (final KvEvent event : events)
                {
                    pack(packer, form == KvEventConfig.Form.MAP ? KvEventFields.of(event) : KvEventFields.positional(event));
                }
                packer.packInt(rank);
                payload = packer.toByteArray();
                events = null;
            }
            catch (final IOException e)
            {
                throw new UncheckedIOException(e);
            }
        }
        return payload;
    }

    private static void pack(final MessageBufferPacker packer, final Object value) throws IOException
    {
        if (value == null)
        {
            packer.packNil();
        }
        else if (value instanceof Map<?, ?> fields)
        {
            packer.packMapHeader(fields.size());
            for (final Map.Entry<?, ?> field : fields.entrySet())
            {
                packer.packString((String)field.getKey());
                pack(packer, field.getValue());
            }
        }
        else if (value instanceof List<?> values)
        {
            packer.packArrayHeader(values.size());
            for (final Object part : values)
            {
                pack(packer, part);
            }
        }
        else
        {
            packScalar(packer, value);
        }
    }

    private static void packScalar(final MessageBufferPacker packer, final Object value) throws IOException
    {
        if (value instanceof int[] numbers)
        {
            packer.packArrayHeader(numbers.length);
            for (final int number : numbers)
            {
                packer.packInt(number);
            }
        }
        else if (value instanceof Long number)
        {
            packer.packBigInteger(new BigInteger(Long.toUnsignedString(number)));
        }
        else if (value instanceof Integer number)
        {
            packer.packInt(number);
        }
        else
        {
            packer.packString((String)value);
        }
    }
}
