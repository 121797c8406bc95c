// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.kvevents;

/**
 * A KV block that prefix matches find.
 *
 * @param hash       names the block and all tokens before it; read it as an unsigned number.
 * @param parentHash hash of the block before it; 0 for the first block of a prompt.
 * @param depth      blocks before it.
 * @param tokens     of this block; not a copy.
 * @param cacheKey   of the request that filled a first block, such as its {@code cache_salt}; {@code null}: none, or not a
 *                   first block.
 */
record CachedBlock(long hash, long parentHash, int depth, int[] tokens, String cacheKey)
{
}
