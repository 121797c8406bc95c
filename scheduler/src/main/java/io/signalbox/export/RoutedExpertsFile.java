// SPDX-License-Identifier: Apache-2.0
package io.signalbox.export;

import io.signalbox.ConfigException;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.experts.WeightSpan;
import io.signalbox.files.FileFault;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Writes the routed experts of a request as NumPy reads them. The same rows give the same bytes.
 *
 * <p>{@link #npy} has the ids alone: int16 {@code [rows, L, K]}, -1 in a row that is missing. {@link #npz} has beside
 * {@code ids} of that form: {@code state} (uint8 per row; 0: missing, 1: captured, 2: inherited), {@code layers} (int32
 * per L: the layer of the model), {@code start} (int64: position of the first row), {@code prompt_rows} (int64: rows of the
 * prompt, the others are of generated tokens), and {@code weights} (int32 {@code [n, 3]}: first position, position behind
 * the last, weight generation). If combine weights were captured, {@code combine_weights} has them: float32
 * {@code [rows, L, K]}, NaN in a row that is missing.
 */
public final class RoutedExpertsFile
{
    private static final int ALIGNMENT = 64;
    /** Magic number, version 1.0 and the length of the header. */
    private static final int PREAMBLE_BYTES = 10;
    private static final int CHUNK_BYTES = 1 << 20;
    private static final LocalDateTime NO_TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

    private RoutedExpertsFile()
    {
    }

    /**
     * Writes the ids.
     *
     * @param file must not exist.
     * @throws ConfigException if it exists, or cannot be written; nothing is left then.
     */
    public static void npy(final RoutedExperts experts, final Path file)
    {
        write(file, out -> write(ids(experts), out::write));
    }

    /**
     * Writes the combine weights alone: float32 {@code [rows, L, K]}.
     *
     * @param file must not exist.
     * @throws ConfigException if it exists, or cannot be written; nothing is left then.
     * @throws io.signalbox.experts.RoutedExpertsException if combine weights were not captured.
     */
    public static void combineWeightsNpy(final RoutedExperts experts, final Path file)
    {
        if (!experts.hasCombineWeights())
        {
            // Ahead of the file, by the sentence of the rows.
            experts.combineWeights();
        }
        write(file, out -> write(combineWeights(experts), out::write));
    }

    /**
     * Writes the ids and everything that is known of their rows.
     *
     * @param file must not exist.
     * @throws ConfigException if it exists, or cannot be written; nothing is left then.
     */
    public static void npz(final RoutedExperts experts, final Path file)
    {
        write(file, out ->
        {
            try (ZipOutputStream zip = new ZipOutputStream(out))
            {
                add(zip, "ids", ids(experts));
                add(zip, "state", states(experts));
                add(zip, "layers", layers(experts));
                add(zip, "start", number(experts.start()));
                add(zip, "prompt_rows", number(experts.promptRows()));
                add(zip, "weights", weights(experts));
                if (experts.hasCombineWeights())
                {
                    add(zip, "combine_weights", combineWeights(experts));
                }
            }
        });
    }

    /** Puts elements of an array into a buffer that has room for them. */
    @FunctionalInterface
    private interface Elements
    {
        void put(int from, int count, ByteBuffer target);
    }

    /** An array: the type of its elements and its shape as NumPy writes them, and its elements. */
    private record Array(String type, String shape, int count, int elementBytes, Elements elements)
    {
        private Array(final String type, final String shape, final int elementBytes, final ByteBuffer whole)
        {
            this(type, shape, whole.capacity() / elementBytes, elementBytes, (from, count, target) ->
                target.put(whole.array(), from * elementBytes, count * elementBytes));
        }
    }

    /** Writes the content of a file. */
    @FunctionalInterface
    private interface Content
    {
        void writeTo(OutputStream out) throws IOException;
    }

    private static void write(final Path file, final Content content)
    {
        boolean created = false;
        try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
        {
            created = true;
            content.writeTo(out);
        }
        catch (final FileAlreadyExistsException e)
        {
            throw new ConfigException("the file " + file + " exists, and files are never overwritten; name a new one.");
        }
        catch (final IOException e)
        {
            throw new ConfigException("the routed experts could not be written to " + file + " (" + FileFault.reason(e) +
                "); choose another place." + (created ? deleted(file) : ""));
        }
    }

    private static String deleted(final Path file)
    {
        try
        {
            Files.deleteIfExists(file);
            return "";
        }
        catch (final IOException e)
        {
            return " An incomplete file was left there.";
        }
    }

    private static void add(final ZipOutputStream zip, final String name, final Array array) throws IOException
    {
        final CRC32 crc = new CRC32();
        final long[] length = new long[1];
        write(array, (bytes, offset, count) ->
        {
            crc.update(bytes, offset, count);
            length[0] += count;
        });
        final ZipEntry entry = new ZipEntry(name + ".npy");
        entry.setMethod(ZipEntry.STORED);
        entry.setSize(length[0]);
        entry.setCrc(crc.getValue());
        entry.setTimeLocal(NO_TIME);
        zip.putNextEntry(entry);
        write(array, zip::write);
        zip.closeEntry();
    }

    /** Receives bytes of an array in their order. */
    @FunctionalInterface
    private interface Sink
    {
        void write(byte[] bytes, int offset, int count) throws IOException;
    }

    /** Writes the array in the format NPY, version 1.0, a chunk at a time. */
    private static void write(final Array array, final Sink sink) throws IOException
    {
        final byte[] header = header(array);
        final long length = header.length + (long)array.count * array.elementBytes;
        final ByteBuffer chunk = buffer((int)Math.min(length, CHUNK_BYTES));
        chunk.put(header);
        int done = 0;
        do
        {
            final int some = Math.min(array.count - done, chunk.remaining() / array.elementBytes);
            array.elements.put(done, some, chunk);
            done += some;
            sink.write(chunk.array(), 0, chunk.position());
            chunk.clear();
        }
        while (done < array.count);
    }

    private static byte[] header(final Array array)
    {
        final String header =
            "{'descr': '" + array.type + "', 'fortran_order': False, 'shape': " + array.shape + ", }";
        final int padding = ALIGNMENT - (PREAMBLE_BYTES + header.length() + 1) % ALIGNMENT;
        final String padded = header + " ".repeat(padding % ALIGNMENT) + "\n";
        final ByteBuffer bytes = buffer(PREAMBLE_BYTES + padded.length());
        bytes.put((byte)0x93);
        put(bytes, "NUMPY");
        bytes.put((byte)1).put((byte)0).putShort((short)padded.length());
        put(bytes, padded);
        return bytes.array();
    }

    private static void put(final ByteBuffer bytes, final String ascii)
    {
        for (int i = 0; i < ascii.length(); i++)
        {
            bytes.put((byte)ascii.charAt(i));
        }
    }

    private static ByteBuffer buffer(final int bytes)
    {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static Array ids(final RoutedExperts experts)
    {
        return new Array("<i2", perId(experts), idsOf(experts), Short.BYTES, (from, count, target) ->
        {
            experts.putIds(from, count, target.asShortBuffer());
            target.position(target.position() + count * Short.BYTES);
        });
    }

    private static int idsOf(final RoutedExperts experts)
    {
        return experts.rows() * experts.shape().rowIds();
    }

    private static Array combineWeights(final RoutedExperts experts)
    {
        return new Array("<f4", perId(experts), idsOf(experts), Float.BYTES, (from, count, target) ->
        {
            experts.putCombineWeights(from, count, target.asFloatBuffer());
            target.position(target.position() + count * Float.BYTES);
        });
    }

    private static String perId(final RoutedExperts experts)
    {
        return "(" + experts.rows() + ", " + experts.shape().moeLayers() + ", " + experts.shape().topK() + ")";
    }

    private static Array states(final RoutedExperts experts)
    {
        final ByteBuffer bytes = buffer(experts.rows());
        for (int row = 0; row < experts.rows(); row++)
        {
            bytes.put((byte)experts.state(row).ordinal());
        }
        return new Array("|u1", "(" + experts.rows() + ",)", Byte.BYTES, bytes);
    }

    private static Array layers(final RoutedExperts experts)
    {
        final int count = experts.shape().moeLayers();
        final ByteBuffer bytes = buffer(count * Integer.BYTES);
        for (int layer = 0; layer < count; layer++)
        {
            bytes.putInt(experts.shape().layerId(layer));
        }
        return new Array("<i4", "(" + count + ",)", Integer.BYTES, bytes);
    }

    private static Array number(final int value)
    {
        return new Array("<i8", "()", Long.BYTES, buffer(Long.BYTES).putLong(value));
    }

    private static Array weights(final RoutedExperts experts)
    {
        final ByteBuffer bytes = buffer(experts.weights().size() * 3 * Integer.BYTES);
        for (final WeightSpan span : experts.weights())
        {
            bytes.putInt(span.from()).putInt(span.to()).putInt(span.generation());
        }
        return new Array("<i4", "(" + experts.weights().size() + ", 3)", Integer.BYTES, bytes);
    }
}
