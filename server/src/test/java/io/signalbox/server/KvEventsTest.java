// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.ConfigException;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.server.kvevents.KvEventConfig;
import io.signalbox.server.kvevents.KvEvents;
import io.signalbox.server.kvevents.ZeroMqPublisherTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.msgpack.core.MessagePack;
import org.zeromq.ZContext;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A router outside of the server: its KV events, and the snapshot with which it begins. */
@Tag("threads")
class KvEventsTest
{
    private static final String SNAPSHOT = "/signalbox/kv/snapshot";

    /** The first of two ports in a row that are free. */
    private static int freePorts() throws Exception
    {
        while (true)
        {
            try (ServerSocket one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket two = new ServerSocket(one.getLocalPort() + 1, 1, InetAddress.getLoopbackAddress()))
            {
                return two.getLocalPort() - 1;
            }
            catch (final IOException e)
            {
                Thread.onSpinWait();
            }
        }
    }

    /** Stored hashes of all batches of a rank, as its replay socket has them. */
    private static TreeSet<Long> replayed(final ZContext context, final int port) throws Exception
    {
        final TreeSet<Long> hashes = new TreeSet<>();
        for (final byte[] batch : ZeroMqPublisherTest.replay(context, port, true, 0).values())
        {
            MessagePack.newDefaultUnpacker(batch).unpackValue().asArrayValue().get(1).asArrayValue()
                .forEach(event -> event.asMapValue().map().forEach((name, value) ->
                {
                    if (name.asStringValue().asString().equals("block_hashes"))
                    {
                        value.asArrayValue().forEach(hash -> hashes.add(hash.asIntegerValue().toLong()));
                    }
                }));
        }
        return hashes;
    }

    private static List<RequestFields> snapshot(final RunningServer server, final String query) throws Exception
    {
        return RunningServer.parse(server.get(SNAPSHOT + query)).objects("ranks");
    }

    @Test
    void shouldTellRoutersWhatEachRankHas() throws Exception
    {
        final int port = freePorts();
        int replay = freePorts();
        while (Math.abs(replay - port) < 2)
        {
            replay = freePorts();
        }
        try (RunningServer server = new RunningServer(1000, builder -> { }, config -> config.withoutKeys(true), null,
            new KvEventConfig().eventsPort(port).replayPort(replay)); ZContext context = new ZContext())
        {
            assertEquals(-1, snapshot(server, "").get(0).whole("sequence", -1, 9, 9));
            for (int i = 0; i < 8; i++)
            {
                assertEquals(200, server.post("/v1/completions", "{'prompt': '" + (char)('a' + i) +
                    "n old and long prompt of more than two blocks', 'max_tokens': 20, 'ignore_eos': true}").statusCode());
            }
            int blocks = 0;
            for (int rank = 0; rank < 2; rank++)
            {
                final RequestFields state = snapshot(server, "?rank=" + rank).get(0);
                final TreeSet<Long> hashes = new TreeSet<>();
                for (final RequestFields event : state.objects("events"))
                {
                    assertEquals("BlockStored", event.text("type"));
                    assertEquals(16, event.wholes("token_ids").length);
                    hashes.add(((Number)((List<?>)event.get("block_hashes")).get(0)).longValue());
                }
                assertEquals(hashes, replayed(context, replay + rank));
                blocks += hashes.size();
            }
            assertTrue(blocks >= 8, blocks + " blocks");
            assertTrue(server.get(SNAPSHOT + "?token_ids=false").body().indexOf("token_ids") < 0);
            assertEquals(200, server.post("/flush_cache", "{}").statusCode());
            server.await(() -> isEmpty(server));
            assertEquals(400, server.get(SNAPSHOT + "?rank=2").statusCode());
            assertEquals(400, server.get(SNAPSHOT + "?token_ids=1").statusCode());
        }
    }

    private static boolean isEmpty(final RunningServer server)
    {
        try
        {
            return snapshot(server, "").stream().allMatch(rank -> rank.objects("events").isEmpty());
        }
        catch (final Exception e)
        {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldWantTheAdminKeyAndName() throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config -> config))
        {
            assertEquals(403, server.get(SNAPSHOT).statusCode());
        }
        try (RunningServer server = new RunningServer(1000, config -> config.withoutKeys(true)))
        {
            final HttpResponse<String> answer = server.get(SNAPSHOT);
            assertEquals(404, answer.statusCode());
            assertTrue(answer.body().contains("--kv-events-port"), answer.body());
        }
    }

    private static String refusal(final SchedulerConfig scheduler, final KvEventConfig config)
    {
        return assertThrows(ConfigException.class, () -> new KvEvents(scheduler, config)).getMessage();
    }

    @Test
    void shouldRefuseWhatCannotBePublished()
    {
        final SchedulerConfig four = SchedulerConfig.builder().ranks(4).build();
        final List<String> refusals = new ArrayList<>();
        refusals.add(refusal(four, new KvEventConfig().eventsPort(5557).eventsHost("0.0.0.0")));
        refusals.add(refusal(four, new KvEventConfig().eventsPort(5557).replayPort(5560)));
        refusals.add(refusal(four, new KvEventConfig().eventsPort(65_533)));
        refusals.add(refusal(four.toBuilder().evictionPolicy(EvictionPolicy.REF_ZERO).build(), new KvEventConfig()));
        refusals.add(refusal(four.toBuilder().prefixCaching(false).build(), new KvEventConfig()));
        for (final String word : List.of("--kv-events-without-key", "less than 4 apart", "above 65535", "--eviction=lru",
            "--no-prefix-caching"))
        {
            final String message = refusals.remove(0);
            assertTrue(message.contains(word), message);
        }
        assertEquals(4, new KvEvents(four, new KvEventConfig().eventsHost("0.0.0.0").keyless(true)).ranks());
    }
}
