// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/** Order in which requests of one priority leave the queue. */
public enum QueueOrder
{
    /** In the order of their arrival. */
    FIRST_COME,
    /** Tenants share the tokens by their weights. */
    FAIR
}
