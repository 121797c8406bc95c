// SPDX-License-Identifier: Apache-2.0
package io.signalbox;

import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Tries of a property of jqwik: reduced in every build, full with {@code -Pfull}. {@code -Dsignalbox.cases=N} tries another
 * number of cases, and {@code -Dsignalbox.seed=N} begins with the seed that a failure prints, or with any other.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@AddLifecycleHook(Tries.Hook.class)
public @interface Tries
{
    int reduced();

    int full();

    /** Sets both before jqwik generates the first case. */
    final class Hook implements AroundPropertyHook
    {
        @Override
        public PropertyExecutionResult aroundProperty(
            final PropertyLifecycleContext context, final PropertyExecutor property)
        {
            final Tries tries = context.findAnnotation(Tries.class).orElseThrow();
            context.attributes().setTries(
                Integer.getInteger("signalbox.cases", TestStrength.count(tries.reduced(), tries.full())));
            final String seed = System.getProperty("signalbox.seed");
            if (seed != null)
            {
                context.attributes().setSeed(seed);
            }
            return property.execute();
        }
    }
}
