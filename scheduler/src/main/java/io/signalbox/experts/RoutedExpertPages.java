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
    private static final VarHandle RECORDS = field("records", long[].class);
    // What is kept of a page, in one place, so that a store into one of very many pages meets one cache line of it.
    private static final int COUNTS = 0;
    private static final int DIGEST = 1;
    private static final int VALIDITY = 2;
    /** References are counted above the valid rows. */
    private static final long ONE_REFERENCE = 1L << Integer.SIZE;
    /** Beside the valid rows, of which a page has at most 2^30. */
    private static final long SEALED = 1L << Integer.SIZE - 1;

    private final ModelShape shape;
    private final RowPolicy policy;
    private final ByteIds byteIds = new ByteIds();
    private final int rowBytes;
    private final int pageRows;
    private final int pageBytes;
    /** A slab holds a power of two of pages, so that no access divides. */
    private final int slabShift;
    private final int pagesPerSlab;
    private final int validityWords;
    private final int recordLength;

    // Read by clients on other threads once a request has ended: replaced with release, read with acquire.
    private byte[][] slabs = new byte[16][];
    private int pageCount;
    // As the slabs.
    private long[] records = new long[0];
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
            throw new ConfigException("pageRows=" + pageRows + " with rows of " + rowBytes +
                " bytes does not make pages of 1 to " + MAX_PAGE_BYTES +
                " bytes; give another number of tokens per block.");
        }
        pageBytes = rowBytes * pageRows;
        slabShift = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(Math.max(1, SLAB_BYTES / pageBytes));
        pagesPerSlab = 1 << slabShift;
        validityWords = (pageRows + Long.SIZE - 1) / Long.SIZE;
        recordLength = Math.max(4, VALIDITY + validityWords);
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
        records[record(page)] = ONE_REFERENCE;
        return page;
    }

    public void retain(final int page)
    {
        if (refCount(page) <= 0)
        {
            throw new InvariantViolation("page " + page + " of routed experts is not alive");
        }
        records[record(page)] += ONE_REFERENCE;
    }

    public void release(final int page)
    {
        if (refCount(page) <= 0)
        {
            throw new InvariantViolation(
                "page " + page + " of routed experts is released more often than it is referred to");
        }
        final int record = record(page);
        records[record] -= ONE_REFERENCE;
        if (refCount(page) == 0)
        {
            digest -= records[record + DIGEST];
            Arrays.fill(records, record, record + VALIDITY + validityWords, 0);
            freePages[freeCount++] = page;
        }
    }

    /**
     * Another request shares the page: what is missing in it now is missing for good, because requests that have ended
     * have counted it. Under {@link RowPolicy#CONTRACT} no store changes the page any more.
     */
    void seal(final int page)
    {
        records[record(page) + COUNTS] |= SEALED;
    }

    private boolean isSealed(final int page)
    {
        return policy == RowPolicy.CONTRACT && (records[record(page) + COUNTS] & SEALED) != 0;
    }

    /**
     * Stores consecutive rows in storage width. The caller vouches for their ids: the engine's rows are held against the
     * checksum of their backend, those of {@link BlockPages} are checked id by id.
     *
     * @return the number of rows that were stored: under {@link RowPolicy#CONTRACT} those that were missing, else all.
     */
    public int store(final int page, final int firstRow, final int rows, final DirectBuffer source, final int offset)
    {
        if (firstRow < 0 || rows < 0 || firstRow > pageRows - rows || refCount(page) <= 0)
        {
            throw new InvariantViolation(
                rows + " rows from row " + firstRow + " on do not fit page " + page + " of " + pageRows + " rows");
        }
        source.boundsCheck(offset, rows * rowBytes);
        if (isSealed(page))
        {
            return 0;
        }
        if (validRows(page, firstRow, rows) == 0)
        {
            storeMissing(page, firstRow, rows, source, offset);
            return rows;
        }
        int stored = 0;
        for (int i = 0; i < rows; i++)
        {
            if (makeRoom(page, firstRow + i))
            {
                storeMissing(page, firstRow + i, 1, source, offset + i * rowBytes);
                stored++;
            }
        }
        return stored;
    }

    /** Stores rows none of which is there: one copy, whatever their number. */
    private void storeMissing(
        final int page, final int firstRow, final int rows, final DirectBuffer source, final int offset)
    {
        final byte[] slab = slab(page);
        final int start = pageStart(page) + firstRow * rowBytes;
        final byte[] array = source.byteArray();
        if (array == null)
        {
            source.getBytes(offset, slab, start, rows * rowBytes);
            admit(page, firstRow, rows, slab, start);
        }
        else
        {
            final int from = source.wrapAdjustment() + offset;
            System.arraycopy(array, from, slab, start, rows * rowBytes);
            // Digests of the source: what was just written outside the caches need not be read back.
            admit(page, firstRow, rows, array, from);
        }
    }

    private void admit(final int page, final int firstRow, final int rows, final byte[] source, final int start)
    {
        int at = start;
        long rowDigests = 0;
        final int validity = record(page) + VALIDITY;
        for (int row = firstRow; row < firstRow + rows; row++)
        {
            rowDigests += RowDigest.of(row, source, at, rowBytes);
            records[validity + (row >>> 6)] |= 1L << row;
            at += rowBytes;
        }
        records[record(page) + COUNTS] += rows;
        records[record(page) + DIGEST] += rowDigests;
        digest += rowDigests;
    }

    /** Stores one row from an array; false where the row that is there stands. */
    boolean store(final int page, final int row, final byte[] source, final int start)
    {
        if (!makeRoom(page, row))
        {
            return false;
        }
        System.arraycopy(source, start, slab(page), pageStart(page) + row * rowBytes, rowBytes);
        admit(page, row, 1, source, start);
        return true;
    }

    /** Takes a row that is there out of validity and digests where another may replace it; false where it stands. */
    private boolean makeRoom(final int page, final int row)
    {
        if (!isValid(page, row))
        {
            return !isSealed(page);
        }
        if (policy == RowPolicy.CONTRACT)
        {
            return false;
        }
        final int record = record(page);
        final long rowDigest = RowDigest.of(row, slab(page), pageStart(page) + row * rowBytes, rowBytes);
        records[record + VALIDITY + (row >>> 6)] &= ~(1L << row);
        records[record + COUNTS]--;
        records[record + DIGEST] -= rowDigest;
        digest -= rowDigest;
        return true;
    }

    public boolean isValid(final int page, final int row)
    {
        return (records[record(page) + VALIDITY + (row >>> 6)] & (1L << row)) != 0;
    }

    public boolean isEmpty(final int page)
    {
        return validRows(page) == 0;
    }

    private boolean isFull(final int page)
    {
        return validRows(page) == pageRows;
    }

    /** How many of the given rows are there. */
    public int validRows(final int page, final int firstRow, final int rows)
    {
        if (isEmpty(page) || isFull(page))
        {
            return isEmpty(page) ? 0 : rows;
        }
        int valid = 0;
        for (int row = firstRow; row < firstRow + rows; row++)
        {
            valid += isValid(page, row) ? 1 : 0;
        }
        return valid;
    }

    /**
     * Reads one row of int16 ids as {@code [MoE layer][k]}; a missing row reads as {@link #MISSING} in every place. Safe
     * on any thread that was told of the end of a request, for the pages which that request still holds.
     */
    void read(final int page, final int row, final short[] destination, final int offset)
    {
        final int ids = shape.rowIds();
        final long[] acquired = (long[])RECORDS.getAcquire(this);
        if ((acquired[record(page) + VALIDITY + (row >>> 6)] & (1L << row)) == 0)
        {
            Arrays.fill(destination, offset, offset + ids, MISSING);
            return;
        }
        final byte[] slab = ((byte[][])SLABS.getAcquire(this))[page >> slabShift];
        final int start = pageStart(page) + row * rowBytes;
        for (int i = 0; i < ids; i++)
        {
            destination[offset + i] = (short)StoredIds.at(slab, start + i * shape.idBytes(), shape.idBytes());
        }
    }

    /**
     * Reads consecutive rows as {@code [row][MoE layer][k]} ids of a type that can name every expert; every id of a
     * missing row reads as {@code missing}. For the thread that stores.
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
        final byte[] slab = slab(page);
        final int start = pageStart(page);
        if (isFull(page))
        {
            copyOut(slab, start + firstRow * rowBytes, rows * ids, type, destination, offset);
            return 0;
        }
        int missingRows = 0;
        for (int from = firstRow, to; from < firstRow + rows; from = to)
        {
            final boolean valid = isValid(page, from);
            to = from + 1;
            while (to < firstRow + rows && isValid(page, to) == valid)
            {
                to++;
            }
            final int at = offset + (from - firstRow) * readBytes;
            if (valid)
            {
                copyOut(slab, start + from * rowBytes, (to - from) * ids, type, destination, at);
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

    private void copyOut(
        final byte[] slab,
        final int start,
        final int ids,
        final ExpertIdType type,
        final MutableDirectBuffer destination,
        final int offset)
    {
        if (type.bytes() == Short.BYTES && shape.idBytes() == Byte.BYTES)
        {
            byteIds.widen(slab, start, ids, destination, offset);
        }
        else
        {
            StoredIds.write(slab, start, ids, shape.idBytes(), type, destination, offset);
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
        return records[record(page) + DIGEST];
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
                if (refCount(page) > 0 && isValid(page, row))
                {
                    sum += RowDigest.of(row, slab(page), pageStart(page) + row * rowBytes, rowBytes);
                }
            }
        }
        return sum;
    }

    private int record(final int page)
    {
        return page * recordLength;
    }

    private int refCount(final int page)
    {
        return (int)(records[record(page) + COUNTS] >>> Integer.SIZE);
    }

    private int validRows(final int page)
    {
        return (int)(records[record(page) + COUNTS] & SEALED - 1);
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
        if (grown > freePages.length)
        {
            final int capacity = Math.max(grown, 2 * freePages.length);
            RECORDS.setRelease(this, Arrays.copyOf(records, Math.multiplyExact(capacity, recordLength)));
            freePages = Arrays.copyOf(freePages, capacity);
        }
        for (int page = grown - 1; page >= pageCount; page--)
        {
            freePages[freeCount++] = page;
        }
        pageCount = grown;
    }
}
