// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks an option or parameter whose value names a file or directory that the command reads. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface InputPath
{
    /** Finds the path in the value. */
    Class<? extends PathInValue> value() default PathInValue.Whole.class;
}
