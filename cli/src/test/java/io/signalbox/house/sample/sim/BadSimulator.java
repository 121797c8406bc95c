// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.sim;

import io.signalbox.cuda.driver.CudaProbe;
import jcuda.driver.CUdevice;
import net.openhft.chronicle.queue.ChronicleQueue;
import picocli.CommandLine;

/** A simulator that knows the GPU and its binding, writes a queue, parses options, and ends the process. */
final class BadSimulator
{
    boolean run(final ChronicleQueue queue, final CommandLine options, final CUdevice device)
    {
        if (queue.isClosed() || options.isUsageHelpRequested() || device == null)
        {
            System.exit(1);
        }
        return new CudaProbe().probe().ready();
    }
}
