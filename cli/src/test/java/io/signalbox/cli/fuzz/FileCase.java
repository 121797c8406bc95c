// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Pattern;

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
    private static final Pattern TEXT = Pattern.compile("\\.(?:jsonl|yaml)");

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
        return tokenSeeds.size() + " changes of tokens and " + byteSeeds.size() + " of bytes in " + base.length + " bytes";
    }

    @Override
    public Arbitrary<FileCase> withFewerParts()
    {
        return Combinators.combine(Parts.of(lines()), Parts.of(tokenSeeds), Parts.of(byteSeeds)).as((lines, tokens, bytes) ->
            new FileCase(words, name, join(lines), other, tokens, packing, bytes, reading));
    }

    /** The lines of a text; another file is one piece. */
    private List<byte[]> lines()
    {
        if (!TEXT.matcher(name).find())
        {
            return List.of(base);
        }
        return new String(base, StandardCharsets.UTF_8).lines().map(line -> (line + "\n").getBytes(StandardCharsets.UTF_8))
            .toList();
    }

    private static byte[] join(final List<byte[]> lines)
    {
        return lines.stream().reduce(new byte[0], ByteMutator::joined);
    }

    @Override
    public String toString()
    {
        return words + ", " + story();
    }
}
