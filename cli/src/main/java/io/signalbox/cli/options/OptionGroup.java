// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a field of a command whose object has options: fields with {@code @Option}, {@link SettingOptions}, or both. Groups
 * have the order of the fields.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface OptionGroup
{
    /** The heading in the help, without its colon. */
    String value();
}
