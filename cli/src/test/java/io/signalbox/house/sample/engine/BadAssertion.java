// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.engine;

import io.signalbox.house.sample.testkit.BadContract;
import org.junit.jupiter.api.Assertions;

/** An engine that asserts as a test does, and knows the test kit. */
final class BadAssertion
{
    private BadAssertion()
    {
    }

    static void assertAbsent()
    {
        Assertions.assertNull(BadContract.needs());
    }
}
