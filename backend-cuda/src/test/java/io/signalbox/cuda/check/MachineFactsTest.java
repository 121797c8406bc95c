// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.DeviceTraits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** The file system is a directory, the tool a script. */
@DisabledOnOs(OS.WINDOWS)
class MachineFactsTest
{
    @TempDir
    private Path root;

    @Test
    void shouldReadLinkProcessorAndKernelFromFiles() throws IOException
    {
        write("sys/bus/pci/devices/0000:1b:00.0/current_link_speed", "32.0 GT/s PCIe");
        write("sys/bus/pci/devices/0000:1b:00.0/current_link_width", "16");
        write("proc/cpuinfo", "processor : 0\nmodel name\t: A fast one\nmodel name\t: A fast one");
        write("proc/sys/kernel/osrelease", "6.1.0");
        write("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06");
        final MachineFacts facts = new MachineFacts(root);
        facts.add(new DeviceTraits(132, 1_980_000, 3_201_000, "0000:1b:00.0"));
        facts.addSystem();

        final Map<String, String> found = facts.facts();
        assertEquals("132", found.get("multiprocessors"));
        assertEquals("1980 MHz", found.get("highest clock by the driver"));
        assertEquals("32.0 GT/s PCIe", found.get("PCIe speed"));
        assertEquals("16", found.get("PCIe width"));
        assertEquals("A fast one", found.get("CPU"));
        assertEquals("6.1.0", found.get("kernel"));
        assertEquals("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06", found.get("driver module"));
    }

    /** Nothing is made up of what is not there. */
    @Test
    void shouldLeaveOutWhatIsNotToBeFound()
    {
        final MachineFacts facts = new MachineFacts(root);
        facts.add(new DeviceTraits(0, 0, 0, "0000:00:00.0"));
        facts.addTool(List.of(root.resolve("no-tool").toString()));
        facts.addSystem();

        assertFalse(facts.facts().containsKey("multiprocessors"));
        assertFalse(facts.facts().containsKey("PCIe speed"));
        assertFalse(facts.facts().containsKey("CPU"));
        assertEquals("not found", facts.facts().get("nvidia-smi"));
    }

    @Test
    @Timeout(60)
    void shouldTakeTheAnswerOfTheToolInItsOrder()
    {
        final MachineFacts facts = new MachineFacts(root);
        facts.addTool(List.of("sh", "-c", "echo '580.65.06, 5, 5, 16, 16, 1980 MHz, 1980 MHz, 3201 MHz, 3201 MHz, " +
            "700.00 W, 31, Enabled'"));

        assertEquals("580.65.06", facts.facts().get("driver_version"));
        assertEquals("5", facts.facts().get("pcie.link.gen.current"));
        assertEquals("1980 MHz", facts.facts().get("clocks.current.sm"));
        assertEquals("Enabled", facts.facts().get("persistence_mode"));
    }

    @Test
    void shouldTakeNothingFromAToolThatFails()
    {
        final MachineFacts facts = new MachineFacts(root);
        facts.addTool(List.of("sh", "-c", "echo 'No devices were found'; exit 6"));

        assertEquals(Map.of(), facts.facts());
    }

    private void write(final String file, final String text) throws IOException
    {
        final Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text + "\n");
    }
}
