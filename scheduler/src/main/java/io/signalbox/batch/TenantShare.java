// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.saved.SavedFields;

/** The tenant of a request, and its charge in a {@link FairQueue}. */
final class TenantShare
{
    /** As {@link TenantWeights#key}. */
    long key;
    int account;
    /** By how much virtual time advanced when the request left the queue. */
    long advance;
    /** Sum of the weights of the tenants that waited at that time. */
    long weights = 1;

    void save(final SavedFields fields)
    {
        key = fields.number(key);
        account = fields.int32(account);
        advance = fields.number(advance);
        weights = fields.number(weights);
    }

    void reset()
    {
        key = 0;
        account = 0;
        advance = 0;
        weights = 1;
    }
}
