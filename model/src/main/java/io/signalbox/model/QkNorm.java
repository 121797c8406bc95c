// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

/** Normalisation of queries and keys before RoPE. */
public enum QkNorm
{
    NONE,
    /** RMSNorm over the full width of a projection, before it is split into heads. */
    FULL_WIDTH,
    /** RMSNorm of each head; all heads share the weights. */
    PER_HEAD
}
