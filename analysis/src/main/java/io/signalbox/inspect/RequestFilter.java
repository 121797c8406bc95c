// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

/**
 * Which requests a {@link RequestQuery} lists.
 *
 * @param ends         ends that count, such as {@code refused} or {@code cancelled}; {@code null}: all.
 * @param preempted    only those that were preempted.
 * @param rank         -1: any.
 * @param conversation {@code null}: any.
 * @param submitted    when the request was submitted.
 * @param slowest      0: all in the order of their ends; else so many with the longest time to their end, longest first.
 */
public record RequestFilter(
    String ends, boolean preempted, int rank, Long conversation, TimeWindow submitted, int slowest)
{
}
