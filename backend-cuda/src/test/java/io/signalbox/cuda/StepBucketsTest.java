// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.ConfigException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class StepBucketsTest
{
    @Test
    void shouldHaveFineBucketsWhereStepsRunAsGraphs()
    {
        final StepBuckets buckets = new StepBuckets(700, 128);

        assertEquals(List.of(1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 64, 96, 128, 256, 512, 700),
            IntStream.range(0, buckets.count()).mapToObj(buckets::size).toList());
        assertTrue(buckets.isGraph(buckets.of(128)));
        assertFalse(buckets.isGraph(buckets.of(129)));
    }

    @Property
    void everyStepHasTheSmallestBucketThatHoldsIt(
        @ForAll @IntRange(min = 1, max = 9_000) final int maxTokens,
        @ForAll @IntRange(max = 600) final int maxGraphTokens,
        @ForAll @IntRange(max = 9_000) final int anyTokens)
    {
        final StepBuckets buckets = new StepBuckets(maxTokens, maxGraphTokens);
        final int tokens = Math.min(anyTokens, maxTokens);
        final int bucket = buckets.of(tokens);

        assertTrue(buckets.size(bucket) >= tokens);
        assertTrue(bucket == 0 || buckets.size(bucket - 1) < tokens);
        assertEquals(buckets.size(bucket) <= maxGraphTokens, buckets.isGraph(bucket));
    }

    @Test
    void shouldRefuseStepsWithoutTokens()
    {
        assertThrows(ConfigException.class, () -> new StepBuckets(0, 8));
        assertThrows(ConfigException.class, () -> new StepBuckets(8, -1));
    }
}
