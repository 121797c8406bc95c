// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.kvevents;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends the batches of each rank to its subscribers, and earlier ones to those that ask. A socket belongs to one thread: one
 * thread has all that publish, and another one all that answer.
 */
final class ZeroMqPublisher implements AutoCloseable
{
    static final int MOST_WAITING_BYTES = 64 << 20;

    private static final byte[] NOTHING = {};
    private static final byte[] END = number(-1);
    private static final int BATCHES_AT_ONCE = 256;
    private static final int LOOK_MILLIS = 200;
    /** A subscription or a request of a peer has a few bytes; more end its connection. */
    private static final int MOST_PEER_BYTES = 4096;
    private static final long JOIN_MILLIS = 5_000;

    private final List<KvEventLog> logs;
    private final KvEventConfig.Form form;
    private final byte[] topic;
    private final int blockTokens;
    private final ZContext context = new ZContext();
    private final List<ZMQ.Socket> publishing = new ArrayList<>();
    private final List<ZMQ.Socket> answering = new ArrayList<>();
    private final Thread publisher = new Thread(this::publish, "signalbox-kv-events");
    private final Thread answerer = new Thread(this::answer, "signalbox-kv-replay");
    private volatile boolean closed;

    /** @throws ConfigException if an address cannot be used. */
    ZeroMqPublisher(final KvEventConfig config, final List<KvEventLog> logs, final int blockTokens)
    {
        this.logs = logs;
        this.blockTokens = blockTokens;
        form = config.get(KvEventConfig.FORM);
        topic = config.get(KvEventConfig.TOPIC).orElse("").getBytes(StandardCharsets.UTF_8);
        context.setLinger(0);
        try
        {
            bind(config, SocketType.PUB, KvEventConfig.PORT, publishing);
            if (config.get(KvEventConfig.REPLAY_PORT) > 0)
            {
                bind(config, SocketType.ROUTER, KvEventConfig.REPLAY_PORT, answering);
            }
        }
        catch (final ConfigException e)
        {
            context.close();
            throw e;
        }
        publisher.setDaemon(true);
        publisher.start();
        answerer.setDaemon(true);
        answerer.start();
    }

    private void bind(
        final KvEventConfig config, final SocketType type, final Setting<Integer> port,
        final List<ZMQ.Socket> into)
    {
        final String host = config.get(KvEventConfig.HOST);
        for (int rank = 0; rank < logs.size(); rank++)
        {
            final ZMQ.Socket socket = context.createSocket(type);
            socket.setLinger(0);
            socket.setIPv6(host.contains(":"));
            socket.setTCPKeepAlive(1);
            socket.setMaxMsgSize(MOST_PEER_BYTES);
            // A whole replay with its end fits.
            final int batches = config.get(KvEventConfig.BUFFER_BATCHES) + 1;
            socket.setSndHWM(type == SocketType.PUB ? mostWaiting(batches, blockTokens) : batches);
            final int at = config.get(port) + rank;
            try
            {
                socket.bind("tcp://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + at);
            }
            catch (final ZMQException e)
            {
                throw new ConfigException("KV events of rank " + rank + " cannot be published on " + host + ":" + at + " (" +
                    e.getMessage() + "); give another port with " + port.option().name() + ".");
            }
            into.add(socket);
        }
    }

    /** Batches that may wait for a subscriber that does not read: at most {@link #MOST_WAITING_BYTES} of them. */
    static int mostWaiting(final int batches, final int blockTokens)
    {
        final int largest = Math.max(KvBatch.MOST_BYTES, KvBatch.mostBytesOfABlock(blockTokens));
        return Math.max(1, Math.min(batches, MOST_WAITING_BYTES / largest));
    }

    private static byte[] number(final long value)
    {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    /** There are new batches; never waits. */
    void appended()
    {
        LockSupport.unpark(publisher);
    }

    private void publish()
    {
        final long[] next = new long[logs.size()];
        while (!closed)
        {
            boolean sent = false;
            for (int rank = 0; rank < next.length; rank++)
            {
                for (final KvBatch batch : logs.get(rank).from(next[rank], BATCHES_AT_ONCE))
                {
                    final ZMQ.Socket socket = publishing.get(rank);
                    socket.send(topic, ZMQ.SNDMORE);
                    socket.send(number(batch.sequence()), ZMQ.SNDMORE);
                    socket.send(batch.payload(form), 0);
                    next[rank] = batch.sequence() + 1;
                    sent = true;
                }
            }
            if (!sent)
            {
                LockSupport.park(this);
            }
        }
    }

    private void answer()
    {
        final ZMQ.Poller poller = context.createPoller(Math.max(1, answering.size()));
        answering.forEach(socket -> poller.register(socket, ZMQ.Poller.POLLIN));
        while (!closed && !answering.isEmpty())
        {
            // A sleep that a request ends.
            poller.poll(LOOK_MILLIS);
            for (int rank = 0; rank < answering.size(); rank++)
            {
                final ZMQ.Socket socket = answering.get(rank);
                for (byte[] peer = socket.recv(ZMQ.DONTWAIT); peer != null; peer = socket.recv(ZMQ.DONTWAIT))
                {
                    answer(socket, peer, logs.get(rank));
                }
            }
        }
        poller.close();
    }

    /** A request is the name of its peer, an empty frame if the peer sends one, and a number of 8 bytes. */
    private void answer(final ZMQ.Socket socket, final byte[] peer, final KvEventLog log)
    {
        final List<byte[]> frames = new ArrayList<>(List.of(peer));
        while (socket.hasReceiveMore())
        {
            frames.add(socket.recv(0));
        }
        final byte[] start = frames.get(frames.size() - 1);
        if (frames.size() < 2 || frames.size() > 3 || start.length != Long.BYTES)
        {
            return;
        }
        final List<byte[]> head = frames.subList(0, frames.size() - 1);
        final long end = log.last();
        long next = ByteBuffer.wrap(start).getLong();
        List<KvBatch> batches = log.from(next, BATCHES_AT_ONCE);
        while (!closed && !batches.isEmpty() && batches.get(0).sequence() <= end)
        {
            for (final KvBatch batch : batches)
            {
                reply(socket, head, number(batch.sequence()), batch.payload(form));
                next = batch.sequence() + 1;
            }
            batches = log.from(next, BATCHES_AT_ONCE);
        }
        reply(socket, head, END, NOTHING);
    }

    private static void reply(
        final ZMQ.Socket socket, final List<byte[]> head, final byte[] number, final byte[] payload)
    {
        head.forEach(frame -> socket.send(frame, ZMQ.SNDMORE));
        socket.send(number, ZMQ.SNDMORE);
        socket.send(payload, 0);
    }

    @Override
    public void close()
    {
        closed = true;
        LockSupport.unpark(publisher);
        try
        {
            publisher.join(JOIN_MILLIS);
            answerer.join(JOIN_MILLIS);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
        context.close();
    }
}
