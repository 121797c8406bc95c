// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import org.junit.jupiter.api.Test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.TreeMap;

/** Runs the tests of a contract one by one, and collects the sentences with which they fail. */
final class ContractRun
{
    private ContractRun()
    {
    }

    /** The message of each test that failed, by the name of the test. */
    static Map<String, String> failures(final Object contract)
    {
        final Map<String, String> failures = new TreeMap<>();
        int tests = 0;
        for (final Method method : contract.getClass().getMethods())
        {
            if (method.isAnnotationPresent(Test.class))
            {
                tests++;
                try
                {
                    method.invoke(contract);
                }
                catch (final InvocationTargetException e)
                {
                    failures.put(method.getName(), message(e.getCause()));
                }
                catch (final IllegalAccessException e)
                {
                    throw new AssertionError(e);
                }
            }
        }
        if (tests < 5)
        {
            throw new AssertionError(contract.getClass() + " has " + tests + " tests");
        }
        return failures;
    }

    /** The message with which one test fails; null if it passes. */
    static String failure(final Object contract, final String test)
    {
        try
        {
            contract.getClass().getMethod(test).invoke(contract);
            return null;
        }
        catch (final InvocationTargetException e)
        {
            return message(e.getCause());
        }
        catch (final ReflectiveOperationException e)
        {
            throw new AssertionError(e);
        }
    }

    private static String message(final Throwable failure)
    {
        if (!(failure instanceof AssertionError))
        {
            throw new AssertionError("a contract ended in something else than a failed assertion", failure);
        }
        return failure.getMessage();
    }
}
