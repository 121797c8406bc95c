// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.saved.SavedFields;

/** Requests leave by priority, of one priority in the order of their arrival. */
public final class FirstComeQueue implements WaitingQueue
{
    private final RequestQueue requests = new RequestQueue();

    @Override
    public int size()
    {
        return requests.size();
    }

    @Override
    public boolean isEmpty()
    {
        return requests.isEmpty();
    }

    @Override
    public Request first()
    {
        return requests.first();
    }

    @Override
    public void add(final Request request)
    {
        requests.addByPriority(request);
    }

    @Override
    public Request take()
    {
        return requests.removeFirst();
    }

    @Override
    public void giveBack(final Request request)
    {
        requests.addFirstByPriority(request);
    }

    @Override
    public void remove(final Request request)
    {
        requests.remove(request);
    }

    @Override
    public void ended(final Request request)
    {
    }

    @Override
    public void save(final SavedFields fields, final RequestPlaces live)
    {
        requests.save(fields, live);
    }

    @Override
    public long digest()
    {
        return requests.digest();
    }
}
