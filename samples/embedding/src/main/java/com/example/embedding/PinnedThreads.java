// SPDX-License-Identifier: Apache-2.0
package com.example.embedding;

import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.EngineThread;
import io.signalbox.engine.HandlerThreads;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.scheduler.SchedulerConfig;
import net.openhft.affinity.Affinity;

import java.util.Map;
import java.util.TreeMap;

/**
 * Pins each thread of an engine to a core: the arguments are the cores of the scheduler, journal, dispatch and listener
 * thread, in this order. Needs a system that Affinity supports, such as Linux.
 */
public final class PinnedThreads
{
    private PinnedThreads()
    {
    }

    public static void main(final String[] args) throws InterruptedException
    {
        final Map<EngineThread, Integer> cores = new TreeMap<>();
        for (final EngineThread thread : EngineThread.values())
        {
            cores.put(thread, Integer.valueOf(args[thread.ordinal()]));
        }
        final Map<EngineThread, String> pinned = new TreeMap<>();
        final EngineConfig config = new EngineConfig()
            .scheduler(SchedulerConfig.builder().ranks(2).kvBlocks(1025).blockSizeTokens(16).build())
            .backend(new EchoBackend())
            .handlerThreads(HandlerThreads.EACH)
            .threadStarted(thread ->
            {
                Affinity.setAffinity(cores.get(thread));
                synchronized (pinned)
                {
                    pinned.put(thread, thread + " may run on " + Affinity.getAffinity());
                }
            });
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            engine.submit(CompletionRequest.prompt(new int[] {11, 22, 33}).maxNewTokens(5)).await();
        }
        pinned.values().forEach(System.out::println);
    }
}
