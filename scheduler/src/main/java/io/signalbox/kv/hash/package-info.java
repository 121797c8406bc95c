// SPDX-License-Identifier: Apache-2.0

/**
 * API: block hashes, chained over the prefix.
 *
 * <p>{@link io.signalbox.kv.hash.BlockHashFunction} chooses between SHA-256 and XXH3-128.
 */
package io.signalbox.kv.hash;
