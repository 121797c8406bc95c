// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import io.signalbox.event.CompletionView;
import io.signalbox.event.EventReader;
import io.signalbox.experts.ModelShape;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.PackedIds;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4FastDecompressor;
import org.agrona.DirectBuffer;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;

/**
 * Bytes and time per token of forms in which routed-expert rows can be stored: as they are, ids in as few bits as the
 * largest takes, LZ4, and Zstandard. The rows are those of a journal, or of a recorded routing in JSON lines; each step's
 * rows, and then chunks of 64 KiB, are packed one by one, and must come back. Times are CPU times.
 */
public final class RowCodecs
{
    private static final int ROUNDS = 9;
    private static final long ROUND_BYTES = 8L << 20;
    private static final int CHUNK_BYTES = 1 << 16;
    private static final int HEADER_BYTES = 20;
    private static final int RECORDED_STEP = 8;
    /** Packed between two readings of the clock. */
    private static final int BATCH_BYTES = 1 << 18;
    /** Other programs use the machine as well. */
    private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();

    /** A form of rows. Both return the length of the result. */
    private interface Codec
    {
        int pack(byte[] rows, int length, byte[] target);

        int unpack(byte[] packed, int packedLength, byte[] target, int length);
    }

    private final ModelShape shape;
    private final List<byte[]> steps;

    private RowCodecs(final ModelShape shape, final List<byte[]> steps)
    {
        this.shape = shape;
        this.steps = steps;
    }

    public static void main(final String[] arguments) throws IOException
    {
        if (arguments.length == 0)
        {
            System.err.println("give journals with rows, or recorded routings as gzipped JSON lines.");
            System.exit(2);
        }
        for (final String argument : arguments)
        {
            final Path path = Path.of(argument);
            final RowCodecs rows = Files.isDirectory(path) ? ofJournal(path) : ofRecord(path);
            System.out.printf(Locale.ROOT, "%s: %d layers, top %d of %d experts, %d steps%n", path.getFileName(),
                rows.shape.moeLayers(), rows.shape.topK(), rows.shape.experts(), rows.steps.size());
            rows.measure("rows of a step", rows.steps);
            rows.measure("chunks of 64 KiB", rows.chunks());
        }
    }

    private static RowCodecs ofJournal(final Path journal)
    {
        final List<byte[]> steps = new ArrayList<>();
        try (JournalReader reader = JournalReader.open(journal))
        {
            final ModelShape shape = reader.shape();
            final EventReader completions = new EventReader()
            {
                @Override
                protected void onD2hComplete(final CompletionView completion)
                {
                    final DirectBuffer source = completion.isChunked() ? reader.rows() : completion.buffer();
                    final byte[] rows = new byte[completion.rowCount() * completion.rowBytes()];
                    source.getBytes(completion.isChunked() ? 0 : completion.rowsOffset(), rows);
                    steps.add(rows);
                }
            };
            long bytes = 0;
            while (bytes < 4 * ROUND_BYTES && reader.next())
            {
                final int before = steps.size();
                completions.readGroup(reader.group(), 0, reader.groupLength());
                bytes += steps.size() > before ? steps.get(before).length : 0;
            }
            return new RowCodecs(shape, steps);
        }
    }

    /** Steps of 8 tokens, in the order of the record. */
    private static RowCodecs ofRecord(final Path record) throws IOException
    {
        final ObjectMapper mapper = new ObjectMapper();
        final List<byte[]> steps = new ArrayList<>();
        final ByteArrayOutputStream step = new ByteArrayOutputStream();
        ModelShape shape = null;
        try (BufferedReader lines = new BufferedReader(
            new InputStreamReader(new GZIPInputStream(Files.newInputStream(record)), StandardCharsets.UTF_8)))
        {
            for (String line = lines.readLine(); line != null; line = lines.readLine())
            {
                final JsonNode row = mapper.readTree(line);
                if (row.get("row_type").asText().equals("header"))
                {
                    final JsonNode provenance = row.get("provenance");
                    shape = new ModelShape(provenance.get("moe_layer_indices").size(),
                        provenance.get("expert_count").asInt(), provenance.get("top_k").asInt());
                }
                else if (row.get("row_type").asText().equals("observed-dispatch"))
                {
                    row.get("routing").forEach(layer -> layer.get("expert_ids").forEach(id -> step.write(id.asInt())));
                    if (step.size() == RECORDED_STEP * shape.rowBytes())
                    {
                        steps.add(step.toByteArray());
                        step.reset();
                    }
                }
            }
        }
        return new RowCodecs(shape, steps);
    }

    private List<byte[]> chunks()
    {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        steps.forEach(all::writeBytes);
        final byte[] bytes = all.toByteArray();
        final int length = Math.min(bytes.length, CHUNK_BYTES / shape.rowBytes() * shape.rowBytes());
        final List<byte[]> chunks = new ArrayList<>();
        for (int at = 0; at + length <= bytes.length; at += length)
        {
            chunks.add(Arrays.copyOfRange(bytes, at, at + length));
        }
        return chunks;
    }

    private void measure(final String unit, final List<byte[]> units)
    {
        final String[] names = {
            "as they are", "packed ids", "LZ4", "LZ4 high", "Zstandard -1", "Zstandard 1", "Zstandard 3"};
        final LZ4Factory lz4 = LZ4Factory.fastestInstance();
        final Codec[] codecs = {new Plain(), new Packed(shape), new Lz4(lz4.fastCompressor(), lz4.fastDecompressor()),
            new Lz4(lz4.highCompressor(), lz4.fastDecompressor()), new Zstandard(-1), new Zstandard(1), new Zstandard(3)};
        final double[][] packing = new double[codecs.length][ROUNDS];
        final double[][] unpacking = new double[codecs.length][ROUNDS];
        final double[] bytes = new double[codecs.length];
        for (int round = -ROUNDS / 3; round < ROUNDS; round++)
        {
            for (int i = 0; i < codecs.length; i++)
            {
                final double[] result = round(codecs[i], units);
                bytes[i] = result[0];
                if (round >= 0)
                {
                    packing[i][round] = result[1];
                    unpacking[i][round] = result[2];
                }
            }
        }
        System.out.printf(Locale.ROOT, "  %-24s %14s %16s %18s%n", unit, "bytes/token", "pack, ns/token",
            "unpack, ns/token");
        for (int i = 0; i < codecs.length; i++)
        {
            System.out.printf(Locale.ROOT, "  %-24s %14.1f %16.1f %18.1f%n", names[i], bytes[i],
                Interleaved.median(packing[i]), Interleaved.median(unpacking[i]));
        }
    }

    /** Bytes, CPU nanoseconds to pack and CPU nanoseconds to unpack, each per token. */
    private double[] round(final Codec codec, final List<byte[]> units)
    {
        final int largest = units.stream().mapToInt(unit -> unit.length).max().orElse(0);
        final byte[] rows = new byte[largest + PackedIds.SLACK_BYTES];
        final byte[] packed = new byte[2 * largest + 1024];
        final byte[] back = new byte[largest + PackedIds.SLACK_BYTES];
        long done = 0;
        long stored = 0;
        long packNanos = 0;
        long unpackNanos = 0;
        for (int i = 0; done < ROUND_BYTES; i = (i + 1) % units.size())
        {
            final byte[] unit = units.get(i);
            System.arraycopy(unit, 0, rows, 0, unit.length);
            final int times = Math.max(1, BATCH_BYTES / unit.length);
            int length = 0;
            final long start = CPU.getCurrentThreadCpuTime();
            for (int time = 0; time < times; time++)
            {
                length = codec.pack(rows, unit.length, packed);
            }
            final long between = CPU.getCurrentThreadCpuTime();
            int restored = 0;
            for (int time = 0; time < times; time++)
            {
                restored = codec.unpack(packed, length, back, unit.length);
            }
            unpackNanos += CPU.getCurrentThreadCpuTime() - between;
            packNanos += between - start;
            if (restored != unit.length || !Arrays.equals(rows, 0, restored, back, 0, restored))
            {
                throw new IllegalStateException("rows do not come back");
            }
            done += (long)times * unit.length;
            stored += (long)times * length;
        }
        final double tokens = (double)done / shape.rowBytes();
        return new double[] {stored / tokens, packNanos / tokens, unpackNanos / tokens};
    }

    private static final class Plain implements Codec
    {
        @Override
        public int pack(final byte[] rows, final int length, final byte[] target)
        {
            System.arraycopy(rows, 0, target, 0, length);
            return length;
        }

        @Override
        public int unpack(final byte[] packed, final int packedLength, final byte[] target, final int length)
        {
            System.arraycopy(packed, 0, target, 0, length);
            return length;
        }
    }

    /** The journal's own: a header, and the ids. */
    private record Packed(ModelShape shape) implements Codec
    {
        @Override
        public int pack(final byte[] rows, final int length, final byte[] target)
        {
            final int idBytes = shape.idBytes();
            final int bits = PackedIds.bitsOf(rows, 0, length, idBytes);
            target[0] = (byte)bits;
            if (bits == idBytes * Byte.SIZE)
            {
                System.arraycopy(rows, 0, target, HEADER_BYTES, length);
                return HEADER_BYTES + length;
            }
            PackedIds.pack(rows, 0, length / idBytes, idBytes, bits, target, HEADER_BYTES);
            return HEADER_BYTES + (int)PackedIds.packedBytes(length / idBytes, bits);
        }

        @Override
        public int unpack(final byte[] packed, final int packedLength, final byte[] target, final int length)
        {
            final int idBytes = shape.idBytes();
            if (packed[0] == idBytes * Byte.SIZE)
            {
                System.arraycopy(packed, HEADER_BYTES, target, 0, length);
            }
            else
            {
                PackedIds.unpack(packed, HEADER_BYTES, length / idBytes, idBytes, packed[0], target, 0);
            }
            return length;
        }
    }

    private record Lz4(LZ4Compressor compressor, LZ4FastDecompressor decompressor) implements Codec
    {
        @Override
        public int pack(final byte[] rows, final int length, final byte[] target)
        {
            return compressor.compress(rows, 0, length, target, 0);
        }

        @Override
        public int unpack(final byte[] packed, final int packedLength, final byte[] target, final int length)
        {
            decompressor.decompress(packed, 0, target, 0, length);
            return length;
        }
    }

    private static final class Zstandard implements Codec
    {
        private final ZstdCompressCtx compressor = new ZstdCompressCtx();
        private final ZstdDecompressCtx decompressor = new ZstdDecompressCtx();

        Zstandard(final int level)
        {
            compressor.setLevel(level).setContentSize(false).setChecksum(false);
        }

        @Override
        public int pack(final byte[] rows, final int length, final byte[] target)
        {
            return compressor.compressByteArray(target, 0, target.length, rows, 0, length);
        }

        @Override
        public int unpack(final byte[] packed, final int packedLength, final byte[] target, final int length)
        {
            return decompressor.decompressByteArray(target, 0, length, packed, 0, packedLength);
        }
    }
}
