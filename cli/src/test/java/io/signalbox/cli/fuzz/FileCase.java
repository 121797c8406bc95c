// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A command that reads one spoilt file.
 *
 * @param words        the command line; {@code {file}} is the file.
 * @param name         of the file.
 * @param base         a good file of the kind.
 * @param other        another good one, to splice in.
 * @param tokenSeeds   changes of its text, token by token, in their order.
 * @param packing      how the text becomes a file.
 * @param byteSeeds    changes of the file's bytes.
 * @param reading      what the file really holds.
 */
record FileCase(
    List<String> words,
    String name,
    byte[] base,
    byte[] other,
    List<Long> tokenSeeds,
    Packing packing,
    List<Long> byteSeeds,
    Reading reading) implements FuzzCase
{
    private static final Set<Integer> EXIT_CODES = Set.of(0, 2);

    /** Makes a file from its content. */
    interface Packing
    {
        byte[] pack(byte[] content) throws IOException;
    }

    /** Complains about a result that is not what the file says. */
    interface Reading
    {
        List<String> complaints(byte[] file, Outcome outcome);
    }

    byte[] bytes() throws IOException
    {
        byte[] content = base;
        for (final long seed : tokenSeeds)
        {
            final String text = new String(content, StandardCharsets.UTF_8);
            content = TokenMutator.mutate(text, new SplittableRandom(seed)).getBytes(StandardCharsets.UTF_8);
        }
        byte[] file = packing.pack(content);
        for (final long seed : byteSeeds)
        {
            file = ByteMutator.mutate(file, other, new SplittableRandom(seed));
        }
        return file;
    }

    @Override
    public void prepare(final Path directory) throws IOException
    {
        Files.write(directory.resolve(name), bytes());
    }

    @Override
    public List<String> arguments(final Path directory)
    {
        return words.stream().map(word -> word.replace("{file}", directory.resolve(name).toString())
            .replace("{dir}", directory.toString())).toList();
    }

    @Override
    public Set<Integer> exitCodes()
    {
        return EXIT_CODES;
    }

    @Override
    public List<String> check(final Path directory, final Outcome outcome, final Target target) throws IOException
    {
        return reading.complaints(bytes(), outcome);
    }

    @Override
    public String story()
    {
        return tokenSeeds.size() + " changes of tokens, " + byteSeeds.size() + " of bytes";
    }

    @Override
    public List<FileCase> smaller()
    {
        final List<FileCase> smaller = new ArrayList<>();
        for (final List<Long> fewer : without(byteSeeds))
        {
            smaller.add(new FileCase(words, name, base, other, tokenSeeds, packing, fewer, reading));
        }
        for (final List<Long> fewer : without(tokenSeeds))
        {
            smaller.add(new FileCase(words, name, base, other, fewer, packing, byteSeeds, reading));
        }
        return smaller;
    }

    private static List<List<Long>> without(final List<Long> seeds)
    {
        final List<List<Long>> all = new ArrayList<>();
        for (int i = 0; i < seeds.size(); i++)
        {
            final List<Long> fewer = new ArrayList<>(seeds);
            fewer.remove(i);
            all.add(fewer);
        }
        return all;
    }
}
