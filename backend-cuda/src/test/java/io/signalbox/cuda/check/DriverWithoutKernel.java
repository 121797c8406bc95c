// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.ForwardingDriver;
import io.signalbox.cuda.driver.KernelArguments;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** Leaves out every launch of one kernel. */
final class DriverWithoutKernel extends ForwardingDriver
{
    private final String absent;
    private final Set<Object> handles = Collections.newSetFromMap(new IdentityHashMap<>());

    DriverWithoutKernel(final CudaDriver driver, final String absent)
    {
        super(driver);
        this.absent = absent;
    }

    @Override
    public synchronized Kernel kernel(final KernelModule module, final String name)
    {
        final Kernel kernel = super.kernel(module, name);
        if (name.equals(absent))
        {
            handles.add(kernel);
        }
        return kernel;
    }

    @Override
    public synchronized Launch prepareLaunch(
        final Kernel kernel, final int blocks, final int threadsPerBlock, final int sharedBytes,
        final KernelArguments arguments)
    {
        final Launch launch = super.prepareLaunch(kernel, blocks, threadsPerBlock, sharedBytes, arguments);
        if (handles.contains(kernel))
        {
            handles.add(launch);
        }
        return launch;
    }

    @Override
    public void launch(final Launch launch, final Stream stream)
    {
        if (!isAbsent(launch))
        {
            super.launch(launch, stream);
        }
    }

    private synchronized boolean isAbsent(final Launch launch)
    {
        return handles.contains(launch);
    }
}
