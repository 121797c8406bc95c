// SPDX-License-Identifier: Apache-2.0
package io.signalbox;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Name and version of the JSON document that a record makes, or of the table of which it is a row. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface DocumentSchema
{
    /** Such as {@code signalbox.simulate/2}; the version rises if a field is removed or changes its meaning. */
    String value();
}
