// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

/** Devices that answer as told. */
final class FakeDevices implements CudaDevices
{
    private LinkageError loadError;
    private int initialiseResult;
    private int version = 13_000;
    private int devices = 1;
    private boolean deviceFails;

    FakeDevices loadError(final LinkageError value)
    {
        loadError = value;
        return this;
    }

    FakeDevices initialiseResult(final int value)
    {
        initialiseResult = value;
        return this;
    }

    FakeDevices version(final int value)
    {
        version = value;
        return this;
    }

    FakeDevices devices(final int value)
    {
        devices = value;
        return this;
    }

    FakeDevices deviceFails()
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
    public void initialise()
    {
        if (initialiseResult != 0)
        {
            throw new CudaException("cuInit", initialiseResult, "CUDA_ERROR_" + initialiseResult);
        }
    }

    @Override
    public int version()
    {
        return version;
    }

    @Override
    public int deviceCount()
    {
        return devices;
    }

    @Override
    public CudaDevice device(final int ordinal)
    {
        if (deviceFails)
        {
            throw new CudaException("cuDeviceGetName", 999, "CUDA_ERROR_999");
        }
        return new CudaDevice(ordinal, "Fake GPU", 1L << 30, "9.0");
    }
}
