// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import io.signalbox.ConfigException;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** GPUs with kernel measurements, with the limits that their data sheets state. */
public enum Gpu
{
    H100(3.35, 989, 80),
    H200(4.8, 989, 141),
    B200(8.0, 2250, 180);

    private final double terabytesPerSecond;
    private final double teraflops;
    private final int memoryGigabytes;

    Gpu(final double terabytesPerSecond, final double teraflops, final int memoryGigabytes)
    {
        this.terabytesPerSecond = terabytesPerSecond;
        this.teraflops = teraflops;
        this.memoryGigabytes = memoryGigabytes;
    }

    /** @param text a name such as {@code h200}, or {@code h200_sxm} as the measurements have it. */
    public static Gpu parse(final String text)
    {
        final Gpu gpu = find(text);
        if (gpu == null)
        {
            throw ConfigException.of("gpu", text, names(), "give a GPU that has kernel measurements");
        }
        return gpu;
    }

    /** {@code null} if there is no such GPU. */
    public static Gpu find(final String text)
    {
        final String name = text.toLowerCase(Locale.ROOT).replaceFirst("_sxm$", "");
        return Arrays.stream(values()).filter(gpu -> gpu.label().equals(name)).findFirst().orElse(null);
    }

    public static String names()
    {
        return Arrays.stream(values()).map(Gpu::label).collect(Collectors.joining(", "));
    }

    public String label()
    {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Microseconds to read so many bytes at the full bandwidth. */
    double readMicros(final double bytes)
    {
        return bytes / terabytesPerSecond / 1e6;
    }

    /** Microseconds of so many operations at the full rate of weights of two bytes, or twice the rate for one byte. */
    double computeMicros(final double operations, final double bytesPerWeight)
    {
        return operations / (teraflops * 2 / bytesPerWeight) / 1e6;
    }

    /** Bytes of memory. */
    public long memoryBytes()
    {
        return memoryGigabytes * 1_000_000_000L;
    }
}
