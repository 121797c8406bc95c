// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.random.RandomGenerator;

/** Draws cases. */
interface CaseSource
{
    FuzzCase next(RandomGenerator random) throws IOException;

    /** Cases that shrink to fewer of their parts. */
    default Arbitrary<FuzzCase> cases()
    {
        return Arbitraries.randomValue(random ->
        {
            try
            {
                return next(random);
            }
            catch (final IOException e)
            {
                throw new UncheckedIOException(e);
            }
        }).flatMap(made -> made.withFewerParts().map(FuzzCase.class::cast));
    }
}
