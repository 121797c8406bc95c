// SPDX-License-Identifier: Apache-2.0
package io.signalbox.serving;

import io.signalbox.ConfigException;
import io.signalbox.model.ModelMemory;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The memory that a backend takes on one device, known before any of it is taken.
 *
 * @param device         in words, such as GPU 0.
 * @param parts          bytes by what they are for, in the order in which they are shown.
 * @param hostBytes      of page-locked host memory beside them.
 * @param availableBytes of the device.
 */
public record BackendMemory(String device, Map<String, Long> parts, long hostBytes, long availableBytes)
{
    public BackendMemory
    {
        parts = Collections.unmodifiableMap(new LinkedHashMap<>(parts));
    }

    /** All parts together. */
    public long bytes()
    {
        return parts.values().stream().mapToLong(Long::longValue).reduce(0, Math::addExact);
    }

    /** In words: everything, and the parts. */
    public String text()
    {
        return ModelMemory.size(bytes()) + " on " + device + " (" + parts.entrySet().stream()
            .map(part -> ModelMemory.size(part.getValue()) + " " + part.getKey()).collect(Collectors.joining(", ")) +
            "), and " + ModelMemory.size(hostBytes) + " of page-locked host memory";
    }

    /** @throws ConfigException if the device has less. */
    public void check()
    {
        if (bytes() > availableBytes)
        {
            throw ConfigException.because("The model needs " + text() + ", and the device has " +
                    ModelMemory.size(availableBytes))
                .remedy("give fewer KV blocks, ranks per device or tokens per step, or a smaller model");
        }
    }
}
