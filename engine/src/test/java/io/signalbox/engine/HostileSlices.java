// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;

/** Capture slices that no sound backend lends. */
final class HostileSlices
{
    private HostileSlices()
    {
    }

    /** A slice whose backend took the checksum of other rows. */
    record Miscounted(HeapSlice slice) implements CaptureSlice
    {
        @Override
        public DirectBuffer buffer()
        {
            return slice.buffer();
        }

        @Override
        public int offset()
        {
            return slice.offset();
        }

        @Override
        public int rowCount()
        {
            return slice.rowCount();
        }

        @Override
        public int rowBytes()
        {
            return slice.rowBytes();
        }

        @Override
        public long checksum()
        {
            return 77;
        }

        @Override
        public void release()
        {
            slice.release();
        }
    }

    /** A slice that throws at its n-th call. */
    static final class Throwing implements CaptureSlice
    {
        private final CaptureSlice slice;
        private int callsLeft;

        Throwing(final CaptureSlice slice, final int calls)
        {
            this.slice = slice;
            callsLeft = calls;
        }

        private CaptureSlice call()
        {
            if (--callsLeft == 0)
            {
                throw new IllegalStateException("planted");
            }
            return slice;
        }

        @Override
        public DirectBuffer buffer()
        {
            return call().buffer();
        }

        @Override
        public int offset()
        {
            return call().offset();
        }

        @Override
        public int rowCount()
        {
            return call().rowCount();
        }

        @Override
        public int rowBytes()
        {
            return call().rowBytes();
        }

        @Override
        public void release()
        {
            call().release();
        }
    }
}
