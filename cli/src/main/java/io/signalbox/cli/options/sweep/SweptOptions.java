// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options.sweep;

import io.signalbox.ConfigException;
import io.signalbox.cli.options.CommandFiles;
import io.signalbox.cli.options.MistypedArguments;
import io.signalbox.cli.options.PathConverter;
import io.signalbox.files.FileFault;
import io.signalbox.files.InputFile;
import io.signalbox.sweep.SweepValue;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The options of a simulation that a sweep may set and vary, by name without dashes. */
public final class SweptOptions
{
    /** Options that print a list and run nothing. */
    private static final String LISTS = "--list-";
    private static final String ON = "on";
    private static final String OFF = "off";
    private static final int SHOWN_DIGEST_BYTES = 8;
    private static final String MODEL_CONFIG = "config.json";

    private final String command;
    private final Map<String, OptionSpec> options = new TreeMap<>();

    /** @param command has groups with the options of a simulation. */
    public SweptOptions(final CommandSpec command, final List<String> groups, final List<String> others)
    {
        this.command = command.name();
        for (final ArgGroupSpec group : command.argGroups())
        {
            if (groups.stream().anyMatch(group.heading()::contains))
            {
                group.options().stream().filter(option -> !option.longestName().startsWith(LISTS)).forEach(this::add);
            }
        }
        others.forEach(name -> add(command.findOption(name)));
    }

    private void add(final OptionSpec option)
    {
        options.put(option.longestName().substring(2), option);
    }

    /** The options that a command line gives. */
    public Map<String, SweepValue> given(final ParseResult result)
    {
        final Map<String, SweepValue> given = new LinkedHashMap<>();
        options.forEach((name, option) ->
        {
            if (result.hasMatchedOption(option))
            {
                given.put(name, isFlag(option) ?
                    SweepValue.of(Boolean.TRUE.equals(option.getValue()) ? ON : OFF) :
                    value(name, String.join(",", option.originalStringValues())));
            }
        });
        return given;
    }

    /** @throws ConfigException if a plan cannot set the option. */
    public void require(final OptionSpec option)
    {
        option(option.longestName().substring(2));
    }

    private static boolean isFlag(final OptionSpec option)
    {
        return option.arity().max() == 0;
    }

    /** @throws ConfigException if there is no such option, or a file that it names cannot be read. */
    public SweepValue value(final String name, final String text)
    {
        final OptionSpec option = option(name);
        if (isFlag(option))
        {
            return SweepValue.of(flag(name, text));
        }
        String stored = text;
        final List<String> parts = option.splitRegex().isEmpty() ? List.of(text) : List.of(text.split(option.splitRegex()));
        for (final String part : parts)
        {
            final String path = CommandFiles.inputIn(option, part);
            if (path != null && !path.isBlank())
            {
                stored = stored.replace(path, stored(name, PathConverter.path(path)));
            }
        }
        return new SweepValue(text, stored);
    }

    private static String flag(final String name, final String text)
    {
        return switch (text)
        {
            case ON, "true" -> ON;
            case OFF, "false" -> OFF;
            default -> throw new ConfigException(name + " is on or off, and not '" + text + "'; give one of them.");
        };
    }

    /** The name of the file and a digest of its content; of a model's directory, a digest of its configuration. */
    private static String stored(final String name, final Path path)
    {
        final Path content = Files.isDirectory(path) ? path.resolve(MODEL_CONFIG) : path;
        final String fault = InputFile.fault(content);
        if (fault != null)
        {
            throw new ConfigException("--" + name + "=" + path + " " + fault + "; give a file that can be read.");
        }
        try (InputStream stream = Files.newInputStream(content);
            DigestInputStream digest = new DigestInputStream(stream, MessageDigest.getInstance("SHA-256")))
        {
            digest.transferTo(OutputStream.nullOutputStream());
            return path.toAbsolutePath().normalize().getFileName() + "#" +
                HexFormat.of().formatHex(digest.getMessageDigest().digest(), 0, SHOWN_DIGEST_BYTES);
        }
        catch (final IOException e)
        {
            throw new ConfigException(
                "--" + name + "=" + path + " cannot be read (" + FileFault.reason(e) + "); give a file that can be read.");
        }
        catch (final NoSuchAlgorithmException e)
        {
            throw new IllegalStateException(e);
        }
    }

    private OptionSpec option(final String name)
    {
        final OptionSpec option = options.get(name);
        if (option == null)
        {
            throw MistypedArguments.noSetting(command, name, options.keySet());
        }
        return option;
    }

    /** The arguments of a command line. */
    public List<String> arguments(final Map<String, SweepValue> values)
    {
        final List<String> arguments = new ArrayList<>();
        values.forEach((name, value) ->
        {
            final OptionSpec option = option(name);
            if (!isFlag(option))
            {
                arguments.add("--" + name + "=" + value.text());
            }
            else if (value.text().equals(ON))
            {
                arguments.add("--" + name);
            }
            else if (option.negatable())
            {
                arguments.add("--no-" + name);
            }
        });
        return arguments;
    }
}
