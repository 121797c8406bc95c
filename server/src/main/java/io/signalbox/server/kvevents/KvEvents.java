// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.kvevents;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.ConfigException;
import io.signalbox.engine.GroupListener;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;

import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Publishes which KV blocks each rank has cached, by ZeroMQ, as vLLM does. It listens to the engine:
 *
 * <pre>{@code
 * KvEvents events = new KvEvents(scheduler, new KvEventConfig().eventsPort(5557).replayPort(5657));
 * SignalboxEngine engine = SignalboxEngine.launch(engineConfig.listener(events));
 * SignalboxServer server = SignalboxServer.launch(engine, serverConfig.kvEvents(events));
 * }</pre>
 *
 * <p>The server opens and closes the sockets, and answers {@code /signalbox/kv/snapshot}. The engine's thread only follows
 * the blocks; other threads encode and send. A subscriber that is too slow misses batches by number; it can ask for them
 * again, or take a snapshot.
 */
public final class KvEvents implements GroupListener, AutoCloseable
{
    /** Most characters of a client's {@code cache_salt}, which an event carries with the first block of a prompt. */
    public static final int MOST_KEY_CHARACTERS = 1024;

    private static final System.Logger LOGGER = System.getLogger("io.signalbox.server");
    private static final double MILLIS = 1000;
    /** Of the batches of all ranks. */
    private static final long MOST_BYTES = 256L << 20;
    private static final long LEAST_BYTES = 1L << 20;

    private final KvEventConfig config;
    private final CachedBlocks blocks;
    private final List<KvEventLog> logs = new ArrayList<>();
    private final int blockTokens;
    private volatile ZeroMqPublisher publisher;
    /** {@code null}: none. */
    private volatile RuntimeException failure;

    /**
     * @param scheduler of the engine that this object will listen to.
     * @throws ConfigException if the pool keeps no blocks cached, or a setting is not allowed.
     */
    public KvEvents(final SchedulerConfig scheduler, final KvEventConfig config)
    {
        if (!scheduler.prefixCaching() || scheduler.get(SchedulerConfig.EVICTION_POLICY) != EvictionPolicy.LRU)
        {
            throw new ConfigException("KV events tell which blocks stay cached, and " + (scheduler.prefixCaching() ?
                "--eviction=ref-zero keeps none; use --eviction=lru." : "--no-prefix-caching caches none; leave it out."));
        }
        config.check(scheduler.ranks());
        this.config = config;
        blockTokens = scheduler.blockSizeTokens();
        blocks = new CachedBlocks(scheduler);
        final int most = config.get(KvEventConfig.BUFFER_BATCHES);
        for (int rank = 0; rank < scheduler.ranks(); rank++)
        {
            logs.add(new KvEventLog(rank, most, Math.max(LEAST_BYTES, MOST_BYTES / scheduler.ranks())));
        }
    }

    /** Ranks that publish. */
    public int ranks()
    {
        return logs.size();
    }

    /**
     * Opens the sockets. {@code SignalboxServer} calls it.
     *
     * @throws ConfigException if an address cannot be used.
     */
    public void open()
    {
        publisher = new ZeroMqPublisher(config, logs, blockTokens);
        publisher.appended();
    }

    /** A fault here ends the events, and not the engine. */
    @Override
    public void onGroup(final DirectBuffer group, final int offset, final int length)
    {
        if (failure != null)
        {
            return;
        }
        try
        {
            blocks.apply(group, offset, length);
            append();
        }
        catch (final RuntimeException e)
        {
            failure = e;
            LOGGER.log(System.Logger.Level.ERROR, "no further KV events are published: " + e, e);
        }
    }

    private void append()
    {
        boolean appended = false;
        for (int rank = 0; rank < logs.size(); rank++)
        {
            final List<KvEvent> changes = blocks.takeChanges(rank);
            if (!changes.isEmpty())
            {
                logs.get(rank).append(System.currentTimeMillis() / MILLIS, changes);
                appended = true;
            }
        }
        final ZeroMqPublisher open = publisher;
        if (appended && open != null)
        {
            open.appended();
        }
    }

    /** Whether events are still published. */
    public boolean isSound()
    {
        return failure == null;
    }

    /**
     * Writes the cached blocks of some ranks as events, parents first, each rank with the number of the last batch that they
     * certainly include. Applying a later batch a second time changes nothing.
     *
     * @param tokens whether blocks have their tokens.
     */
    public void writeSnapshot(final JsonGenerator json, final List<Integer> ranks, final boolean tokens) throws IOException
    {
        json.writeStartObject();
        json.writeNumberField("block_size", blockTokens);
        json.writeArrayFieldStart("ranks");
        for (final int rank : ranks)
        {
            // Before the blocks: a batch that follows may be in them already.
            final long last = logs.get(rank).last();
            final List<CachedBlock> cached = blocks.blocks(rank);
            cached.sort(Comparator.comparingInt(CachedBlock::depth));
            json.writeStartObject();
            json.writeNumberField("data_parallel_rank", rank);
            json.writeNumberField("sequence", last);
            json.writeArrayFieldStart("events");
            for (final CachedBlock block : cached)
            {
                final Map<String, Object> fields = KvEventFields.of(new KvEvent.Stored(List.of(block)));
                if (!tokens)
                {
                    fields.remove("token_ids");
                }
                write(json, fields);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void write(final JsonGenerator json, final Object value) throws IOException
    {
        if (value instanceof Map<?, ?> fields)
        {
            json.writeStartObject();
            for (final Map.Entry<?, ?> field : fields.entrySet())
            {
                json.writeFieldName((String)field.getKey());
                write(json, field.getValue());
            }
            json.writeEndObject();
        }
        else if (value instanceof List<?> values)
        {
            json.writeStartArray();
            for (final Object part : values)
            {
                write(json, part);
            }
            json.writeEndArray();
        }
        else if (value instanceof int[] numbers)
        {
            json.writeArray(numbers, 0, numbers.length);
        }
        else
        {
            json.writeObject(value instanceof Long number ? new BigInteger(Long.toUnsignedString(number)) : value);
        }
    }

    @Override
    public void close()
    {
        final ZeroMqPublisher open = publisher;
        publisher = null;
        if (open != null)
        {
            open.close();
        }
    }

    @Override
    public String toString()
    {
        return "KV events of " + ranks() + " ranks, " + config;
    }
}
