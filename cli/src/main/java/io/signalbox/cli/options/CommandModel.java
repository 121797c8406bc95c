// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Console;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;

/** The options of a command: its annotations, its {@link SettingOptions}, and those of each {@link OptionGroup}. */
public final class CommandModel
{
    private CommandModel()
    {
    }

    /** A command of which only the header is known: enough for a list of commands. */
    public static CommandLine listed(final Class<?> type)
    {
        final CommandSpec spec = CommandSpec.create();
        spec.usageMessage().header(type.getAnnotation(Command.class).header());
        return new CommandLine(spec);
    }

    /** The command of this type, which a console makes. */
    public static CommandLine of(final Class<?> type, final Console console)
    {
        try
        {
            final Constructor<?> constructor = type.getDeclaredConstructor(Console.class);
            constructor.setAccessible(true);
            return of(constructor.newInstance(console));
        }
        catch (final ReflectiveOperationException e)
        {
            throw new IllegalStateException(type.getName(), e);
        }
    }

    public static CommandLine of(final Object command)
    {
        final CommandLine line = new CommandLine(command);
        final CommandSpec spec = line.getCommandSpec();
        addOptions(command, spec, (heading, options) ->
            spec.addArgGroup(group("%n" + heading + ":%n", spec.argGroups().size(), options)));
        return line;
    }

    /** The same options without groups, only for parsing: picocli writes a synopsis for each option of a group. */
    public static CommandLine ungrouped(final Object command)
    {
        final CommandLine line = new CommandLine(command);
        final CommandSpec spec = line.getCommandSpec();
        addOptions(command, spec, (heading, options) -> specs(options).forEach(spec::addOption));
        return line;
    }

    private static void addOptions(final Object command, final CommandSpec spec, final BiConsumer<String, Object> groups)
    {
        for (final Field field : command.getClass().getDeclaredFields())
        {
            final OptionGroup group = field.getAnnotation(OptionGroup.class);
            if (group != null)
            {
                groups.accept(group.value(), value(field, command));
            }
            else if (field.getType() == SettingOptions.class)
            {
                ((SettingOptions)value(field, command)).specs().forEach(spec::addOption);
            }
        }
    }

    private static Object value(final Field field, final Object command)
    {
        try
        {
            field.setAccessible(true);
            return field.get(command);
        }
        catch (final IllegalAccessException e)
        {
            throw new IllegalStateException(field.toString(), e);
        }
    }

    /** A group with the fields of an object first, and then the options that settings make. */
    public static ArgGroupSpec group(final String heading, final int order, final Object options)
    {
        final ArgGroupSpec.Builder group = ArgGroupSpec.builder().validate(false).heading(heading).order(order);
        specs(options).forEach(group::addArg);
        return group.build();
    }

    private static List<OptionSpec> specs(final Object options)
    {
        final List<OptionSpec> specs = new ArrayList<>();
        if (hasFields(options.getClass()))
        {
            specs.addAll(CommandSpec.forAnnotatedObject(options).options());
        }
        if (options instanceof SettingGroup settings)
        {
            settings.settings().forEach(each -> specs.addAll(each.specs()));
        }
        return specs;
    }

    /**
     * Reads arguments that are a part of a command line, such as those of a variant.
     *
     * @param line with the name of the command that has these options.
     * @throws ConfigException if an option is unknown, repeated, or has a value that is not allowed.
     */
    public static void parse(final CommandLine line, final String... arguments)
    {
        try
        {
            final String repeated = IdleOptions.repeatedIn(line, arguments);
            if (repeated != null)
            {
                throw new ConfigException(repeated + " is given more than once; give it once.");
            }
            line.parseArgs(arguments);
        }
        catch (final ParameterException e)
        {
            final Throwable cause = e.getCause() == null ? e : e.getCause();
            final String mistyped = MistypedArguments.explain(e, () -> line);
            throw mistyped == null && cause instanceof ConfigException fault
                ? fault
                : new ConfigException((mistyped == null ? e.getMessage() : mistyped).replaceFirst("\\.?$", "") +
                    "; 'signalbox " + line.getCommandName() + " --help' lists the options.");
        }
    }

    private static boolean hasFields(final Class<?> type)
    {
        return type != Object.class && (hasFields(type.getSuperclass()) ||
            Arrays.stream(type.getDeclaredFields()).anyMatch(field ->
                field.isAnnotationPresent(Option.class) || field.isAnnotationPresent(Mixin.class)));
    }
}
