// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.StateDigest;
import io.signalbox.saved.SavedFields;

/**
 * Requests leave by priority; of one priority the tenants share the tokens by their weights, and the requests of a tenant
 * leave in the order of their arrival. A request costs its prompt and its largest output when it leaves; tokens that were
 * not generated come back to the tenant when it ends. A request that comes back from a lost rank takes its whole cost along,
 * and costs it again when it leaves again: a tenant pays once for each token, however often ranks are lost that computed it.
 *
 * <p>This is weighted fair queueing with eligibility: virtual time advances by the cost over the sum of the weights of the
 * tenants that wait; a tenant is eligible if its head starts no later; of the eligible ones the head that would end first
 * leaves. Tenants that wait all the time have been served within one largest request of their share.
 *
 * <p>There is a fixed number of accounts. An account is free for another tenant if no request of its tenant lives and
 * virtual time has passed its end. If none is free, the tenant shares account 0, of weight 1, with all others like it.
 */
public final class FairQueue implements WaitingQueue
{
    /** Virtual time per token at weight 1: whole numbers, so that the same requests give the same order anywhere. */
    static final long UNIT = 1024;
    private static final int SHARED = 0;
    private static final int NONE = -1;

    private final long[] namedKeys;
    private final int[] namedWeights;
    private final RequestQueue[] queues;
    private final long[] keys;
    private final int[] weight;
    /** Virtual start of the request that leaves next. */
    private final long[] starts;
    private final int[] live;
    private long virtualTime;
    private int size;
    private int chosen = NONE;

    /** @param accounts tenants with a separate account. */
    public FairQueue(final TenantWeights weights, final int accounts)
    {
        namedKeys = weights.byName().keySet().stream().mapToLong(TenantWeights::key).toArray();
        namedWeights = weights.byName().values().stream().mapToInt(Integer::intValue).toArray();
        queues = new RequestQueue[accounts + 1];
        for (int i = 0; i < queues.length; i++)
        {
            queues[i] = new RequestQueue();
        }
        keys = new long[queues.length];
        weight = new int[queues.length];
        starts = new long[queues.length];
        live = new int[queues.length];
        weight[SHARED] = 1;
    }

    @Override
    public int size()
    {
        return size;
    }

    @Override
    public boolean isEmpty()
    {
        return size == 0;
    }

    @Override
    public Request first()
    {
        chosen = chosen == NONE ? choose() : chosen;
        return queues[chosen].first();
    }

    @Override
    public void add(final Request request)
    {
        final int account = account(request.tenant.key);
        request.tenant.account = account;
        live[account]++;
        starts[account] = queues[account].isEmpty() ? Math.max(starts[account], virtualTime) : starts[account];
        queues[account].addByPriority(request);
        changed(1);
    }

    private void changed(final int difference)
    {
        size += difference;
        chosen = NONE;
    }

    /** The account of the tenant; if it has none, a free one. */
    private int account(final long key)
    {
        int free = SHARED;
        for (int i = queues.length - 1; i > SHARED; i--)
        {
            if (weight[i] > 0 && keys[i] == key)
            {
                return i;
            }
            free = weight[i] == 0 || live[i] == 0 && starts[i] <= virtualTime ? i : free;
        }
        if (free != SHARED)
        {
            keys[free] = key;
            weight[free] = weightOf(key);
            starts[free] = virtualTime;
        }
        return free;
    }

    private int weightOf(final long key)
    {
        for (int i = 0; i < namedKeys.length; i++)
        {
            if (namedKeys[i] == key)
            {
                return namedWeights[i];
            }
        }
        return 1;
    }

    private int choose()
    {
        final int priority = highestPriority();
        int earliest = NONE;
        int best = NONE;
        for (int i = 0; i < queues.length; i++)
        {
            if (queues[i].isEmpty() || queues[i].first().priority() != priority)
            {
                continue;
            }
            earliest = earliest == NONE || starts[i] < starts[earliest] ? i : earliest;
            if (starts[i] <= virtualTime && (best == NONE || end(i) < end(best)))
            {
                best = i;
            }
        }
        return best == NONE ? earliest : best;
    }

    private int highestPriority()
    {
        int highest = Integer.MIN_VALUE;
        for (final RequestQueue queue : queues)
        {
            highest = queue.isEmpty() ? highest : Math.max(highest, queue.first().priority());
        }
        return highest;
    }

    /** Virtual end of the request that leaves next. */
    private long end(final int account)
    {
        return starts[account] + time(queues[account].first().mostTokens(), account);
    }

    private long time(final int tokens, final int account)
    {
        return tokens * UNIT / weight[account];
    }

    @Override
    public Request take()
    {
        final Request request = first();
        final int account = chosen;
        long sum = 0;
        for (int i = 0; i < queues.length; i++)
        {
            sum += queues[i].isEmpty() ? 0 : weight[i];
        }
        final long now = Math.max(virtualTime, starts[account]);
        request.tenant.advance = now - virtualTime + request.mostTokens() * UNIT / sum;
        request.tenant.weights = sum;
        virtualTime += request.tenant.advance;
        starts[account] += time(request.mostTokens(), account);
        queues[account].removeFirst();
        changed(-1);
        return request;
    }

    @Override
    public void giveBack(final Request request)
    {
        final int account = request.tenant.account;
        virtualTime -= request.tenant.advance;
        request.tenant.advance = 0;
        starts[account] -= time(request.mostTokens(), account);
        queues[account].addFirstByPriority(request);
        changed(1);
    }

    @Override
    public void remove(final Request request)
    {
        queues[request.tenant.account].remove(request);
        live[request.tenant.account]--;
        changed(-1);
    }

    @Override
    public void ended(final Request request)
    {
        final int account = request.tenant.account;
        final int unused = request.mostTokens() - request.knownTokens();
        starts[account] -= time(unused, account);
        virtualTime -= unused * UNIT / request.tenant.weights;
        live[account]--;
        chosen = NONE;
    }

    @Override
    public void save(final SavedFields fields, final RequestPlaces requests)
    {
        virtualTime = fields.number(virtualTime);
        size = fields.int32(size);
        for (int i = 0; i < queues.length; i++)
        {
            final int account = i;
            fields.record(() -> save(fields, requests, account));
        }
    }

    private void save(final SavedFields fields, final RequestPlaces requests, final int account)
    {
        keys[account] = fields.number(keys[account]);
        weight[account] = fields.int32(weight[account]);
        starts[account] = fields.number(starts[account]);
        live[account] = fields.int32(live[account]);
        queues[account].save(fields, requests);
    }

    @Override
    public long digest()
    {
        long digest = StateDigest.mix(virtualTime, size);
        for (int i = 0; i < queues.length; i++)
        {
            if (weight[i] > 0)
            {
                digest = StateDigest.mix(digest, keys[i], starts[i]);
                digest = StateDigest.mix(digest, live[i], queues[i].digest());
            }
        }
        return digest;
    }
}
