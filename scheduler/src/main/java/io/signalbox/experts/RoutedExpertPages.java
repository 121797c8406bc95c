// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import io.signalbox.ConfigException;
import io.signalbox.InvariantViolation;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Routed-expert rows in pages of one KV block each, with reference counts. A page is referred to by the block that
 * holds it and by every live or finished request that owns tokens in it, and ends with its last reference.
 *
 * <p>Which rows are there is kept beside the ids, one bit per row: a row without its bit is <em>missing</em>, whatever
 * its bytes say. Whether the first or the last write of a row stands is the {@link RowPolicy}.
 */
public final class RoutedExpertPages
{
    public static final int NO_PAGE = -1;
    /** What a missing row reads as, in every layer and place. */
    public static final short MISSING = -1;

    private static final int MAX_PAGE_BYTES = 1 << 30;
    private static final int SLAB_BYTES = 1 << 20;
    private static final VarHandle SLABS = field("slabs", byte[][].class);
    private static final VarHandle VALIDITY = field("validity", long[].class);

    private final ModelShape shape;
    private final RowPolicy policy;
    private final int rowBytes;
    private final int pageRows;
    private final int pageBytes;
    /** A slab holds a power of two of pages, so that no access divides. */
    private final int slabShift;
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

    /** Pages under {@link RowPolicy#CONTRACT}. */
    public RoutedExpertPages(final ModelShape shape, final int pageRows)
    {
        this(shape, pageRows, RowPolicy.CONTRACT);
    }

    /** @param pageRows rows per page: the tokens of one KV block. */
    public RoutedExpertPages(final ModelShape shape, final int pageRows, final RowPolicy policy)
    {
        this.shape = shape;
        this.pageRows = pageRows;
        this.policy = policy;
        rowBytes = shape.rowBytes();
        if (pageRows < 1 || (long)rowBytes * pageRows > MAX_PAGE_BYTES)
        {
            throw new ConfigException("pageRows=" + pageRows + " with rows of " + rowBytes + " bytes does not make pages of 1 to " +
                MAX_PAGE_BYTES + " bytes; give another number of tokens per block.");
        }
        pageBytes = rowBytes * pageRows;
        slabShift = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(Math.max(1, SLAB_BYTES / pageBytes));
        pagesPerSlab = 1 << slabShift;
        validityWords = (pageRows + Long.SIZE - 1) / Long.SIZE;
    }

    public ModelShape shape()
    {
        return shape;
    }

    public RowPolicy policy()
    {
        return policy;
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
     * Stores consecutive rows in storage width. The caller vouches for their ids: the engine's rows are held against the
     * checksum of their backend, those of {@link BlockPages} are checked id by id.
     *
     * @return the number of rows that were stored: under {@link RowPolicy#CONTRACT} those that were missing, else all.
     */
    public int store(final int page, final int firstRow, final int rows, final DirectBuffer source, final int offset)
    {
        if (firstRow < 0 || rows < 0 || firstRow + rows > pageRows || refCounts[page] <= 0)
        {
            throw new InvariantViolation(
                "rows " + firstRow + " to " + (firstRow + rows) + " do not fit page " + page + " of " + pageRows + " rows");
        }
        final byte[] array = source.byteArray();
        int stored = 0;
        if (array != null)
        {
            source.boundsCheck(offset, rows * rowBytes);
            final int start = source.wrapAdjustment() + offset;
            for (int i = 0; i < rows; i++)
            {
                stored += store(page, firstRow + i, array, start + i * rowBytes) ? 1 : 0;
            }
            return stored;
        }
        for (int i = 0; i < rows; i++)
        {
            final int row = firstRow + i;
            if (makeRoom(page, row))
            {
                final int start = pageStart(page) + row * rowBytes;
                source.getBytes(offset + i * rowBytes, slab(page), start, rowBytes);
                admit(page, row, RowDigest.of(row, slab(page), start, rowBytes));
                stored++;
            }
        }
        return stored;
    }

    /** Stores one row from an array; false where the row that is there stands. */
    boolean store(final int page, final int row, final byte[] source, final int start)
    {
        if (!makeRoom(page, row))
        {
            return false;
        }
        final int target = pageStart(page) + row * rowBytes;
        admit(page, row, RowDigest.copy(row, source, start, slab(page), target, rowBytes));
        return true;
    }

    /** Takes a row that is there out of validity and digests where another may replace it; false where it stands. */
    private boolean makeRoom(final int page, final int row)
    {
        if (!isValid(page, row))
        {
            return true;
        }
        if (policy == RowPolicy.CONTRACT)
        {
            return false;
        }
        validity[page * validityWords + (row >>> 6)] &= ~(1L << row);
        validRows[page]--;
        final long rowDigest = RowDigest.of(row, slab(page), pageStart(page) + row * rowBytes, rowBytes);
        pageDigests[page] -= rowDigest;
        digest -= rowDigest;
        return true;
    }

    private void admit(final int page, final int row, final long rowDigest)
    {
        validity[page * validityWords + (row >>> 6)] |= 1L << row;
        validRows[page]++;
        pageDigests[page] += rowDigest;
        digest += rowDigest;
    }

    public boolean isValid(final int page, final int row)
    {
        return (validity[page * validityWords + (row >>> 6)] & (1L << row)) != 0;
    }

    public boolean isEmpty(final int page)
    {
        return validRows[page] == 0;
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
        final int ids = shape.rowIds();
        if (!isValidAcquire(page, row))
        {
            Arrays.fill(destination, offset, offset + ids, MISSING);
            return;
        }
        final byte[] slab = slabAcquire(page);
        final int start = pageStart(page) + row * rowBytes;
        for (int i = 0; i < ids; i++)
        {
            destination[offset + i] = (short)StoredIds.at(slab, start + i * shape.idBytes(), shape.idBytes());
        }
    }

    /**
     * Reads consecutive rows as {@code [row][MoE layer][k]} ids of a type that can name every expert; every id of a
     * missing row reads as {@code missing}. Safe on the threads on which {@link #read(int, int, short[], int)} is.
     *
     * @param missing 0 or -1.
     * @return rows that are missing.
     */
    int read(
        final int page,
        final int firstRow,
        final int rows,
        final ExpertIdType type,
        final int missing,
        final MutableDirectBuffer destination,
        final int offset)
    {
        final int ids = shape.rowIds();
        final int readBytes = ids * type.bytes();
        final byte[] slab = slabAcquire(page);
        final int start = pageStart(page);
        int missingRows = 0;
        for (int from = firstRow, to; from < firstRow + rows; from = to)
        {
            final boolean valid = isValidAcquire(page, from);
            to = from + 1;
            while (to < firstRow + rows && isValidAcquire(page, to) == valid)
            {
                to++;
            }
            final int at = offset + (from - firstRow) * readBytes;
            if (valid)
            {
                StoredIds.write(slab, start + from * rowBytes, (to - from) * ids, shape.idBytes(), type, destination, at);
            }
            else
            {
                // All bits of 0 and of -1 are alike, whatever the width.
                destination.setMemory(at, (to - from) * readBytes, (byte)missing);
                missingRows += to - from;
            }
        }
        return missingRows;
    }

    private boolean isValidAcquire(final int page, final int row)
    {
        return (((long[])VALIDITY.getAcquire(this))[page * validityWords + (row >>> 6)] & (1L << row)) != 0;
    }

    private byte[] slabAcquire(final int page)
    {
        return ((byte[][])SLABS.getAcquire(this))[page >> slabShift];
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
                    sum += RowDigest.of(row, slab(page), pageStart(page) + row * rowBytes, rowBytes);
                }
            }
        }
        return sum;
    }

    private byte[] slab(final int page)
    {
        return slabs[page >> slabShift];
    }

    private int pageStart(final int page)
    {
        return (page & pagesPerSlab - 1) * pageBytes;
    }

    private void addSlab()
    {
        final int slabIndex = pageCount >> slabShift;
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
