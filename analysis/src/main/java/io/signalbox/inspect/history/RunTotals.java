// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect.history;

/**
 * Counts of a {@link RunHistory}, of what happened in its time.
 *
 * @param completed         requests that completed in it, also if they were submitted before.
 * @param queuedNanos       time for which at least one request waited.
 * @param queuedArrivals    requests that were submitted while others waited.
 * @param queuedCompletions requests that completed while others waited.
 * @param captured          captured rows of requests that ended.
 * @param inherited         inherited rows of requests that ended.
 * @param missing           missing rows of requests that ended.
 * @param bytes             bytes of the groups and of the rows beside them.
 * @param rowBytes          bytes of the rows among them.
 */
public record RunTotals(
    long completed, long queuedNanos, long queuedArrivals, long queuedCompletions, long captured, long inherited,
    long missing, long bytes, long rowBytes)
{
}
