// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import io.signalbox.InvariantViolation;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The arguments of one kernel launch in the form that the driver reads: a table of addresses, and the values they point
 * to. A null address follows the table; the emulated driver counts the arguments by it. Built once; marshalling arguments at
 * each launch costs JCuda microseconds.
 */
public final class KernelArguments
{
    private static final int SLOT_BYTES = Long.BYTES;

    private final ByteBuffer values;
    private final ByteBuffer addresses;
    private final long valuesAddress;
    private int count;
    private String matrix = "";
    private long matrixBytes;

    /** @param capacity the most arguments that will be added. */
    public KernelArguments(final int capacity)
    {
        values = ByteBuffer.allocateDirect(capacity * SLOT_BYTES).order(ByteOrder.nativeOrder());
        addresses = ByteBuffer.allocateDirect((capacity + 1) * SLOT_BYTES).order(ByteOrder.nativeOrder());
        valuesAddress = new UnsafeBuffer(values).addressOffset();
    }

    public KernelArguments pointer(final DeviceMemory memory)
    {
        return address(memory.address());
    }

    public KernelArguments nullPointer()
    {
        return address(0);
    }

    public KernelArguments int64(final long value)
    {
        return address(value);
    }

    public KernelArguments int32(final int value)
    {
        values.putInt(next(), value);
        return this;
    }

    public KernelArguments float32(final float value)
    {
        values.putFloat(next(), value);
        return this;
    }

    /** Describes the matrix that the kernel multiplies with, for reports; adds no argument. */
    public KernelArguments matrix(final int rows, final int columns, final int rowBytes)
    {
        matrix = rows + " x " + columns;
        matrixBytes = (long)rows * rowBytes;
        return this;
    }

    private KernelArguments address(final long value)
    {
        values.putLong(next(), value);
        return this;
    }

    private int next()
    {
        final int at = count * SLOT_BYTES;
        if (at == values.capacity())
        {
            throw new InvariantViolation("a table for " + count + " kernel arguments was given one more");
        }
        addresses.putLong(at, valuesAddress + at);
        count++;
        return at;
    }

    /** Traits of a launch of a kernel with these arguments. */
    LaunchTraits traits(final String kernel)
    {
        return new LaunchTraits(kernel, matrix, matrixBytes);
    }

    /** The table of addresses; holds on to the values for as long as it lives. */
    ByteBuffer addresses()
    {
        return addresses;
    }
}
