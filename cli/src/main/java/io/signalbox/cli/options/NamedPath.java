// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

/** Finds the path in the value of an option. */
public interface NamedPath
{
    /** The path as the user wrote it; {@code null} if the value does not name a file. */
    String in(String value);

    /** The whole value is a path. */
    final class Whole implements NamedPath
    {
        @Override
        public String in(final String value)
        {
            return value;
        }
    }

    /** The value is {@code NAME=PATH}. */
    final class AfterEquals implements NamedPath
    {
        @Override
        public String in(final String value)
        {
            final int equals = value.indexOf('=');
            return equals < 0 ? null : value.substring(equals + 1).strip();
        }
    }

    /** The value is {@code NAME:PATH}. */
    final class AfterColon implements NamedPath
    {
        @Override
        public String in(final String value)
        {
            final int colon = value.indexOf(':');
            return colon < 0 ? null : value.substring(colon + 1);
        }
    }
}
