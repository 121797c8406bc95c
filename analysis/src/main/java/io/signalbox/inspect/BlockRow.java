// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.DocumentSchema;
import io.signalbox.JsonName;

/**
 * A row of {@code inspect block JOURNAL RANK:BLOCK --json} and of {@code inspect request JOURNAL ID --show blocks --json}:
 * an event of a KV block.
 *
 * @param timeNanos logical time of the event
 * @param rank      the rank
 * @param block     the KV block
 * @param event     {@code allocated}, {@code matched}, {@code matched-pending}, {@code registered},
 *                  {@code registered-generated}, {@code evicted}, {@code released}, {@code cache-reset} or
 *                  {@code new-weights}
 * @param request   the request concerned; {@code null} if there is none
 * @param index     index in its block table; {@code null} unless the block was handed out
 * @param issue     how often the block had been handed out; {@code null} unless the block was handed out
 * @param step      the step; {@code null} if there is none
 * @param detail    hash, reason or generation; {@code null} if there is none
 */
@DocumentSchema("signalbox.inspect-block/2")
public record BlockRow(
    @JsonName("seconds") long timeNanos,
    int rank,
    int block,
    String event,
    Long request,
    Long index,
    Long issue,
    Long step,
    String detail)
{
}
