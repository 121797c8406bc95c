// SPDX-License-Identifier: Apache-2.0
package io.signalbox;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The field of a record component in a JSON document, if it does not have the name of the component. A component
 * {@code …Nanos} is the field {@code …Ms}, in milliseconds, unless this name ends with {@code Seconds} or {@code Nanos}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface JsonName
{
    /** The name of the field. */
    String value();
}
