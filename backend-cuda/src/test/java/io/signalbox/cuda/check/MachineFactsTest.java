// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.CudaException;
import io.signalbox.cuda.driver.DeviceTraits;
import io.signalbox.cuda.driver.ForwardingDriver;
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
import java.util.concurrent.CountDownLatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The file system is a directory, the tool a script. */
@DisabledOnOs(OS.WINDOWS)
class MachineFactsTest
{
    private static final long LONG_NANOS = 60_000_000_000L;

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
    @Timeout(180)
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

    /** The tool numbers devices in another order, and those too that the driver hides from this process. */
    @Test
    @Timeout(180)
    void shouldAskTheToolByTheAddressOfTheDevice() throws IOException
    {
        write("tool", "echo \"$1\" > " + root.resolve("asked"));
        final MachineFacts facts = new MachineFacts(root);
        facts.addDriver(new Traits(() -> { }), 0, LONG_NANOS, List.of("sh", root.resolve("tool").toString()));

        assertEquals("--id=0000:1b:00.0", Files.readString(root.resolve("asked")).strip());
        assertEquals("13.0", facts.facts().get("CUDA version of the driver"));
    }

    @Test
    @Timeout(180)
    void shouldComeBackFromADriverThatDoesNot()
    {
        final CountDownLatch answer = new CountDownLatch(1);
        final MachineFacts facts = new MachineFacts(root);
        facts.addDriver(new Traits(() -> await(answer)), 0, 1_000_000_000, List.of("false"));
        answer.countDown();

        assertTrue(facts.facts().get("fault of the driver").startsWith(
            "the question for the device's traits did not end within 1 s; its thread is in "), facts.facts().toString());
    }

    @Test
    void shouldLeaveOutWhatTheDriverRefuses()
    {
        final MachineFacts facts = new MachineFacts(root);
        facts.addDriver(new Traits(() ->
        {
            throw new CudaException("cuDeviceGetAttribute", 1, "CUDA_ERROR_INVALID_VALUE");
        }), 0, LONG_NANOS, List.of("false"));

        assertEquals("cuDeviceGetAttribute answered CUDA_ERROR_INVALID_VALUE (1)", facts.facts().get("fault of the driver"));
    }

    private static void await(final CountDownLatch latch)
    {
        try
        {
            latch.await();
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    /** A driver that tells the traits of a device, after something else. */
    private static final class Traits extends ForwardingDriver
    {
        private final Runnable first;

        private Traits(final Runnable first)
        {
            super(null);
            this.first = first;
        }

        @Override
        public int version()
        {
            return 13_000;
        }

        @Override
        public DeviceTraits traits(final int ordinal)
        {
            first.run();
            return new DeviceTraits(132, 1_980_000, 3_201_000, "0000:1b:00.0");
        }
    }

    private void write(final String file, final String text) throws IOException
    {
        final Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text + "\n");
    }
}
