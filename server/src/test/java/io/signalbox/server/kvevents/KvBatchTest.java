// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.kvevents;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The bytes that subscribers get. */
class KvBatchTest
{
    private static final long UNSIGNED = Long.parseUnsignedLong("15760518052499183552");
    private static final int[] TOKENS = {151644, 872, 198, 9064, 374, 279, 6722, 315, 5616, 30, 151645, 198, 151644, 77091,
        198, 151667};
    /** A batch that vLLM 0.26.0 sent (kthena #1535), as msgspec 0.22.0 encodes it. */
    private static final String RECORDED =
        "93cb41daa8dbe0359fe7918ba474797065ab426c6f636b53746f726564ac626c6f636b5f68617368657391cfdab89baa7b5857c0b1706172" +
        "656e745f626c6f636b5f68617368c0a9746f6b656e5f696473dc0010ce0002505ccd0368ccc6cd2368cd0176cd0117cd1a42cd013bcd15f0" +
        "1ece0002505dccc6ce0002505cce00012d23ccc6ce00025073aa626c6f636b5f73697a6510a76c6f72615f6964c0a66d656469756da34750" +
        "55a96c6f72615f6e616d65c0aa65787472615f6b65797391c0a967726f75705f69647800b26b765f63616368655f737065635f6b696e64ae" +
        "66756c6c5f617474656e74696f6e00";
    /** Positional events of two tokens a block, as msgspec 0.22.0 encodes them. */
    private static final String POSITIONAL =
        "93cb3ff80000000000009398ab426c6f636b53746f7265649107c092010202c0a3475055c093ac426c6f636b52656d6f7665649107a34750" +
        "5591b0416c6c426c6f636b73436c656172656400";

    private static String bytes(final double seconds, final KvEventConfig.Form form, final KvEvent... events)
    {
        return HexFormat.of().formatHex(new KvBatch(0, seconds, 0, List.of(events)).payload(form));
    }

    @Test
    void shouldBeTheBatchThatWasRecorded()
    {
        assertEquals(RECORDED, bytes(1789095808.8378847, KvEventConfig.Form.MAP,
            new KvEvent.Stored(List.of(new CachedBlock(UNSIGNED, 0, 0, TOKENS, null)))));
    }

    private static CachedBlock block(final int number, final int tokens, final String key)
    {
        return new CachedBlock(-number - 2, number == 0 ? 0 : -number - 1, number,
            IntStream.range(0, tokens).map(i -> Integer.MAX_VALUE - i).toArray(), key);
    }

    /** What is kept and what waits is bounded by this figure: it must not be below the payload's bytes. */
    @Test
    void shouldKnowTheMostBytesOfItsPayload()
    {
        final String key = "\u20ac".repeat(1024);
        for (final List<KvEvent> events : List.<List<KvEvent>>of(List.of(new KvEvent.Cleared()),
            List.of(new KvEvent.Stored(List.of(block(0, 1, key)))),
            List.of(new KvEvent.Stored(IntStream.range(0, 50).mapToObj(i -> block(i, 16, i == 0 ? key : null)).toList()),
                new KvEvent.Removed(LongStream.range(-500, 0).boxed().toList()), new KvEvent.Cleared())))
        {
            for (final KvEventConfig.Form form : KvEventConfig.Form.values())
            {
                final int length = new KvBatch(Long.MAX_VALUE, 1.5, 1 << 20, events).payload(form).length;
                assertTrue(length <= KvBatch.bytes(events),
                    length + " bytes, thought to be " + KvBatch.bytes(events));
            }
        }
    }

    @Test
    void shouldCutLargeEventsAndLoseNothing()
    {
        final List<CachedBlock> blocks = IntStream.range(0, 2000).mapToObj(i -> block(i, 16, null)).toList();
        final List<Long> hashes = LongStream.range(0, 5000).boxed().toList();
        final List<List<KvEvent>> parts =
            KvBatch.parts(List.of(new KvEvent.Removed(hashes), new KvEvent.Stored(blocks), new KvEvent.Cleared()));
        final List<CachedBlock> stored = new ArrayList<>();
        final List<Long> removed = new ArrayList<>();
        for (final List<KvEvent> part : parts)
        {
            assertTrue(KvBatch.bytes(part) <= KvBatch.MOST_BYTES, "a part of " + KvBatch.bytes(part) + " bytes");
            if (part.get(0) instanceof KvEvent.Stored next)
            {
                stored.addAll(next.blocks());
            }
            else if (part.get(0) instanceof KvEvent.Removed next)
            {
                assertTrue(stored.isEmpty(), "in their order");
                removed.addAll(next.hashes());
            }
        }
        assertEquals(blocks, stored);
        assertEquals(hashes, removed);
        assertEquals(new KvEvent.Cleared(), parts.get(parts.size() - 1).get(0));
        final List<KvEvent> small = List.of(new KvEvent.Removed(List.of(7L)), new KvEvent.Cleared());
        assertEquals(List.of(small), KvBatch.parts(small), "one number for a usual group");
        assertEquals(2, KvBatch.parts(List.of(new KvEvent.Stored(List.of(block(0, 9000, null), block(1, 9000, null)))))
            .size(), "a block is never cut");
    }

    @Test
    void shouldWriteEventsByPosition()
    {
        assertEquals(POSITIONAL, bytes(1.5, KvEventConfig.Form.ARRAY,
            new KvEvent.Stored(List.of(new CachedBlock(7, 0, 0, new int[] {1, 2}, null))),
            new KvEvent.Removed(List.of(7L)), new KvEvent.Cleared()));
    }
}
