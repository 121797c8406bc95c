// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

/**
 * A request that was submitted ahead of what is read, and had not ended there.
 *
 * @param requestId    its id.
 * @param submitNanos  logical time of its Submit.
 * @param promptTokens tokens of its prompt.
 * @param maxNewTokens most tokens that it generates.
 */
public record EarlierRequest(long requestId, long submitNanos, int promptTokens, int maxNewTokens)
{
}
