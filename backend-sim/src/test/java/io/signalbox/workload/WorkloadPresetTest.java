// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class WorkloadPresetTest
{
    private static List<WorkloadRequest> requests(final WorkloadPreset preset)
    {
        return GeneratedWorkload.of(preset.builder().build()).requests();
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeFoundByItsNameAndDescribeAllOfItself(final WorkloadPreset preset)
    {
        assertEquals(preset, WorkloadPreset.of(preset.label()));
        assertEquals(requests(preset), requests(preset));
        final GeneratedWorkloadConfig config = preset.builder().seed(7).build();
        assertEquals("7", config.settings().get("workload.seed"));
        assertEquals(Integer.toString(config.clients()), config.settings().get("workload.clients"));
    }

    @Test
    void shouldNameThePresetsThatThereAre()
    {
        assertEquals("workload=x is not known; give one of conversations, skewed, bursty, closed-loop, benchmark.",
            assertThrows(ConfigException.class, () -> WorkloadPreset.of("x")).getMessage());
    }

    @Test
    void shouldHaveAFewVeryLongConversationsInTheSkewedOne()
    {
        final Map<Long, Long> tokens = requests(WorkloadPreset.SKEWED).stream().collect(Collectors.groupingBy(
            WorkloadRequest::conversationId, Collectors.summingLong(WorkloadRequest::promptTokens)));
        final long[] sorted = tokens.values().stream().mapToLong(Long::longValue).sorted().toArray();
        long all = 0;
        long longest = 0;
        for (int i = 0; i < sorted.length; i++)
        {
            all += sorted[i];
            longest += i >= sorted.length * 9 / 10 ? sorted[i] : 0;
        }
        assertTrue(longest > all / 2, "the longest tenth has " + longest + " of " + all + " prompt tokens");
    }

    @Test
    void shouldArriveInClumpsInTheBurstyOne()
    {
        final long[] starts = requests(WorkloadPreset.BURSTY).stream().mapToLong(WorkloadRequest::arrivalNanos)
            .filter(nanos -> nanos >= 0).sorted().toArray();
        final double mean = (double)starts[starts.length - 1] / starts.length;
        int close = 0;
        for (int i = 1; i < starts.length; i++)
        {
            close += starts[i] - starts[i - 1] < mean / 20 ? 1 : 0;
        }
        // Of Poisson gaps one in twenty is that short.
        assertTrue(close > starts.length / 2, close + " of " + starts.length);
    }

    @Test
    void shouldStartAsManyConversationsAsThereAreClientsInTheClosedLoop()
    {
        final List<WorkloadRequest> first =
            requests(WorkloadPreset.CLOSED_LOOP).stream().filter(request -> request.predecessorId() < 0).toList();
        assertEquals(512, first.size());
        for (int i = 0; i < first.size(); i++)
        {
            assertEquals(i < 256, first.get(i).arrivalNanos() >= 0);
        }
        assertTrue(requests(WorkloadPreset.CLOSED_LOOP).stream().allMatch(request -> request.thinkTimeNanos() == 0));
    }

    @Test
    void shouldGiveTheClientOfAConversationThatIsTooLongToTheNext()
    {
        final List<WorkloadRequest> first = GeneratedWorkload.of(GeneratedWorkloadConfig.builder()
            .conversations(50).clients(3).userTokens(new SizeDistribution.Zipf(0.0, 1, 400)).maxContextTokens(900).build())
            .requests().stream().filter(request -> request.predecessorId() < 0).toList();
        assertTrue(first.size() > 3 && first.size() < 50, first.size() + " conversations");
        assertEquals(3, first.stream().filter(request -> request.arrivalNanos() >= 0).count());
    }
}
