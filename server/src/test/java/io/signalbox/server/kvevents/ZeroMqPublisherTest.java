// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.kvevents;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Subscribers over real sockets. */
@Tag("threads")
public class ZeroMqPublisherTest
{
    private static final int PATIENCE_MILLIS = 20_000;
    private static final int ATTEMPT_MILLIS = 2_000;
    private static final int ATTEMPTS = 10;
    private static final int LARGE_TOKENS = 30_000;

    private final KvEventLog log = new KvEventLog(0, 200, Long.MAX_VALUE);
    private final KvEventConfig config = new KvEventConfig().eventsPort(freePort()).replayPort(freePort()).topic("kv@me")
        .bufferBatches(200);

    private static int freePort()
    {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            return probe.getLocalPort();
        }
        catch (final IOException e)
        {
            throw new AssertionError(e);
        }
    }

    private ZMQ.Socket connect(final ZContext context, final SocketType type, final Setting<Integer> port)
    {
        return connect(context, type, config.get(port));
    }

    static ZMQ.Socket connect(final ZContext context, final SocketType type, final int port)
    {
        final ZMQ.Socket socket = context.createSocket(type);
        socket.setReceiveTimeOut(PATIENCE_MILLIS);
        socket.setReceiveBufferSize(4096);
        socket.setRcvHWM(1);
        if (type == SocketType.SUB)
        {
            socket.subscribe("kv@");
        }
        socket.connect("tcp://127.0.0.1:" + port);
        return socket;
    }

    private void append(final int tokens)
    {
        log.append(1, List.of(new KvEvent.Stored(List.of(new CachedBlock(1, 0, 0, new int[tokens], null)))));
    }

    /** A subscriber after its first batch: what was sent before its subscription came is not sent to it. */
    private ZMQ.Socket subscribed(final ZContext context, final ZeroMqPublisher publisher)
    {
        for (int i = 0; i < ATTEMPTS; i++)
        {
            final ZMQ.Socket subscriber = connect(context, SocketType.SUB, KvEventConfig.PORT);
            subscriber.setReceiveTimeOut(20);
            for (int batch = 0; batch < ATTEMPT_MILLIS / 20; batch++)
            {
                append(2);
                publisher.appended();
                final List<byte[]> first = frames(subscriber);
                if (!first.isEmpty())
                {
                    assertEquals("kv@me", new String(first.get(0), ZMQ.CHARSET));
                    subscriber.setReceiveTimeOut(PATIENCE_MILLIS);
                    return subscriber;
                }
            }
            subscriber.close();
        }
        throw new AssertionError("no batch came");
    }

    private static List<byte[]> frames(final ZMQ.Socket socket)
    {
        final List<byte[]> frames = new ArrayList<>();
        for (byte[] frame = socket.recv(0); frame != null; frame = socket.hasReceiveMore() ? socket.recv(0) : null)
        {
            frames.add(frame);
        }
        return frames;
    }

    private static byte[] number(final long value)
    {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    private List<Long> replay(final ZContext context, final boolean delimited, final long start)
    {
        return List.copyOf(replay(context, config.get(KvEventConfig.REPLAY_PORT), delimited, start).keySet());
    }

    /** Batches by number, asked for again if JeroMQ's own connect loses the request, as it does now and then. */
    public static SortedMap<Long, byte[]> replay(
        final ZContext context, final int port, final boolean delimited, final long start)
    {
        for (int i = 0; i < ATTEMPTS; i++)
        {
            final ZMQ.Socket socket = connect(context, SocketType.DEALER, port);
            socket.setReceiveTimeOut(ATTEMPT_MILLIS);
            if (delimited)
            {
                socket.send(new byte[0], ZMQ.SNDMORE);
            }
            socket.send(number(start), 0);
            final SortedMap<Long, byte[]> batches = new TreeMap<>();
            for (List<byte[]> frames = frames(socket); !frames.isEmpty(); frames = frames(socket))
            {
                assertEquals(delimited ? 3 : 2, frames.size());
                final byte[] payload = frames.get(frames.size() - 1);
                final long number = ByteBuffer.wrap(frames.get(frames.size() - 2)).getLong();
                if (payload.length == 0)
                {
                    assertEquals(-1, number, "the end marker");
                    socket.close();
                    return batches;
                }
                batches.put(number, payload);
            }
            socket.close();
        }
        throw new AssertionError("no answer came");
    }

    @Test
    void shouldSendWhatIsNewAndReplayWhatWas()
    {
        append(2);
        try (ZeroMqPublisher publisher = new ZeroMqPublisher(config, List.of(log), 16); ZContext context = new ZContext())
        {
            final ZMQ.Socket subscriber = subscribed(context, publisher);
            append(2);
            publisher.appended();
            List<byte[]> frames = frames(subscriber);
            while (ByteBuffer.wrap(frames.get(1)).getLong() < log.last())
            {
                frames = frames(subscriber);
            }
            assertArrayEquals(log.from(log.last(), 1).get(0).payload(KvEventConfig.Form.MAP), frames.get(2));
            final List<Long> all = replay(context, true, 0);
            assertEquals(log.from(0, 1000).stream().map(KvBatch::sequence).toList(), all);
            assertEquals(List.of(log.last()), replay(context, false, log.last()));
            assertEquals(List.of(), replay(context, true, log.last() + 1));
            assertEquals(all, replay(context, true, -5));
        }
    }

    /** The batches that it lost are named by the gap, and the publisher waits for nobody. */
    @Test
    void shouldLeaveASlowSubscriberBehindByNumber()
    {
        try (ZeroMqPublisher publisher = new ZeroMqPublisher(config.bufferBatches(20), List.of(log), LARGE_TOKENS);
            ZContext context = new ZContext())
        {
            final ZMQ.Socket slow = subscribed(context, publisher);
            final ZMQ.Socket quick = subscribed(context, publisher);
            for (int i = 0; i < 300; i++)
            {
                append(LARGE_TOKENS);
                publisher.appended();
                while (ByteBuffer.wrap(frames(quick).get(1)).getLong() < log.last())
                {
                    Thread.onSpinWait();
                }
            }
            long last = -1;
            long lost = 0;
            slow.setReceiveTimeOut(500);
            for (List<byte[]> frames = frames(slow); !frames.isEmpty(); frames = frames(slow))
            {
                final long number = ByteBuffer.wrap(frames.get(1)).getLong();
                assertTrue(number > last, "numbers rise");
                lost += last < 0 ? 0 : number - last - 1;
                last = number;
            }
            lost += log.last() - last;
            assertTrue(lost > 0, "nothing was lost, so this test shows nothing");
            final List<Long> again = replay(context, true, log.last() - 9);
            assertEquals(10, again.size());
            assertEquals(log.last(), again.get(9));
        }
    }

    /** A subscriber that does not read costs a bounded number of bytes, however many batches may wait. */
    @Test
    void shouldBoundTheBytesThatWaitForASubscriber()
    {
        for (final int blockTokens : List.of(1, 16, 512, 65_536))
        {
            final long most = Math.max(KvBatch.MOST_BYTES, KvBatch.mostBytesOfABlock(blockTokens));
            final int waiting = ZeroMqPublisher.mostWaiting(1 << 20, blockTokens);
            assertTrue(waiting > 100 && waiting * most <= ZeroMqPublisher.MOST_WAITING_BYTES, waiting + " batches");
            final KvEvent stored = new KvEvent.Stored(
                List.of(new CachedBlock(1, 0, 0, new int[blockTokens], "\u20ac".repeat(1024))));
            assertTrue(KvBatch.bytes(List.of(stored)) <= KvBatch.mostBytesOfABlock(blockTokens));
        }
        assertEquals(21, ZeroMqPublisher.mostWaiting(21, 16));
    }

    @Test
    void shouldNotMindNonsense() throws Exception
    {
        append(2);
        try (ZeroMqPublisher publisher = new ZeroMqPublisher(config, List.of(log), 16); ZContext context = new ZContext())
        {
            for (final var port : List.of(KvEventConfig.PORT, KvEventConfig.REPLAY_PORT))
            {
                for (final String text : List.of("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\u0000".repeat(10_000)))
                {
                    try (Socket socket = new Socket("127.0.0.1", config.get(port)))
                    {
                        socket.getOutputStream().write(text.getBytes(ZMQ.CHARSET));
                    }
                }
            }
            final ZMQ.Socket asking = connect(context, SocketType.DEALER, KvEventConfig.REPLAY_PORT);
            asking.setReceiveTimeOut(300);
            asking.send(new byte[7], 0);
            asking.send(new byte[0], 0);
            asking.send(new byte[8], ZMQ.SNDMORE);
            asking.send(new byte[8], ZMQ.SNDMORE);
            asking.send(new byte[8], 0);
            assertNull(asking.recv(0), "it answers requests alone");
            final ZMQ.Socket large = connect(context, SocketType.DEALER, KvEventConfig.REPLAY_PORT);
            large.setReceiveTimeOut(300);
            large.send(new byte[1 << 20], 0);
            assertNull(large.recv(0));
            assertEquals(List.of(0L), replay(context, true, 0));
            publisher.appended();
        }
    }

    @Test
    void shouldNameThePortThatAnotherProgramHas()
    {
        try (ZeroMqPublisher publisher = new ZeroMqPublisher(config, List.of(log), 16))
        {
            publisher.appended();
            final String message = assertThrows(ConfigException.class, () ->
                new ZeroMqPublisher(config, List.of(log), 16)).getMessage();
            assertTrue(message.contains("127.0.0.1:" + config.get(KvEventConfig.PORT)) &&
                message.contains("--kv-events-port"), message);
        }
    }
}
