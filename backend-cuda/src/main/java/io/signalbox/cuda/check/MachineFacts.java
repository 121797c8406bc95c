// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.BoundedCall;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.CudaException;
import io.signalbox.cuda.driver.DeviceStuckException;
import io.signalbox.cuda.driver.DeviceTraits;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Facts by which two tables of figures can be compared: driver, device, link, clocks, processor and kernel. From
 * the driver, {@code nvidia-smi} if there is one, and the files of Linux; what cannot be found out is left out.
 */
public final class MachineFacts
{
    private static final String TOOL = "nvidia-smi";
    private static final long TOOL_SECONDS = 10;
    private static final long DRIVER_NANOS = 10_000_000_000L;
    private static final int MEGAHERTZ = 1_000;
    private static final List<String> QUERIES = List.of("driver_version", "pcie.link.gen.current", "pcie.link.gen.max",
        "pcie.link.width.current", "pcie.link.width.max", "clocks.current.sm", "clocks.max.sm", "clocks.current.memory",
        "clocks.max.memory", "power.limit", "temperature.gpu", "persistence_mode");

    private final Path root;
    private final Map<String, String> facts = new LinkedHashMap<>();

    /** @param root of the file system. */
    MachineFacts(final Path root)
    {
        this.root = root;
    }

    /**
     * Names and values, in the order of a report.
     *
     * @param driver loaded and initialised.
     */
    public static Map<String, String> of(final CudaDriver driver, final int ordinal)
    {
        final MachineFacts facts = new MachineFacts(Path.of("/"));
        facts.addDriver(driver, ordinal, DRIVER_NANOS, List.of(TOOL));
        facts.addSystem();
        return facts.facts;
    }

    /**
     * Facts from the driver, and then from the tool. They number devices in different orders, and the driver only
     * those that it shows this process, so the tool is asked by the device's address.
     *
     * @param limitNanos how long the driver may take.
     */
    void addDriver(final CudaDriver driver, final int ordinal, final long limitNanos, final List<String> tool)
    {
        try
        {
            final int version = BoundedCall.get("the question for the driver's version", limitNanos, driver::version);
            put("CUDA version of the driver", version / 1000 + "." + version % 1000 / 10);
            final DeviceTraits traits =
                BoundedCall.get("the question for the device's traits", limitNanos, () -> driver.traits(ordinal));
            add(traits);
            final List<String> command = new ArrayList<>(tool);
            command.addAll(List.of("--id=" + traits.pciAddress(), "--query-gpu=" + String.join(",", QUERIES),
                "--format=csv,noheader"));
            addTool(command);
        }
        // The check itself finds out what the device still does.
        catch (final DeviceStuckException | CudaException e)
        {
            put("fault of the driver", e.getMessage());
        }
    }

    void add(final DeviceTraits traits)
    {
        putPositive("multiprocessors", traits.multiprocessors(), "");
        putPositive("highest clock by the driver", traits.clockKilohertz() / MEGAHERTZ, " MHz");
        putPositive("highest memory clock by the driver", traits.memoryClockKilohertz() / MEGAHERTZ, " MHz");
        put("PCI address", traits.pciAddress());
        final Path link = root.resolve("sys/bus/pci/devices").resolve(traits.pciAddress());
        put("PCIe speed", firstLine(link.resolve("current_link_speed"), ""));
        put("PCIe width", firstLine(link.resolve("current_link_width"), ""));
    }

    /** One line of values, in the order of the queries. */
    void addTool(final List<String> command)
    {
        try
        {
            final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            if (!process.waitFor(TOOL_SECONDS, TimeUnit.SECONDS))
            {
                process.destroyForcibly();
                put(TOOL, "no answer within " + TOOL_SECONDS + " s");
                return;
            }
            final String[] values =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip().split(",\\s*");
            for (int i = 0; i < QUERIES.size() && process.exitValue() == 0 && values.length == QUERIES.size(); i++)
            {
                put(QUERIES.get(i), values[i]);
            }
        }
        catch (final IOException e)
        {
            put(TOOL, "not found");
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    void addSystem()
    {
        put("driver module", firstLine(root.resolve("proc/driver/nvidia/version"), ""));
        put("CPU", firstLine(root.resolve("proc/cpuinfo"), "model name").replaceFirst(".*:\\s*", ""));
        put("cores for this process", String.valueOf(Runtime.getRuntime().availableProcessors()));
        put("kernel", firstLine(root.resolve("proc/sys/kernel/osrelease"), ""));
        put("Java", Runtime.version() + ", " + System.getProperty("java.vm.vendor"));
        put("CUDA_MODULE_LOADING", System.getenv().getOrDefault("CUDA_MODULE_LOADING", "not set"));
    }

    /** The first line with a text, empty if there is none or the file cannot be read. */
    private static String firstLine(final Path file, final String text)
    {
        try (Stream<String> lines = Files.lines(file))
        {
            return lines.filter(line -> line.contains(text)).findFirst().orElse("").strip();
        }
        catch (final IOException | RuntimeException e)
        {
            return "";
        }
    }

    private void putPositive(final String name, final int value, final String unit)
    {
        if (value > 0)
        {
            put(name, value + unit);
        }
    }

    private void put(final String name, final String value)
    {
        if (!value.isEmpty())
        {
            facts.put(name, value);
        }
    }

    Map<String, String> facts()
    {
        return facts;
    }
}
