// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import java.util.Arrays;

/** A list of few requests in an array that only ever grows. */
final class RequestList
{
    private PagedRequest[] requests = new PagedRequest[16];
    private int size;

    int size()
    {
        return size;
    }

    PagedRequest get(final int index)
    {
        return requests[index];
    }

    void add(final PagedRequest request)
    {
        if (size == requests.length)
        {
            requests = Arrays.copyOf(requests, 2 * size);
        }
        requests[size++] = request;
    }

    void unmark()
    {
        for (int i = 0; i < size; i++)
        {
            requests[i].marked = false;
        }
    }

    void dropLast(final int count)
    {
        final int left = Math.max(0, size - count);
        Arrays.fill(requests, left, size, null);
        size = left;
    }

    void clear()
    {
        dropLast(size);
    }
}
