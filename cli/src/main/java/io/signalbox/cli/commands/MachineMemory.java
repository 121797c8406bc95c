// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import com.sun.management.OperatingSystemMXBean;

import java.lang.management.ManagementFactory;

/** The memory that this process may use at most. */
final class MachineMemory
{
    private MachineMemory()
    {
    }

    /** Bytes of the machine, or of the container if that has fewer. */
    static long bytes()
    {
        final OperatingSystemMXBean system = (OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean();
        return system.getTotalMemorySize();
    }
}
