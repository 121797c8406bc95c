// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The header of a safetensors file: 8 bytes of length, JSON, then the tensors without holes or overlaps to the end of the
 * file. Memory is used for tensors that are described, not for sizes that are claimed.
 */
final class SafetensorsHeader
{
    static final int MAX_BYTES = 1 << 25;
    static final int MAX_TENSORS = 1 << 18;
    private static final int MAX_DIMENSIONS = 8;
    private static final String REMEDY = "copy or download the file again";

    private final Path file;
    private final long fileBytes;
    private long dataBegin;
    private final Map<String, StoredTensor> tensors = new LinkedHashMap<>();

    SafetensorsHeader(final Path file, final FileChannel channel) throws IOException
    {
        this.file = file;
        fileBytes = channel.size();
        final long bytes = length(channel);
        dataBegin = Long.BYTES + bytes;
        channel.position(Long.BYTES);
        try (InputStream source = new BufferedInputStream(new FirstBytes(Channels.newInputStream(channel), bytes)))
        {
            source.mark(1);
            if (source.read() != '{')
            {
                throw fault("does not begin its header with '{'", "give a file in the safetensors format");
            }
            source.reset();
            ModelJson.object("the header of " + file, REMEDY, source, this::readTensors);
        }
        checkLayout();
    }

    /** In the order of the header. */
    Map<String, StoredTensor> tensors()
    {
        return tensors;
    }

    private long length(final FileChannel channel) throws IOException
    {
        final ByteBuffer length = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        while (length.hasRemaining() && channel.read(length, length.position()) > 0)
        {
            continue;
        }
        if (length.hasRemaining())
        {
            throw fault("has " + fileBytes + " bytes, fewer than a header", REMEDY);
        }
        final long bytes = length.getLong(0);
        if (bytes < 2 || bytes > MAX_BYTES)
        {
            throw fault("claims a header of " + Long.toUnsignedString(bytes) + " bytes, not between 2 and " + MAX_BYTES,
                "give a file in the safetensors format");
        }
        if (bytes > fileBytes - Long.BYTES)
        {
            throw fault("is truncated: its header needs " + bytes + " bytes, and the file has " + fileBytes, REMEDY);
        }
        return bytes;
    }

    private void readTensors(final JsonParser parser) throws IOException
    {
        while (parser.nextToken() == JsonToken.FIELD_NAME)
        {
            final String name = parser.currentName();
            if (parser.nextToken() != JsonToken.START_OBJECT)
            {
                throw fault("describes '" + ModelJson.printable(name) + "' by something that is no object", REMEDY);
            }
            if (name.equals("__metadata__"))
            {
                parser.skipChildren();
            }
            else
            {
                add(tensor(name, parser));
            }
        }
    }

    private void add(final StoredTensor tensor)
    {
        if (tensors.size() == MAX_TENSORS)
        {
            throw fault("describes more than " + MAX_TENSORS + " tensors", "use a checkpoint of several files");
        }
        tensors.put(tensor.name(), tensor);
    }

    private StoredTensor tensor(final String name, final JsonParser parser) throws IOException
    {
        String type = null;
        long[] shape = null;
        long[] offsets = null;
        while (parser.nextToken() == JsonToken.FIELD_NAME)
        {
            final String field = parser.currentName();
            parser.nextToken();
            switch (field)
            {
                case "dtype" -> type = type(name, parser);
                case "shape" -> shape = numbers(name, field, parser, MAX_DIMENSIONS);
                case "data_offsets" -> offsets = numbers(name, field, parser, 2);
                default -> throw tensorFault(name, "has the unknown field '" + ModelJson.printable(field) + "'");
            }
        }
        if (type == null || shape == null || offsets == null || offsets.length != 2)
        {
            throw tensorFault(name, "lacks its type, its shape or its two offsets");
        }
        if (offsets[0] > offsets[1] || offsets[1] > Long.MAX_VALUE - dataBegin)
        {
            throw tensorFault(name, "has the offsets " + offsets[0] + " and " + offsets[1] + ", which are impossible");
        }
        return checked(new StoredTensor(name, type, shape, dataBegin + offsets[0], dataBegin + offsets[1]));
    }

    private StoredTensor checked(final StoredTensor tensor)
    {
        final long needed = tensor.shapeBytes();
        if (needed != tensor.bytes())
        {
            throw tensorFault(tensor.name(), "is " + tensor.shapeText() + ", which is " +
                (needed < 0 ? "impossible" : needed + " bytes") + ", but has " + tensor.bytes() + " bytes");
        }
        return tensor;
    }

    private String type(final String name, final JsonParser parser) throws IOException
    {
        final String type = parser.currentToken() == JsonToken.VALUE_STRING ? parser.getText() : "";
        if (!StoredTensor.isType(type))
        {
            throw tensorFault(name, "has the unknown type '" + ModelJson.printable(type) + "'");
        }
        return type;
    }

    private long[] numbers(final String name, final String field, final JsonParser parser, final int most)
        throws IOException
    {
        final List<Long> numbers = new ArrayList<>();
        boolean valid = parser.currentToken() == JsonToken.START_ARRAY;
        while (valid && parser.nextToken() != JsonToken.END_ARRAY)
        {
            valid = parser.currentToken() == JsonToken.VALUE_NUMBER_INT && numbers.size() < most &&
                parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER && parser.getLongValue() >= 0;
            numbers.add(valid ? parser.getLongValue() : 0);
        }
        if (!valid)
        {
            throw tensorFault(name, "has '" + field + "' that is no list of at most " + most + " whole numbers from 0");
        }
        return numbers.stream().mapToLong(Long::longValue).toArray();
    }

    /** Tensors fill the file from the header to its end, without holes or overlaps. */
    private void checkLayout()
    {
        final List<StoredTensor> inOrder = new ArrayList<>(tensors.values());
        inOrder.sort(Comparator.comparingLong(StoredTensor::begin).thenComparingLong(StoredTensor::end));
        long at = dataBegin;
        for (final StoredTensor tensor : inOrder)
        {
            if (tensor.begin() != at)
            {
                throw tensorFault(tensor.name(), "begins at byte " + tensor.begin() + " and not at " + at +
                    (tensor.begin() < at ? ": it overlaps another one" : ": there is a hole before it"));
            }
            at = tensor.end();
        }
        if (at > fileBytes)
        {
            throw fault("is truncated: its tensors need " + at + " bytes, and the file has " + fileBytes, REMEDY);
        }
        if (at < fileBytes)
        {
            throw fault("has " + (fileBytes - at) + " bytes behind its last tensor", REMEDY);
        }
    }

    private ModelException tensorFault(final String name, final String fault)
    {
        return fault("is damaged: the tensor '" + ModelJson.printable(name) + "' " + fault, REMEDY);
    }

    private ModelException fault(final String fault, final String remedy)
    {
        return new ModelException(file + " " + fault, remedy);
    }
}
