// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.experts.WeightSpan;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ShortBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

/**
 * The routed experts of one answer in a form that clients read. The bytes go row by row into the document, without a copy of
 * all of them. A missing row is -1 in every id, in a type that has -1; it is never zeros.
 */
final class RowEncoding
{
    private static final int NPY_ALIGNMENT = 64;
    /** Magic number, version 1.0 and the length of the header. */
    private static final int NPY_PREAMBLE = 10;
    private static final int BYTE_IDS = 256;
    /** Ids are kept as 16 bits without a sign. */
    private static final int ID_MASK = 0xFFFF;

    private final RoutedExperts rows;
    private final int first;
    private final int count;
    private final Wanted wanted;
    private final int layers;
    private final int missing;
    private final Element element;

    /**
     * Where rows begin, and how they are written.
     *
     * @param newOnly whether the rows that the session has are left out.
     * @param hashes  whether the hashes of full KV blocks are wanted too.
     */
    record Wanted(int from, Form form, boolean allLayers, boolean newOnly, boolean hashes)
    {
        /** The same from a later position on, if it is later. */
        Wanted notBefore(final int position)
        {
            return new Wanted(Math.max(from, position), form, allLayers, newOnly, hashes);
        }
    }

    /** A form of the same rows. */
    enum Form
    {
        /** The bytes of a file of NumPy: vLLM. */
        NPY,
        /** Little-endian int32 without a header: SGLang, slime. */
        RAW_INT32,
        /** An object with data, shape, start and type: prime-rl, SkyRL. */
        OBJECT,
        /** A string that begins with type and shape: NeMo-RL. */
        ENVELOPE;

        /** The name in a request. */
        String text()
        {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** {@code null}: there is none of this name. */
        static Form of(final String text)
        {
            return Arrays.stream(values()).filter(form -> form.text().equals(text)).findFirst().orElse(null);
        }
    }

    /** The type of an id, with its name in NumPy. */
    private enum Element
    {
        UINT8("|u1", 1),
        INT8("|i1", 1),
        UINT16("<u2", 2),
        INT16("<i2", 2),
        INT32("<i4", 4);

        private final String numpy;
        private final int bytes;

        Element(final String numpy, final int bytes)
        {
            this.numpy = numpy;
            this.bytes = bytes;
        }

        private String text()
        {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * @param first        index of the first row.
     * @param count        rows that belong to the answer; later ones are of tokens behind a stop string.
     * @param hiddenLayers of the model, dense ones included.
     * @throws ApiError if a row is missing and the form cannot say so.
     */
    RowEncoding(
        final RoutedExperts rows, final int first, final int count, final Wanted wanted, final int hiddenLayers)
    {
        this.rows = rows;
        this.first = first;
        this.count = Math.min(count, rows.rows() - first);
        this.wanted = wanted;
        layers = wanted.allLayers() ? hiddenLayers : rows.shape().moeLayers();
        int largest = 0;
        int absent = 0;
        final ModelShape shape = rows.shape();
        final short[] ids = new short[shape.rowIds()];
        final ShortBuffer target = ShortBuffer.wrap(ids);
        for (int row = first; row < first + this.count; row++)
        {
            final boolean isMissing = rows.state(row) == RoutedExperts.RowState.MISSING;
            absent += isMissing ? 1 : 0;
            if (!isMissing)
            {
                rows.putIds(row * shape.rowIds(), shape.rowIds(), target.clear());
                for (final short id : ids)
                {
                    largest = Math.max(largest, id & ID_MASK);
                }
            }
        }
        missing = absent;
        element = element(largest);
    }

    private Element element(final int largest)
    {
        return switch (wanted.form())
        {
            case RAW_INT32 -> Element.INT32;
            case NPY -> missing > 0 ? Element.INT32 : largest < BYTE_IDS ? Element.UINT8 : Element.UINT16;
            case ENVELOPE -> largest <= Byte.MAX_VALUE ? Element.INT8 :
                largest <= Short.MAX_VALUE ? Element.INT16 : Element.INT32;
            case OBJECT ->
            {
                if (missing > 0)
                {
                    throw ApiError.of(ApiError.INTERNAL, missing + " of " + count + " rows of routed experts are missing, " +
                        "and the form object cannot say so; ask for routed_experts_form=npy, in which they are -1");
                }
                yield largest < BYTE_IDS ? Element.UINT8 : largest <= Short.MAX_VALUE ? Element.INT16 : Element.UINT16;
            }
        };
    }

    /** Writes the field {@code routed_experts}. */
    void write(final JsonGenerator json) throws IOException
    {
        json.writeFieldName("routed_experts");
        switch (wanted.form())
        {
            case OBJECT ->
            {
                json.writeStartObject();
                json.writeFieldName("data");
                writeText(json, "", new byte[0]);
                json.writeFieldName("shape");
                json.writeArray(new int[] {count, layers, rows.shape().topK()}, 0, 3);
                json.writeNumberField("start", start());
                json.writeStringField("dtype", element.text());
                json.writeEndObject();
            }
            case ENVELOPE -> writeText(json, "nrlre1:" + element.text() + ":" + count + "x" + layers + "x" +
                rows.shape().topK() + ":", new byte[0]);
            case NPY -> writeText(json, "", npyHeader());
            default -> writeText(json, "", new byte[0]);
        }
    }

    private int start()
    {
        return rows.start() + first;
    }

    /**
     * Writes what the form does not say: {@code routed_experts_meta}.
     *
     * @param hashes of the full KV blocks; {@code null}: they are not wanted.
     */
    void writeMeta(final JsonGenerator json, final long[] hashes) throws IOException
    {
        json.writeObjectFieldStart("routed_experts_meta");
        json.writeStringField("form", wanted.form().text());
        json.writeNumberField("start", start());
        json.writeNumberField("rows", count);
        json.writeStringField("dtype", element.text());
        json.writeBooleanField("all_layers", wanted.allLayers());
        json.writeFieldName("moe_layer_ids");
        final List<Integer> ids = rows.shape().layerIds();
        json.writeArray(ids.stream().mapToInt(Integer::intValue).toArray(), 0, ids.size());
        json.writeNumberField("experts", rows.shape().experts());
        json.writeNumberField("captured", count(RoutedExperts.RowState.CAPTURED));
        json.writeNumberField("inherited", count(RoutedExperts.RowState.INHERITED));
        json.writeNumberField("missing", missing);
        if (hashes != null)
        {
            json.writeArrayFieldStart("block_hashes");
            for (final long hash : hashes)
            {
                json.writeString(RowFields.hex(hash));
            }
            json.writeEndArray();
        }
        json.writeArrayFieldStart("weights");
        for (final WeightSpan span : rows.weights())
        {
            final int from = Math.max(span.from(), start());
            final int to = Math.min(span.to(), start() + count);
            if (from < to)
            {
                json.writeStartObject();
                json.writeNumberField("from", from);
                json.writeNumberField("to", to);
                json.writeNumberField("generation", span.generation());
                json.writeEndObject();
            }
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private int count(final RoutedExperts.RowState state)
    {
        int found = 0;
        for (int row = first; row < first + count; row++)
        {
            found += rows.state(row) == state ? 1 : 0;
        }
        return found;
    }

    private byte[] npyHeader()
    {
        final String text = "{'descr': '" + element.numpy + "', 'fortran_order': False, 'shape': (" + count + ", " + layers +
            ", " + rows.shape().topK() + "), }";
        final int length = (NPY_PREAMBLE + text.length() + NPY_ALIGNMENT) / NPY_ALIGNMENT * NPY_ALIGNMENT;
        final ByteBuffer header = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        header.put((byte)0x93).put("NUMPY".getBytes(StandardCharsets.US_ASCII)).put((byte)1).put((byte)0);
        header.putShort((short)(length - NPY_PREAMBLE));
        header.put(text.getBytes(StandardCharsets.US_ASCII));
        while (header.position() < length - 1)
        {
            header.put((byte)' ');
        }
        return header.put((byte)'\n').array();
    }

    /**
     * A string: a prefix, then base64 of a header and all rows. No character of it needs an escape, so it goes past the
     * generator into the document.
     */
    private void writeText(final JsonGenerator json, final String prefix, final byte[] header) throws IOException
    {
        json.writeRawValue("\"" + prefix);
        json.flush();
        try (OutputStream base64 = Base64.getEncoder().wrap(new OpenOutput((OutputStream)json.getOutputTarget())))
        {
            base64.write(header);
            final Row row = new Row();
            for (int i = first; i < first + count; i++)
            {
                base64.write(row.bytes(i));
            }
        }
        json.writeRaw('"');
    }

    /** The bytes of one row. */
    private final class Row
    {
        private final ModelShape shape = rows.shape();
        private final int topK = shape.topK();
        private final short[] ids = new short[shape.rowIds()];
        private final ShortBuffer target = ShortBuffer.wrap(ids);
        private final ByteBuffer bytes =
            ByteBuffer.allocate(layers * topK * element.bytes).order(ByteOrder.LITTLE_ENDIAN);

        private byte[] bytes(final int row)
        {
            target.clear();
            rows.putIds(row * shape.rowIds(), shape.rowIds(), target);
            if (rows.state(row) == RoutedExperts.RowState.MISSING)
            {
                Arrays.fill(bytes.array(), (byte)-1);
                return bytes.array();
            }
            // Dense layers are zeros, also behind a missing row.
            Arrays.fill(bytes.array(), (byte)0);
            for (int layer = 0; layer < shape.moeLayers(); layer++)
            {
                bytes.position((wanted.allLayers() ? shape.layerIds().get(layer) : layer) * topK * element.bytes);
                for (int k = 0; k < topK; k++)
                {
                    put(ids[layer * topK + k] & ID_MASK);
                }
            }
            return bytes.array();
        }

        private void put(final int id)
        {
            switch (element.bytes)
            {
                case 1 -> bytes.put((byte)id);
                case 2 -> bytes.putShort((short)id);
                default -> bytes.putInt(id);
            }
        }
    }

    /** A document that stays open when its base64 ends. */
    private static final class OpenOutput extends FilterOutputStream
    {
        private OpenOutput(final OutputStream document)
        {
            super(document);
        }

        @Override
        public void write(final byte[] bytes, final int offset, final int length) throws IOException
        {
            out.write(bytes, offset, length);
        }

        @Override
        public void close()
        {
            // Its generator closes it.
        }
    }
}
