// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import io.signalbox.ConfigException;
import io.signalbox.InvariantViolation;
import io.signalbox.saved.SavedFields;
import org.agrona.DirectBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Routed-expert rows in pages of one KV block each, with reference counts. A page is referred to by the block that
 * holds it and by every live or finished request that owns tokens in it, and ends with its last reference.
 *
 * <p>Which rows a page has is kept beside the ids, one bit per row: a row without its bit is <em>missing</em>, whatever
 * its bytes say. The first write of a row wins: no later one replaces it.
 */
public final class RoutedExpertPages
{
    static final int NO_PAGE = -1;
    /** Every expert id of a missing row reads as this. */
    public static final short MISSING = -1;

    private static final int MAX_PAGE_BYTES = 1 << 30;
    private static final int SLAB_BYTES = 1 << 20;
    private static final VarHandle SLABS = field("slabs", byte[][].class);
    private static final VarHandle RECORDS = field("records", long[].class);
    // The record of a page is contiguous, so that a store into one of very many pages touches one cache line of it.
    private static final int COUNTS = 0;
    private static final int DIGEST = 1;
    private static final int VALIDITY = 2;
    /** References are counted above the valid rows. */
    private static final long ONE_REFERENCE = 1L << Integer.SIZE;
    /** Beside the valid rows, of which a page has at most 2^30. */
    private static final long SEALED = 1L << Integer.SIZE - 1;

    private final ModelShape shape;
    private final int rowBytes;
    private final int pageRows;
    private final int pageBytes;
    /** A slab holds 2^slabShift pages, so that no access divides. */
    private final int slabShift;
    private final int pagesPerSlab;
    private final int validityWords;
    private final int recordLength;
    /** {@code null} unless a row is one word. */
    private final WordDigests wordDigests;

    // Clients on other threads read both arrays once a request has ended: replaced with release, read with acquire.
    private byte[][] slabs = new byte[16][];
    private long[] records = new long[0];
    private int pageCount;
    private int[] freePages = new int[0];
    private int freeCount;
    private long digest;

    /** @param pageRows rows per page: the tokens of one KV block. */
    public RoutedExpertPages(final ModelShape shape, final int pageRows)
    {
        this.shape = shape;
        this.pageRows = pageRows;
        rowBytes = shape.rowBytes();
        if (pageRows < 1 || (long)rowBytes * pageRows > MAX_PAGE_BYTES)
        {
            final ConfigException.Named named = new ConfigException.Named("pageRows", Integer.toString(pageRows));
            throw ConfigException.because(named, " with rows of " + rowBytes + " bytes does not make pages of 1 to " +
                    MAX_PAGE_BYTES + " bytes")
                .allowed("between 1 and " + MAX_PAGE_BYTES / rowBytes).remedy("give another number of tokens per block");
        }
        pageBytes = rowBytes * pageRows;
        slabShift = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(Math.max(1, SLAB_BYTES / pageBytes));
        pagesPerSlab = 1 << slabShift;
        validityWords = (pageRows + Long.SIZE - 1) / Long.SIZE;
        recordLength = Math.max(4, VALIDITY + validityWords);
        wordDigests = rowBytes == Long.BYTES ? new WordDigests(pageRows) : null;
    }

    public ModelShape shape()
    {
        return shape;
    }

    int pageRows()
    {
        return pageRows;
    }

    /** Pages with at least one reference. */
    public int livePages()
    {
        return pageCount - freeCount;
    }

    /** An empty page with one reference. */
    int allocate()
    {
        if (freeCount == 0)
        {
            addSlab();
        }
        final int page = freePages[--freeCount];
        records[record(page)] = ONE_REFERENCE;
        return page;
    }

    void retain(final int page)
    {
        if (refCount(page) <= 0)
        {
            throw new InvariantViolation("page " + page + " of routed experts is not alive");
        }
        records[record(page)] += ONE_REFERENCE;
    }

    void release(final int page)
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
     * Another request shares the page. From now on no store changes it: requests that have ended have counted the rows
     * that it lacks as missing.
     */
    void seal(final int page)
    {
        records[record(page) + COUNTS] |= SEALED;
    }

    private boolean isSealed(final int page)
    {
        return (records[record(page) + COUNTS] & SEALED) != 0;
    }

    /**
     * Stores consecutive rows in storage width whose ids were checked by a {@link RowCheck}; rows that the page already
     * has stay as they are.
     *
     * @return the number of rows that were stored.
     */
    int store(final int page, final int firstRow, final int rows, final DirectBuffer source, final int offset)
    {
        if (firstRow < 0 || rows < 0 || firstRow > pageRows - rows || refCount(page) <= 0)
        {
            throw doesNotFit(page, firstRow, rows);
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
            if (!isValid(page, firstRow + i))
            {
                storeMissing(page, firstRow + i, 1, source, offset + i * rowBytes);
                stored++;
            }
        }
        return stored;
    }

    /**
     * Does for one row what {@link #store} does for several, with one look at the record of the page: most entries of a
     * decode step have one row.
     *
     * @return whether it was stored.
     */
    boolean storeRow(final int page, final int row, final byte[] source, final int start)
    {
        final long[] all = records;
        final int record = record(page);
        final long counts = all[record + COUNTS];
        if (row < 0 || row >= pageRows || counts < ONE_REFERENCE)
        {
            throw doesNotFit(page, row, 1);
        }
        final int validity = record + VALIDITY + (row >>> 6);
        if ((counts & SEALED) != 0 || (all[validity] & 1L << row) != 0)
        {
            return false;
        }
        System.arraycopy(source, start, slabs[page >> slabShift], pageStart(page) + row * rowBytes, rowBytes);
        final long rowDigest = RowDigest.of(row, source, start, rowBytes);
        all[record + COUNTS] = counts + 1;
        all[record + DIGEST] += rowDigest;
        all[validity] |= 1L << row;
        digest += rowDigest;
        return true;
    }

    private InvariantViolation doesNotFit(final int page, final int firstRow, final int rows)
    {
        return new InvariantViolation(
            rows + " rows from row " + firstRow + " on do not fit page " + page + " of " + pageRows + " rows");
    }

    /** Stores rows that are all missing with one copy. */
    private void storeMissing(
        final int page, final int firstRow, final int rows, final DirectBuffer source, final int offset)
    {
        final byte[] slab = slabs[page >> slabShift];
        final int start = pageStart(page) + firstRow * rowBytes;
        final byte[] array = source.byteArray();
        if (array == null)
        {
            source.getBytes(offset, slab, start, rows * rowBytes);
            markValid(page, firstRow, rows, slab, start);
        }
        else
        {
            final int from = source.wrapAdjustment() + offset;
            System.arraycopy(array, from, slab, start, rows * rowBytes);
            // Digests of the source: the copy is outside the caches and need not be read back.
            markValid(page, firstRow, rows, array, from);
        }
    }

    private void markValid(final int page, final int firstRow, final int rows, final byte[] source, final int start)
    {
        final long rowDigests = wordDigests != null && rows >= WordDigests.LEAST ?
            wordDigests.sum(firstRow, rows, source, start) :
            RowDigest.ofRows(firstRow, rows, source, start, rowBytes);
        setValid(record(page) + VALIDITY, firstRow, firstRow + rows - 1);
        records[record(page) + COUNTS] += rows;
        records[record(page) + DIGEST] += rowDigests;
        digest += rowDigests;
    }

    /** Word by word: bit by bit, each row would wait for the one ahead of it. */
    private void setValid(final int validity, final int firstRow, final int lastRow)
    {
        if (firstRow == lastRow)
        {
            records[validity + (firstRow >> 6)] |= 1L << firstRow;
            return;
        }
        for (int word = firstRow >> 6; word <= lastRow >> 6; word++)
        {
            final long fromFirst = word == firstRow >> 6 ? -1L << firstRow : -1L;
            final long upToLast = word == lastRow >> 6 ? -1L >>> ~lastRow : -1L;
            records[validity + word] |= fromFirst & upToLast;
        }
    }

    private boolean isValid(final int page, final int row)
    {
        return (records[record(page) + VALIDITY + (row >>> 6)] & (1L << row)) != 0;
    }

    boolean isEmpty(final int page)
    {
        return validRows(page) == 0;
    }

    /** How many of the given rows the page has. */
    int validRows(final int page, final int firstRow, final int rows)
    {
        final int all = validRows(page);
        if (all == 0 || all == pageRows)
        {
            return all == 0 ? 0 : rows;
        }
        int valid = 0;
        for (int row = firstRow; row < firstRow + rows; row++)
        {
            valid += isValid(page, row) ? 1 : 0;
        }
        return valid;
    }

    /** Words of the pages' records for {@link #validity}, on any thread that received the end of a request. */
    long[] acquireRecords()
    {
        return (long[])RECORDS.getAcquire(this);
    }

    /** The arrays for {@link #slabIndex}, on the same threads. */
    byte[][] acquireSlabs()
    {
        return (byte[][])SLABS.getAcquire(this);
    }

    /** Index of the record's first word of validity bits; row {@code r} is bit {@code r % 64} of word {@code r / 64}. */
    int validity(final int page)
    {
        return record(page) + VALIDITY;
    }

    int slabIndex(final int page)
    {
        return page >> slabShift;
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

    /** Pages that there are, alive or not. */
    int pageCount()
    {
        return pageCount;
    }

    boolean isLive(final int page)
    {
        return refCount(page) > 0;
    }

    /** The rows of a page, or those of a new one; references to it are not saved with it. */
    void save(final int page, final SavedFields fields)
    {
        final long[] valid = new long[validityWords];
        System.arraycopy(records, validity(page), valid, 0, validityWords);
        fields.numbers(valid, validityWords);
        for (int row = 0; row < pageRows; row++)
        {
            if ((valid[row >>> 6] & 1L << row) != 0)
            {
                final byte[] slab = slabs[page >> slabShift];
                final int start = pageStart(page) + row * rowBytes;
                fields.bytes(slab, start, rowBytes);
                if (fields.isReading())
                {
                    markValid(page, row, 1, slab, start);
                }
            }
        }
        if (fields.flag(isSealed(page)))
        {
            seal(page);
        }
    }

    /** Digest of the valid rows, bound to their places; independent of the order in which they were stored. */
    long pageDigest(final int page)
    {
        return records[record(page) + DIGEST];
    }

    /** Sum of the digests of all live pages; every mutation updates it. */
    public long digest()
    {
        return digest;
    }

    /** The same as {@link #digest()}, computed from the rows themselves: for tests. */
    public long recomputeDigest()
    {
        long sum = 0;
        for (int page = 0; page < pageCount; page++)
        {
            sum += refCount(page) > 0 ? recomputeDigest(page, pageRows) : 0;
        }
        return sum;
    }

    /** The digest that a page would have with its first rows only. */
    long recomputeDigest(final int page, final int rows)
    {
        long sum = 0;
        for (int row = 0; row < rows; row++)
        {
            if (isValid(page, row))
            {
                sum += RowDigest.of(row, slabs[page >> slabShift], pageStart(page) + row * rowBytes, rowBytes);
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

    /** Index of the page's first byte in its slab. */
    int pageStart(final int page)
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
