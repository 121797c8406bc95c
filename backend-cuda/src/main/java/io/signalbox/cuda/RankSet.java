// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.ConfigException;
import io.signalbox.backend.CompletionSink;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.CudaException;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.KernelImage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The ranks of a backend on their devices: made whole or not at all. */
final class RankSet implements AutoCloseable
{
    private final CudaDriver driver;
    private final CudaBackendConfig config;
    private final KernelImage image = KernelImage.load();
    private final Map<Integer, SharedDevice> devices = new TreeMap<>();
    private final List<CudaRank> ranks = new ArrayList<>();

    /** @param form where captured rows come from, null where capture is off. */
    RankSet(
        final CudaDriver driver,
        final CudaBackendConfig config,
        final int count,
        final CaptureForm form,
        final CompletionSink completions)
    {
        this.driver = driver;
        this.config = config;
        final FaultScope faults = new FaultScope(config.faultPolicy());
        try
        {
            for (int rank = 0; rank < count; rank++)
            {
                final SharedDevice device = device(config.deviceOf(rank));
                device.makeCurrent();
                ranks.add(new CudaRank(
                    rank, RankDevice.open(driver, device, config, rank, form), config, faults, completions));
            }
        }
        catch (final CudaException e)
        {
            close();
            throw new ConfigException("The CUDA backend cannot start " + count + " ranks: " + e.getMessage() +
                "; give fewer ranks per device, a smaller maxStepTokens or fewer steps in flight where it is memory.");
        }
        catch (final RuntimeException | Error e)
        {
            close();
            throw e;
        }
    }

    private SharedDevice device(final int ordinal)
    {
        return devices.computeIfAbsent(ordinal, key -> new SharedDevice(driver, key, image, config));
    }

    List<CudaRank> ranks()
    {
        return ranks;
    }

    CudaRank get(final int rank)
    {
        return ranks.get(rank);
    }

    /**
     * For the thread that made the set, or any other once the ranks' threads have ended. A device on which a step hangs is
     * left alone: it may still write to what would be freed.
     */
    @Override
    public void close()
    {
        for (final CudaRank rank : ranks)
        {
            if (rank.isAbandoned())
            {
                devices.remove(config.deviceOf(rank.rank()));
            }
        }
        for (final CudaRank rank : ranks)
        {
            if (devices.containsKey(config.deviceOf(rank.rank())))
            {
                rank.close();
            }
        }
        devices.values().forEach(SharedDevice::close);
        ranks.clear();
        devices.clear();
    }
}
