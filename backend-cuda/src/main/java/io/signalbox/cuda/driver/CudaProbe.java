// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import io.signalbox.cuda.driver.CudaAvailability.State;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds out whether a GPU can be used from this process, and if not, what is missing. Never throws, starts nothing on
 * the GPU, and creates no context.
 */
public final class CudaProbe
{
    /**
     * A driver runs what was made for its own major version or an older one. The binding is made for CUDA 12; the kernels
     * are compiled by CUDA 13, whose machine code and PTX a driver for CUDA 12 does not know.
     */
    static final int MIN_DRIVER_VERSION = 13_000;
    private static final String DRIVER_LIBRARY = "libcuda.so.1";
    private static final String NOT_THERE = "cannot open shared object file";

    private final CudaDevices devices;

    public CudaProbe()
    {
        this(new JCudaBinding());
    }

    public CudaProbe(final CudaDevices devices)
    {
        this.devices = devices;
    }

    public CudaAvailability probe()
    {
        try
        {
            devices.load();
        }
        catch (final LinkageError e)
        {
            return notLoaded(String.valueOf(e.getMessage()));
        }
        try
        {
            return ask();
        }
        catch (final CudaException e)
        {
            return e.code() == CudaException.NO_DEVICE ? noDevice() : failed(e.getMessage());
        }
        catch (final LinkageError e)
        {
            return failed(e.getMessage());
        }
    }

    private CudaAvailability ask()
    {
        devices.initialise();
        final int version = devices.version();
        if (version < MIN_DRIVER_VERSION)
        {
            return none(State.DRIVER_TOO_OLD, "the NVIDIA driver supports CUDA " + dotted(version) + ", and " +
                dotted(MIN_DRIVER_VERSION) + " is needed; install a newer driver.");
        }
        final int count = devices.deviceCount();
        return count == 0 ? noDevice() : ready(version, count);
    }

    private CudaAvailability ready(final int version, final int count)
    {
        final List<CudaDevice> found = new ArrayList<>(count);
        for (int ordinal = 0; ordinal < count; ordinal++)
        {
            found.add(devices.device(ordinal));
        }
        return new CudaAvailability(State.READY,
            count + (count == 1 ? " GPU" : " GPUs") + ", driver for CUDA " + dotted(version) + ".", found);
    }

    private static CudaAvailability notLoaded(final String cause)
    {
        final int driver = cause.indexOf(DRIVER_LIBRARY + ": ");
        if (driver >= 0 && !cause.contains(NOT_THERE))
        {
            return none(State.NO_DRIVER, "the NVIDIA driver's library could not be loaded (" +
                firstLine(cause.substring(driver)) + "); check its installation.");
        }
        if (driver >= 0)
        {
            return none(State.NO_DRIVER, "the NVIDIA driver's library " + DRIVER_LIBRARY +
                " was not found; install the driver, or use a machine with a GPU.");
        }
        return none(State.NO_BINDING, "the native part of JCuda could not be loaded (" + firstLine(cause) +
            "); start through the launcher 'signalbox', or name its directory with -Djava.library.path.");
    }

    private static CudaAvailability noDevice()
    {
        return none(State.NO_DEVICE,
            "the NVIDIA driver is there and offers no GPU; check nvidia-smi, and CUDA_VISIBLE_DEVICES where it is set.");
    }

    private static CudaAvailability failed(final String answer)
    {
        return none(State.DRIVER_FAILED, "the NVIDIA driver cannot be used: " + answer + "; check nvidia-smi.");
    }

    private static CudaAvailability none(final State state, final String message)
    {
        return new CudaAvailability(state, message, List.of());
    }

    private static String dotted(final int version)
    {
        return version / 1000 + "." + version % 1000 / 10;
    }

    private static String firstLine(final String text)
    {
        return text.lines().findFirst().orElse("no reason given");
    }
}
