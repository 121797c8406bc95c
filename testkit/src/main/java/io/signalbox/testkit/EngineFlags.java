// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.BufferAccess;
import org.opentest4j.AssertionFailedError;

/** The JVM flag without which no test here can run an engine. */
final class EngineFlags
{
    private EngineFlags()
    {
    }

    /** Fails the test if the flag is missing, with the places for it. */
    static void require()
    {
        if (!BufferAccess.missing().isEmpty())
        {
            throw new AssertionFailedError("the engine of this test needs the JVM flag " + BufferAccess.missing().get(0) +
                "; add it to argLine of maven-surefire-plugin, or to jvmArgs of Gradle's test task.");
        }
    }
}
