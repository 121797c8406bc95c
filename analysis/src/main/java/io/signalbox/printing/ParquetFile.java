// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes a table as Apache Parquet: row groups with one page per column, values plain, pages compressed by gzip. Holds one
 * row group at a time. The numbers are the fields and constants of {@code parquet.thrift}, format version 1.
 */
final class ParquetFile
{
    private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);
    private static final int MOST_ROWS = 1 << 20;
    private static final int MOST_BYTES = 1 << 25;
    private static final int REQUIRED = 0;
    private static final int OPTIONAL = 1;
    private static final int REPEATED = 2;
    private static final int LIST = 3;
    private static final int PLAIN = 0;
    private static final int RLE = 3;
    private static final int GZIP = 2;

    /** A column in a row group that was written. */
    private record Chunk(long offset, int values, long plainBytes, long bytes)
    {
    }

    /** A row group that was written. */
    private record Group(int rows, List<Chunk> chunks)
    {
    }

    private final OutputStream out;
    private final List<ParquetColumn> columns;
    private final List<Group> groups = new ArrayList<>();
    private final ThriftBytes thrift = new ThriftBytes();
    private long position;
    private long rows;
    private int rowsOfGroup;

    ParquetFile(final OutputStream out, final List<ParquetColumn> columns) throws IOException
    {
        this.out = out;
        this.columns = List.copyOf(columns);
        write(MAGIC, MAGIC.length);
    }

    private void write(final byte[] bytes, final int length) throws IOException
    {
        out.write(bytes, 0, length);
        position += length;
    }

    /** A row is complete: every column has received its value or list. */
    void endRow() throws IOException
    {
        rows++;
        rowsOfGroup++;
        if (rowsOfGroup == MOST_ROWS || (rowsOfGroup & 0xF) == 0 && bufferedBytes() >= MOST_BYTES)
        {
            endGroup();
        }
    }

    private long bufferedBytes()
    {
        return columns.stream().mapToLong(ParquetColumn::bytes).sum();
    }

    private void endGroup() throws IOException
    {
        final List<Chunk> chunks = new ArrayList<>();
        for (final ParquetColumn column : columns)
        {
            chunks.add(chunk(column));
            column.clear();
        }
        groups.add(new Group(rowsOfGroup, chunks));
        rowsOfGroup = 0;
    }

    private Chunk chunk(final ParquetColumn column) throws IOException
    {
        final byte[] page = column.page();
        final byte[] compressed = ParquetColumn.compressed(page);
        thrift.clear().int32(1, 0).int32(2, page.length).int32(3, compressed.length)
            .begin(5).int32(1, column.count()).int32(2, PLAIN).int32(3, RLE).int32(4, RLE).end().end();
        final long offset = position;
        final int head = thrift.length();
        write(thrift.bytes(), head);
        write(compressed, compressed.length);
        return new Chunk(offset, column.count(), head + page.length, head + compressed.length);
    }

    /** Writes what is left and the description; the stream stays open. */
    void end() throws IOException
    {
        if (rowsOfGroup > 0)
        {
            endGroup();
        }
        thrift.clear().int32(1, 1);
        schema();
        thrift.int64(3, rows).list(4, ThriftBytes.STRUCT, groups.size());
        groups.forEach(this::describe);
        thrift.text(6, "signalbox").end();
        final int length = thrift.length();
        write(thrift.bytes(), length);
        write(ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(length).array(), Integer.BYTES);
        write(MAGIC, MAGIC.length);
        out.flush();
    }

    private void schema()
    {
        final int lists = (int)columns.stream().filter(column -> column.type.isList()).count();
        thrift.list(2, ThriftBytes.STRUCT, 1 + columns.size() + 2 * lists);
        thrift.beginElement().text(4, "rows").int32(5, columns.size()).end();
        for (final ParquetColumn column : columns)
        {
            if (column.type.isList())
            {
                thrift.beginElement().int32(3, REQUIRED).text(4, column.name).int32(5, 1).int32(6, LIST).end();
                thrift.beginElement().int32(3, REPEATED).text(4, "list").int32(5, 1).end();
                value(column, REQUIRED, "element");
            }
            else
            {
                value(column, OPTIONAL, column.name);
            }
        }
    }

    private void value(final ParquetColumn column, final int repetition, final String name)
    {
        thrift.beginElement().int32(1, column.type.physical).int32(3, repetition).text(4, name);
        if (column.type.converted >= 0)
        {
            thrift.int32(6, column.type.converted);
        }
        thrift.end();
    }

    private void describe(final Group group)
    {
        thrift.beginElement().list(1, ThriftBytes.STRUCT, columns.size());
        long bytes = 0;
        for (int i = 0; i < columns.size(); i++)
        {
            final Chunk chunk = group.chunks.get(i);
            bytes += chunk.plainBytes;
            thrift.beginElement().int64(2, chunk.offset).begin(3);
            describe(columns.get(i), chunk);
            thrift.end().end();
        }
        thrift.int64(2, bytes).int64(3, group.rows).end();
    }

    private void describe(final ParquetColumn column, final Chunk chunk)
    {
        thrift.int32(1, column.type.physical)
            .list(2, ThriftBytes.INT32, 2).int32Element(PLAIN).int32Element(RLE);
        if (column.type.isList())
        {
            thrift.list(3, ThriftBytes.TEXT, 3).textElement(column.name).textElement("list").textElement("element");
        }
        else
        {
            thrift.list(3, ThriftBytes.TEXT, 1).textElement(column.name);
        }
        thrift.int32(4, GZIP).int64(5, chunk.values).int64(6, chunk.plainBytes).int64(7, chunk.bytes)
            .int64(9, chunk.offset);
    }
}
