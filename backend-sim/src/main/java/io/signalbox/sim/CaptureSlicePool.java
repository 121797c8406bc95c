// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.InvariantViolation;
import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Slices that are used again after their release. One thread acquires; any thread releases. A slice grows to the
 * largest step it has held.
 */
final class CaptureSlicePool
{
    private final int rowBytes;
    // A stack with one taker: a node that the taker sees on top cannot leave and return behind its back.
    private final AtomicReference<Slice> free = new AtomicReference<>();

    CaptureSlicePool(final int rowBytes)
    {
        this.rowBytes = rowBytes;
    }

    Slice acquire(final int rowCount)
    {
        Slice slice = free.get();
        while (slice != null && !free.compareAndSet(slice, slice.below))
        {
            slice = free.get();
        }
        if (slice == null)
        {
            slice = new Slice();
        }
        slice.reserve(rowCount);
        return slice;
    }

    private void push(final Slice slice)
    {
        Slice top = free.get();
        slice.below = top;
        while (!free.compareAndSet(top, slice))
        {
            top = free.get();
            slice.below = top;
        }
    }

    /** Rows of one step. */
    final class Slice implements CaptureSlice
    {
        private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[0]);
        private Slice below;
        private int rowCount;
        private boolean inUse;

        private void reserve(final int rows)
        {
            final int bytes = Math.multiplyExact(rows, rowBytes);
            if (buffer.capacity() < bytes)
            {
                buffer.wrap(new byte[Math.max(bytes, 2 * buffer.capacity())]);
            }
            rowCount = rows;
            inUse = true;
        }

        UnsafeBuffer rows()
        {
            return buffer;
        }

        @Override
        public DirectBuffer buffer()
        {
            return buffer;
        }

        @Override
        public int offset()
        {
            return 0;
        }

        @Override
        public int rowCount()
        {
            return rowCount;
        }

        @Override
        public int rowBytes()
        {
            return rowBytes;
        }

        @Override
        public void release()
        {
            if (!inUse)
            {
                throw new InvariantViolation("a capture slice of " + rowCount + " rows was released twice");
            }
            inUse = false;
            push(this);
        }
    }
}
