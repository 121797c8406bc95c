// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import io.signalbox.backend.StepTokens;
import io.signalbox.engine.ring.Ingress;
import io.signalbox.engine.ring.IngressSlot;
import io.signalbox.engine.ring.InputDoor;
import io.signalbox.event.InputWriter;
import io.signalbox.experts.ModelShape;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IngressTest
{
    private static final int SLOTS = 8;

    private final RingBuffer<IngressSlot> ring = RingBuffer.createMultiProducer(IngressSlot::new, SLOTS);
    private final Sequence consumed = new Sequence();
    private final AtomicBoolean failed = new AtomicBoolean();
    private final Ingress ingress = new Ingress(ring, new InputDoor(new SilentBackend()), () ->
    {
        if (failed.get())
        {
            throw new IllegalStateException("planted");
        }
    }, () -> { });
    private final UnsafeBuffer input = new UnsafeBuffer(new byte[16]);

    private static void putWake(final UnsafeBuffer buffer)
    {
        final InputWriter writer = new InputWriter();
        writer.wake().timeNanos(1);
        for (int i = 0; i < writer.length(); i++)
        {
            buffer.putByte(i, writer.buffer().getByte(i));
        }
    }

    IngressTest()
    {
        putWake(input);
        ring.addGatingSequences(consumed);
    }

    /** Blocks the thread that copies it. */
    private static final class HeldInput extends UnsafeBuffer
    {
        final CountDownLatch reached = new CountDownLatch(1);
        final CountDownLatch gate = new CountDownLatch(1);

        HeldInput()
        {
            super(new byte[16]);
            putWake(this);
        }

        @Override
        public void boundsCheck(final int index, final int length)
        {
            reached.countDown();
            try
            {
                gate.await();
            }
            catch (final InterruptedException e)
            {
                throw new IllegalStateException(e);
            }
            super.boundsCheck(index, length);
        }
    }

    @Test
    void shouldBeQuietOnlyWhenTheOffersThatCameBeforeItWasShutHaveEnded() throws Exception
    {
        final HeldInput held = new HeldInput();
        final CompletableFuture<Void> offer = CompletableFuture.runAsync(() -> ingress.offer(held, 0, 16, null));
        held.reached.await();
        ingress.shut();
        assertFalse(ingress.isQuiet());
        assertThrows(IllegalStateException.class, () -> ingress.offer(input, 0, 16, null));
        assertFalse(ingress.isQuiet());
        held.gate.countDown();
        offer.join();
        assertTrue(ingress.isQuiet());
        assertEquals(16, ring.get(0).length());
    }

    @Test
    void shouldLetAnOfferGoThatWaitsForRoomWhenNobodyTakesInputsAnyMore() throws Exception
    {
        for (int i = 0; i < SLOTS; i++)
        {
            ingress.offer(input, 0, 16, null);
        }
        final HeapSlice rows = HeapSlice.empty();
        final ReportEncoding report = new ReportEncoding(
                new ReportCheck(new ModelShape(10, 256, 100), 100, EngineConfig.ImpossibleRows.MISSING));
        report.d2hComplete(1, null, new StepTokens().begin(0, 0, 1),
            new HeapSlice(new UnsafeBuffer(new byte[5000]), 5, 1000));
        final Thread waiter = new Thread(() -> assertThrows(
            IllegalStateException.class, () -> ingress.offer(report.buffer(), 0, report.length(), rows)));
        waiter.start();
        while (ingress.isQuiet())
        {
            Thread.onSpinWait();
        }
        failed.set(true);
        waiter.join();
        assertEquals(1, rows.releases(), "refused, and its rows given back");
        assertEquals(SLOTS - 1, ingress.cursor());
    }
}
