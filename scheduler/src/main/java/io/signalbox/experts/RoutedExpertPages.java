// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;
import org.agrona.DirectBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Routed-expert rows in pages of one KV block each, with reference counts. A page is referred to by the block that
 * holds it and by every live or finished request that owns tokens in it, and ends with its last reference.
 *
 * <p>Which rows are there is kept beside the ids, one bit per row: a row without its bit is <em>missing</em>, whatever
 * its bytes say. The first write of a row stands.
 */
public final class RoutedExpertPages
{
    public static final int NO_PAGE = -1;
    /** What a missing row reads as, in every layer and place. */
    public static final short MISSING = -1;

    private static final int SLAB_BYTES = 1 << 20;
    private static final VarHandle LONGS =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle SLABS = field("slabs", byte[][].class);
    private static final VarHandle VALIDITY = field("validity", long[].class);

    private final ModelShape shape;
    private final int rowBytes;
    private final int pageRows;
    private final int pageBytes;
    private final int pagesPerSlab;
    private final int validityWords;

    // Read by clients on other threads once a request has ended: replaced with release, read with acquire.
    private byte[][] slabs = new byte[16][];
    private int pageCount;
    private int[] refCounts = new int[0];
    private int[] validRows = new int[0];
    // As the slabs.
    private long[] validity = new long[0];
    private long[] pageDigests = new long[0];
    private int[] freePages = new int[0];
    private int freeCount;
    private long digest;

    /** @param pageRows rows per page: the tokens of one KV block. */
    public RoutedExpertPages(final ModelShape shape, final int pageRows)
    {
        this.shape = shape;
        this.pageRows = pageRows;
        rowBytes = shape.rowBytes();
        pageBytes = Math.multiplyExact(rowBytes, pageRows);
        pagesPerSlab = Math.max(1, SLAB_BYTES / pageBytes);
        validityWords = (pageRows + Long.SIZE - 1) / Long.SIZE;
    }

    public ModelShape shape()
    {
        return shape;
    }

    public int pageRows()
    {
        return pageRows;
    }

    /** Pages with at least one reference. */
    public int livePages()
    {
        return pageCount - freeCount;
    }

    /** An empty page with one reference. */
    public int allocate()
    {
        if (freeCount == 0)
        {
            addSlab();
        }
        final int page = freePages[--freeCount];
        refCounts[page] = 1;
        return page;
    }

    public void retain(final int page)
    {
        if (refCounts[page] <= 0)
        {
            throw new InvariantViolation("page " + page + " of routed experts is not alive");
        }
        refCounts[page]++;
    }

    public void release(final int page)
    {
        if (refCounts[page] <= 0)
        {
            throw new InvariantViolation(
                "page " + page + " of routed experts is released more often than it is referred to");
        }
        if (--refCounts[page] == 0)
        {
            digest -= pageDigests[page];
            pageDigests[page] = 0;
            validRows[page] = 0;
            Arrays.fill(validity, page * validityWords, (page + 1) * validityWords, 0);
            freePages[freeCount++] = page;
        }
    }

    /**
     * Stores consecutive rows; a row that is already there stays as it is.
     *
     * @return the number of rows that were stored.
     */
    public int store(final int page, final int firstRow, final int rows, final DirectBuffer source, final int offset)
    {
        if (firstRow < 0 || rows < 0 || firstRow + rows > pageRows || refCounts[page] <= 0)
        {
            throw new InvariantViolation(
                "rows " + firstRow + " to " + (firstRow + rows) + " do not fit page " + page + " of " + pageRows + " rows");
        }
        final byte[] slab = slab(page);
        final int pageStart = pageStart(page);
        if (validRows(page, firstRow, rows) == 0)
        {
            source.getBytes(offset, slab, pageStart + firstRow * rowBytes, rows * rowBytes);
            for (int row = firstRow; row < firstRow + rows; row++)
            {
                admit(page, row, slab, pageStart);
            }
            return rows;
        }
        int stored = 0;
        for (int i = 0; i < rows; i++)
        {
            final int row = firstRow + i;
            if (!isValid(page, row))
            {
                source.getBytes(offset + i * rowBytes, slab, pageStart + row * rowBytes, rowBytes);
                admit(page, row, slab, pageStart);
                stored++;
            }
        }
        return stored;
    }

    private void admit(final int page, final int row, final byte[] slab, final int pageStart)
    {
        validity[page * validityWords + (row >>> 6)] |= 1L << row;
        validRows[page]++;
        final long rowDigest = rowDigest(row, slab, pageStart + row * rowBytes);
        pageDigests[page] += rowDigest;
        digest += rowDigest;
    }

    /**
     * Bound to the row's place in its page, so that rows one position off give another digest. Four lanes, because one
     * chain of multiplications over a long row would take longer than copying it.
     */
    private long rowDigest(final int row, final byte[] slab, final int start)
    {
        long first = row + 1;
        long second = 0;
        long third = 0;
        long fourth = 0;
        int i = start;
        final int end = start + rowBytes;
        for (; i <= end - 4 * Long.BYTES; i += 4 * Long.BYTES)
        {
            first = step(first, (long)LONGS.get(slab, i));
            second = step(second, (long)LONGS.get(slab, i + Long.BYTES));
            third = step(third, (long)LONGS.get(slab, i + 2 * Long.BYTES));
            fourth = step(fourth, (long)LONGS.get(slab, i + 3 * Long.BYTES));
        }
        for (; i <= end - Long.BYTES; i += Long.BYTES)
        {
            first = step(first, (long)LONGS.get(slab, i));
        }
        for (; i < end; i++)
        {
            first = step(first, slab[i] & 0xFF);
        }
        // Each lane turned by another amount, so that values which change places between lanes do not cancel out.
        return StateDigest.mix(
            first ^ Long.rotateLeft(second, 16) ^ Long.rotateLeft(third, 32) ^ Long.rotateLeft(fourth, 48));
    }

    private static long step(final long hash, final long value)
    {
        final long product = (hash ^ value) * 0x9E3779B97F4A7C15L;
        return product ^ (product >>> 32);
    }

    public boolean isValid(final int page, final int row)
    {
        return (validity[page * validityWords + (row >>> 6)] & (1L << row)) != 0;
    }

    public boolean isFull(final int page)
    {
        return validRows[page] == pageRows;
    }

    /** How many of the given rows are there. */
    public int validRows(final int page, final int firstRow, final int rows)
    {
        if (validRows[page] == 0 || validRows[page] == pageRows)
        {
            return validRows[page] == 0 ? 0 : rows;
        }
        int valid = 0;
        for (int row = firstRow; row < firstRow + rows; row++)
        {
            valid += isValid(page, row) ? 1 : 0;
        }
        return valid;
    }

    /**
     * Reads one row as {@code [MoE layer][k]}; a missing row reads as {@link #MISSING} in every place. Safe on any thread
     * that was told of the end of a request, for the pages which that request still holds.
     */
    public void read(final int page, final int row, final short[] destination, final int offset)
    {
        final int ids = shape.moeLayers() * shape.topK();
        final long word = ((long[])VALIDITY.getAcquire(this))[page * validityWords + (row >>> 6)];
        if ((word & (1L << row)) == 0)
        {
            Arrays.fill(destination, offset, offset + ids, MISSING);
            return;
        }
        final byte[] slab = ((byte[][])SLABS.getAcquire(this))[page / pagesPerSlab];
        final int start = pageStart(page) + row * rowBytes;
        for (int i = 0; i < ids; i++)
        {
            destination[offset + i] = (short)(shape.idBytes() == 1 ? slab[start + i] & 0xFF :
                (slab[start + 2 * i] & 0xFF) | (slab[start + 2 * i + 1] << 8));
        }
    }

    private static VarHandle field(final String name, final Class<?> type)
    {
        try
        {
            return MethodHandles.lookup().findVarHandle(RoutedExpertPages.class, name, type);
        }
        catch (final ReflectiveOperationException e)
        {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Digest of the rows that are there, bound to their places; independent of the order in which they came. */
    public long pageDigest(final int page)
    {
        return pageDigests[page];
    }

    /** Sum of the digests of all live pages, kept up to date by every mutation. */
    public long digest()
    {
        return digest;
    }

    /** What {@link #digest()} must be, computed from the rows themselves: for tests and snapshots. */
    public long recomputeDigest()
    {
        long sum = 0;
        for (int page = 0; page < pageCount; page++)
        {
            for (int row = 0; row < pageRows; row++)
            {
                if (refCounts[page] > 0 && isValid(page, row))
                {
                    sum += rowDigest(row, slab(page), pageStart(page) + row * rowBytes);
                }
            }
        }
        return sum;
    }

    private byte[] slab(final int page)
    {
        return slabs[page / pagesPerSlab];
    }

    private int pageStart(final int page)
    {
        return page % pagesPerSlab * pageBytes;
    }

    private void addSlab()
    {
        final int slabIndex = pageCount / pagesPerSlab;
        final byte[][] grownSlabs = slabIndex < slabs.length ? slabs : Arrays.copyOf(slabs, 2 * slabs.length);
        grownSlabs[slabIndex] = new byte[pagesPerSlab * pageBytes];
        SLABS.setRelease(this, grownSlabs);
        final int grown = pageCount + pagesPerSlab;
        if (grown > refCounts.length)
        {
            final int capacity = Math.max(grown, 2 * refCounts.length);
            refCounts = Arrays.copyOf(refCounts, capacity);
            validRows = Arrays.copyOf(validRows, capacity);
            VALIDITY.setRelease(this, Arrays.copyOf(validity, Math.multiplyExact(capacity, validityWords)));
            pageDigests = Arrays.copyOf(pageDigests, capacity);
            freePages = Arrays.copyOf(freePages, capacity);
        }
        for (int page = grown - 1; page >= pageCount; page--)
        {
            freePages[freeCount++] = page;
        }
        pageCount = grown;
    }
}
