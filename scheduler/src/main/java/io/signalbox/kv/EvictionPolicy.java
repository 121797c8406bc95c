// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

/** Treatment of a KV block with a known hash when its last owner releases it. */
public enum EvictionPolicy
{
    /** It stays cached until the pool runs short; then the least recently used leaf goes first. */
    LRU,
    /** It returns to the pool at once. */
    REF_ZERO
}
