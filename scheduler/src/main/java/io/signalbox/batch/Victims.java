// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.InvariantViolation;

/** Chooses the request that gives up its KV blocks. No request is chosen more often than the bound allows. */
final class Victims
{
    private final int maxPreemptions;

    Victims(final int maxPreemptions)
    {
        this.maxPreemptions = maxPreemptions;
    }

    /** Whether the request was preempted so often that it is not preempted again. */
    boolean isExempt(final Request request)
    {
        return request.preemptions() >= maxPreemptions;
    }

    /**
     * The request of the lowest priority, of these the one admitted last. An exempt one never lacks a block, so the one that
     * does may be chosen.
     *
     * @param running by priority, of one priority in the order of admission.
     */
    Request choose(final RequestQueue running)
    {
        int index = running.size() - 1;
        while (index > 0 && isExempt(running.get(index)))
        {
            index--;
        }
        final Request victim = running.get(index);
        if (isExempt(victim))
        {
            throw new InvariantViolation("request " + victim.id() + " was preempted " + victim.preemptions() +
                " times, as often as every running request may be");
        }
        return victim;
    }
}
