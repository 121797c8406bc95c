// SPDX-License-Identifier: Apache-2.0

/**
 * API: the KV block allocator of one rank and the prefix index.
 *
 * <p>Usable without the engine. Pure: no clock, thread, I/O or randomness, and no allocation on the steady path.
 */
package io.signalbox.kv;
