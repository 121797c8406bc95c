// SPDX-License-Identifier: Apache-2.0
package io.signalbox;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The number of a record component that stands for an absent value, which a JSON document has as {@code null}. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface JsonNull
{
    /** Such as -1 for an id. */
    long value();
}
