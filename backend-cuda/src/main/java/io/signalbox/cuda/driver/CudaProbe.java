// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import io.signalbox.cuda.driver.CudaAvailability.State;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
    private static final String DRIVER_LIBRARY = DriverLibrary.NAME;
    private static final String NOT_THERE = "cannot open shared object file";
    private static final Pattern LIBRARY_NOT_THERE = Pattern.compile("(\\S+\\.so\\S*): " + NOT_THERE);
    private static final String CPP_LIBRARY = "libstdc++.so.6";

    /** A driver that is well answers within seconds, even if it has to start the devices first. */
    private static final long LIMIT_NANOS = 60_000_000_000L;

    private final CudaDevices devices;
    private final long limitNanos;

    public CudaProbe()
    {
        this(new JCudaBinding());
    }

    public CudaProbe(final CudaDevices devices)
    {
        this(devices, LIMIT_NANOS);
    }

    /** @param limitNanos how long the driver may take to answer. */
    public CudaProbe(final CudaDevices devices, final long limitNanos)
    {
        this.devices = devices;
        this.limitNanos = limitNanos;
    }

    public CudaAvailability probe()
    {
        try
        {
            devices.load();
        }
        catch (final MissingSymbolError e)
        {
            return none(State.DRIVER_INCOMPLETE, e.getMessage() + ", which Signalbox calls; install the NVIDIA driver, " +
                "release 580 or newer, or remove other libraries of this name from the library path.");
        }
        catch (final LinkageError e)
        {
            return notLoaded(String.valueOf(e.getMessage()));
        }
        try
        {
            return BoundedCall.get("the question for devices", limitNanos, this::ask);
        }
        catch (final DeviceStuckException e)
        {
            return none(State.DRIVER_STUCK, "the NVIDIA driver does not answer: " + e.getMessage() +
                "; check nvidia-smi and the kernel's log, and restart the driver or the machine.");
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
            count + (count == 1 ? " GPU" : " GPUs") + ", driver for CUDA " + dotted(version) + place() + ".", found);
    }

    /** Said only of a library that the loader does not find by itself. */
    private String place()
    {
        return devices.library() == null ? "" : ", its library taken from " + devices.library();
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
                " was not found, neither by the loader nor in the usual directories; install the driver, name its " +
                "directory in LD_LIBRARY_PATH, or use a machine with a GPU.");
        }
        final Matcher missing = LIBRARY_NOT_THERE.matcher(cause);
        if (missing.find())
        {
            return none(State.NO_BINDING, "the native part of JCuda needs the library " + missing.group(1) +
                ", which was not found; install it" +
                (missing.group(1).endsWith(CPP_LIBRARY) ? " (package libstdc++6 or libstdc++)." : "."));
        }
        return none(State.NO_BINDING, "the native part of JCuda could not be loaded (" + firstLine(cause) +
            "); start through the launcher 'signalbox', or name its directory with -Djava.library.path.");
    }

    private static CudaAvailability noDevice()
    {
        return none(State.NO_DEVICE,
            "the NVIDIA driver is there and offers no GPU; check nvidia-smi, and CUDA_VISIBLE_DEVICES if it is set.");
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
