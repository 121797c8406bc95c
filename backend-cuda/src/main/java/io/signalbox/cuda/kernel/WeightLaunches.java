// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.KernelArguments;
import io.signalbox.model.WeightRecipe;
import io.signalbox.model.WeightType;

/** Launches of the kernels that make weights on the device. */
public final class WeightLaunches
{
    private static final int THREADS = 256;
    private static final int MAX_BLOCKS = 1024;
    private static final int ARGUMENTS = 4;

    private final CudaDriver driver;
    private final CudaDriver.KernelModule module;

    public WeightLaunches(final CudaDriver driver, final CudaDriver.KernelModule module)
    {
        this.driver = driver;
        this.module = module;
    }

    /** Fills memory with the weights of a recipe. */
    public CudaDriver.Launch generate(final DeviceMemory to, final WeightType type, final WeightRecipe recipe)
    {
        final long count = to.bytes() / type.bytes();
        final long blocks = Math.max(1, Math.min(MAX_BLOCKS, (count + THREADS - 1) / THREADS));
        return driver.prepareLaunch(driver.kernel(module, KernelNames.DECODER_GENERATE + KernelNames.suffix(type)),
            (int)blocks, THREADS, 0,
            new KernelArguments(ARGUMENTS).pointer(to).int64(count).int64(recipe.key()).float32(recipe.unit()));
    }
}
