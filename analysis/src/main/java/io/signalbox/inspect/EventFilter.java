// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import java.util.Set;

/**
 * Which messages an {@link EventQuery} lists.
 *
 * @param messages  names of the schema, such as {@code Commit}; empty: all.
 * @param rank      -1: any; else messages that name the rank.
 * @param requestId {@code null}: any; else messages that name the request.
 * @param record    {@code null}: any; else the group of this record alone.
 */
public record EventFilter(Set<String> messages, int rank, Long requestId, Long record, TimeWindow window)
{
}
