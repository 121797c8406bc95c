// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

/** A driver that answers as told. */
final class FakeDriver implements CudaDriver
{
    private LinkageError loadError;
    private int initialiseResult;
    private int version = 12_080;
    private int devices = 1;
    private boolean deviceFails;

    FakeDriver loadError(final LinkageError value)
    {
        loadError = value;
        return this;
    }

    FakeDriver initialiseResult(final int value)
    {
        initialiseResult = value;
        return this;
    }

    FakeDriver version(final int value)
    {
        version = value;
        return this;
    }

    FakeDriver devices(final int value)
    {
        devices = value;
        return this;
    }

    FakeDriver deviceFails()
    {
        deviceFails = true;
        return this;
    }

    @Override
    public void load()
    {
        if (loadError != null)
        {
            throw loadError;
        }
    }

    @Override
    public int initialise()
    {
        return initialiseResult;
    }

    @Override
    public int version(final int[] result)
    {
        result[0] = version;
        return SUCCESS;
    }

    @Override
    public int deviceCount(final int[] count)
    {
        count[0] = devices;
        return SUCCESS;
    }

    @Override
    public CudaDevice device(final int ordinal)
    {
        if (deviceFails)
        {
            throw new CudaCallException("cuDeviceGetName", 999, nameOf(999));
        }
        return new CudaDevice(ordinal, "Fake GPU", 1L << 30, "9.0");
    }

    @Override
    public String nameOf(final int result)
    {
        return "CUDA_ERROR_" + result;
    }
}
