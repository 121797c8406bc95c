// SPDX-License-Identifier: Apache-2.0
package io.signalbox;

/**
 * A setting or an input from outside is wrong. The message is one sentence: what, where, and what to do. If a single setting
 * is at fault, the exception also carries its name, the value, the allowed values and the remedy.
 */
public class ConfigException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    private final String setting;
    private final String value;
    private final String allowed;
    private final String remedy;

    public ConfigException(final String message)
    {
        this(message, null, null, null, null);
    }

    private ConfigException(
        final String message, final String setting, final String value, final String allowed, final String remedy)
    {
        super(message);
        this.setting = setting;
        this.value = value;
        this.allowed = allowed;
        this.remedy = remedy;
    }

    /**
     * A value that a setting does not allow; the message is "{@code setting=value is not allowed; remedy.}".
     *
     * @param allowed what the value should be, such as "between 0 and 1".
     * @param remedy  what to do, without a period.
     */
    public static ConfigException of(
        final String setting, final String value, final String allowed, final String remedy)
    {
        return new ConfigException(
            setting + "=" + value + " is not " + allowed + "; " + remedy + ".", setting, value, allowed, remedy);
    }

    /** The name of the setting, or {@code null} if no single setting is at fault. */
    public final String setting()
    {
        return setting;
    }

    /** The value that was refused, or {@code null}. */
    public final String value()
    {
        return value;
    }

    /** The allowed values, or {@code null}. */
    public final String allowed()
    {
        return allowed;
    }

    /** The remedy, or {@code null}. */
    public final String remedy()
    {
        return remedy;
    }
}
