// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.ConfigException;
import io.signalbox.backend.CompletionSink;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.CudaException;
import io.signalbox.cuda.driver.DeviceStuckException;
import io.signalbox.cuda.driver.StuckThreads;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.KernelImage;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.ModelWeights;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/** The ranks of a backend on their devices: made whole or not at all. */
final class RankSet implements AutoCloseable
{
    private final CudaDriver driver;
    private final CudaBackendConfig config;
    private final KernelImage image = KernelImage.load();
    private final Map<Integer, SharedDevice> devices = new TreeMap<>();
    private final List<CudaRank> ranks = new ArrayList<>();

    /**
     * @param form  the source of captured rows, null if capture is disabled.
     * @param shape of captured rows, null likewise.
     */
    RankSet(
        final CudaDriver driver,
        final CudaBackendConfig config,
        final int count,
        final CaptureForm form,
        final ModelShape shape,
        final CompletionSink completions)
    {
        this.driver = driver;
        this.config = config;
        final FaultScope faults = new FaultScope(config.faultPolicy());
        try
        {
            openDevices(count, shape);
            for (int rank = 0; rank < count; rank++)
            {
                final SharedDevice device = devices.get(config.deviceOf(rank));
                device.makeCurrent();
                ranks.add(new CudaRank(
                    rank, RankDevice.open(driver, device, config, rank, form, shape), config, faults, completions));
            }
        }
        catch (final DeviceStuckException e)
        {
            // Ranks made so far may share the device that is stuck.
            throw e;
        }
        catch (final CudaException e)
        {
            close();
            throw ConfigException.because("The CUDA backend cannot start " + count + " ranks: " + e.getMessage())
                .remedy("give fewer ranks per device, a smaller ", CudaBackendConfig.MAX_STEP_TOKENS.named(),
                    " or fewer steps in flight if it is memory");
        }
        catch (final RuntimeException | Error e)
        {
            close();
            throw e;
        }
    }

    /** Memory is taken from none before all have shown that they have enough. */
    private void openDevices(final int count, final ModelShape shape)
    {
        for (final int ordinal : config.devicesOf(count))
        {
            devices.put(ordinal,
                new SharedDevice(driver, ordinal, image, config, DeviceBudget.of(config, ordinal, count, shape)));
        }
        for (final SharedDevice device : devices.values())
        {
            device.makeCurrent();
            device.loadWeights();
        }
    }

    /** Copies weights to all devices, as {@link SharedDevice#refill} does. */
    void refill(final int set, final ModelWeights weights, final BooleanSupplier stopped)
    {
        devices.values().forEach(device -> device.refill(set, weights, stopped));
    }

    List<CudaRank> ranks()
    {
        return ranks;
    }

    CudaRank get(final int rank)
    {
        return ranks.get(rank);
    }

    int deviceCount()
    {
        return devices.size();
    }

    /**
     * For any thread, once the ranks' threads have ended or are given up. A device that a thread or a stream is stuck on is
     * left as it is: it may still write to what would be freed.
     *
     * @throws DeviceStuckException if there was such a device; everything else is given back.
     */
    @Override
    public void close()
    {
        DeviceStuckException stuck = null;
        for (final CudaRank rank : ranks)
        {
            final int device = config.deviceOf(rank.rank());
            if (devices.containsKey(device) && !close(rank))
            {
                devices.remove(device);
                stuck = stuck == null ? new DeviceStuckException("device " + device + " was left as it is when the CUDA " +
                    "backend closed: " + rank.stuckBecause()) : stuck;
            }
        }
        devices.values().forEach(SharedDevice::close);
        ranks.clear();
        devices.clear();
        if (stuck != null)
        {
            StuckThreads.leaveDevice();
            throw stuck;
        }
    }

    private static boolean close(final CudaRank rank)
    {
        try
        {
            if (rank.stuckBecause() == null)
            {
                rank.close();
            }
        }
        catch (final DeviceStuckException e)
        {
            rank.giveUp(e.getMessage());
        }
        return rank.stuckBecause() == null;
    }
}
