// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** The results of a token, logits and experts with their weights, have the same bits whatever else the steps hold. */
class ForwardInvarianceTest
{
    @Property(tries = 25)
    void shouldComputeTheSameBitsInEveryMixture(
        @ForAll final long seed, @ForAll final boolean rounded, @ForAll @IntRange(min = 1, max = 4) final int threads)
    {
        MixedForward.check(seed, rounded, threads);
    }
}
