// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.IOException;
import java.util.random.RandomGenerator;

/** Makes cases; equal seeds make equal cases. */
interface CaseSource
{
    FuzzCase next(RandomGenerator random) throws IOException;
}
