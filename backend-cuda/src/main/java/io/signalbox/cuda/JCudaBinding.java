// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import jcuda.JCudaVersion;
import jcuda.LibUtils;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

import java.nio.charset.StandardCharsets;

/** The driver through JCuda. No other class knows JCuda, so that another binding can take its place. */
final class JCudaBinding implements CudaDriver
{
    private static final int MAX_NAME_BYTES = 256;

    /**
     * JCuda alone would fall back to a file of fixed name in the temporary directory, which any user of the machine can
     * put there, and loads it unchecked. Loading the library here first, from the library path only, keeps it from that.
     */
    @Override
    public void load()
    {
        System.loadLibrary(LibUtils.createPlatformLibraryName("JCudaDriver-" + JCudaVersion.get()));
        JCudaDriver.setExceptionsEnabled(false);
    }

    @Override
    public int initialise()
    {
        return JCudaDriver.cuInit(0);
    }

    @Override
    public int version(final int[] version)
    {
        return JCudaDriver.cuDriverGetVersion(version);
    }

    @Override
    public int deviceCount(final int[] count)
    {
        return JCudaDriver.cuDeviceGetCount(count);
    }

    @Override
    public CudaDevice device(final int ordinal)
    {
        final CUdevice device = new CUdevice();
        final byte[] name = new byte[MAX_NAME_BYTES];
        final long[] memoryBytes = new long[1];
        check("cuDeviceGet", JCudaDriver.cuDeviceGet(device, ordinal));
        check("cuDeviceGetName", JCudaDriver.cuDeviceGetName(name, MAX_NAME_BYTES, device));
        check("cuDeviceTotalMem", JCudaDriver.cuDeviceTotalMem(memoryBytes, device));
        final String capability =
            attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) + "." +
            attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
        return new CudaDevice(ordinal, text(name), memoryBytes[0], capability);
    }

    @Override
    public String nameOf(final int result)
    {
        return CUresult.stringFor(result);
    }

    private int attribute(final CUdevice device, final int attribute)
    {
        final int[] value = new int[1];
        check("cuDeviceGetAttribute", JCudaDriver.cuDeviceGetAttribute(value, attribute, device));
        return value[0];
    }

    private void check(final String call, final int result)
    {
        if (result != SUCCESS)
        {
            throw new CudaCallException(call, result, nameOf(result));
        }
    }

    /** The driver's names end with a zero byte. */
    private static String text(final byte[] name)
    {
        int length = 0;
        while (length < name.length && name[length] != 0)
        {
            length++;
        }
        return new String(name, 0, length, StandardCharsets.UTF_8);
    }
}
