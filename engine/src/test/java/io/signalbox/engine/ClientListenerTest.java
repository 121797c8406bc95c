// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.sun.management.ThreadMXBean;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.D2hCompleteEncoder;
import io.signalbox.event.codec.RowForm;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

class ClientListenerTest
{
    private static final int REQUESTS = 64;
    private static final long LONG_ENOUGH = 60_000_000_000L;

    private final AtomicReference<UnsafeBuffer> lastGroup = new AtomicReference<>();
    private final InputWriter writer = new InputWriter();
    private final EngineConfig context = new EngineConfig()
        .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(4096).maxRunning(REQUESTS).build())
        .backend(new SilentBackend())
        .listener((group, offset, length) ->
        {
            final byte[] copy = new byte[length];
            group.getBytes(offset, copy);
            lastGroup.set(new UnsafeBuffer(copy));
        });

    /** Only the lists of tokens allocate, when they grow: most windows see no allocation. */
    @Test
    void shouldAllocateNothingPerToken() throws Exception
    {
        final EngineClient client = new EngineClient(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final CompletionHandle handle = decodeOneStepOfAll(engine, client);
            final int before = handle.tokens().length;
            long least = Long.MAX_VALUE;
            for (int window = 0; window < 20; window++)
            {
                least = Math.min(least, bytesOfAHundredGroups(client));
            }
            assertEquals(before + 2000, handle.tokens().length, "each group carries a token of each request");
            assertEquals(0, least, "bytes for 6,400 tokens");
        }
    }

    private long bytesOfAHundredGroups(final EngineClient client)
    {
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        final UnsafeBuffer group = lastGroup.get();
        final long start = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        for (int i = 0; i < 100; i++)
        {
            client.onGroup(group, 0, group.capacity());
        }
        return threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - start;
    }

    /** Returns the handle of the last request. */
    private CompletionHandle decodeOneStepOfAll(final Engine engine, final EngineClient client) throws InterruptedException
    {
        CompletionHandle last = null;
        for (int i = 0; i < REQUESTS; i++)
        {
            last = client.submit(CompletionRequest.prompt(new int[16]).maxNewTokens(100), LONG_ENOUGH);
            assertNotNull(last);
        }
        complete(engine, 1, 1);
        complete(engine, 2, REQUESTS);
        complete(engine, 3, REQUESTS);
        return last;
    }

    private void complete(final Engine engine, final long step, final int rows)
    {
        final D2hCompleteEncoder message = writer.d2hComplete()
            .timeNanos(step).step(step).epoch(0).rank(0).rowCount(0).rowBytes(0).rowsChecksum(0).rowForm(RowForm.NONE);
        final D2hCompleteEncoder.EntriesEncoder entries = message.entriesCount(rows);
        for (int i = 0; i < rows; i++)
        {
            // The first request runs since step 1, the others since step 2.
            final int fed = (int)step - (i == 0 ? 1 : 2);
            entries.next().start(fed == 0 ? 0 : 15 + fed).accepted((short)1);
        }
        final D2hCompleteEncoder.TokensEncoder tokens = message.tokensCount(rows);
        for (int i = 0; i < rows; i++)
        {
            tokens.next().tokenId(5);
        }
        message.impossibleRowsCount(0);
        message.logprobsCount(0);
        message.putRows(writer.buffer(), 0, 0);
        engine.offer(writer.buffer(), 0, writer.length(), null);
    }
}
