// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

/** Finds the path in the value of an option. */
public interface PathInValue
{
    /** The path as the user wrote it; {@code null} if the value does not name a file. */
    String in(String value);

    /** The whole value is a path. */
    final class Whole implements PathInValue
    {
        @Override
        public String in(final String value)
        {
            return value;
        }
    }

    /** The value is {@code NAME=PATH}. */
    final class AfterEquals implements PathInValue
    {
        @Override
        public String in(final String value)
        {
            final int equals = value.indexOf('=');
            return equals < 0 ? null : value.substring(equals + 1).strip();
        }
    }
}
