// SPDX-License-Identifier: Apache-2.0
package io.signalbox.tokenizer;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import ai.djl.huggingface.tokenizers.jni.LibUtils;
import ai.djl.util.Utils;
import io.signalbox.ConfigException;
import io.signalbox.PluginFault;
import io.signalbox.serving.TextTokenizer;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/**
 * The native tokenizer. A file may hold regular expressions that take very long, and a native call cannot be interrupted:
 * each call runs in a daemon thread and has a limit.
 */
final class NativeTokenizer implements TextTokenizer
{
    /** Two properties by which the library neither downloads its native part nor reports to its makers. */
    private static final String[] SILENT = {"ai.djl.offline", "OPT_OUT_TRACKING"};
    private static final Map<String, String> OPTIONS =
        Map.of("addSpecialTokens", "true", "truncation", "do_not_truncate", "padding", "do_not_pad");
    private static final long LIMIT_SECONDS = 60;
    /** Room for the unpacked library, of which there is one per platform. */
    private static final long LIBRARY_BYTES = 32L << 20;

    private final Path file;
    private final HuggingFaceTokenizer tokenizer;

    private NativeTokenizer(final Path file, final HuggingFaceTokenizer tokenizer)
    {
        this.file = file;
        this.tokenizer = tokenizer;
    }

    /** A call of the library. */
    private interface Call<T>
    {
        T run() throws IOException;
    }

    /** @param json a checked tokenizer.json. */
    static NativeTokenizer of(final Path file, final byte[] json)
    {
        requireLibrary();
        return new NativeTokenizer(file, limited(file, "read",
            () -> HuggingFaceTokenizer.newInstance(new ByteArrayInputStream(json), OPTIONS)));
    }

    /** @throws ConfigException if this machine cannot run the library. */
    static void requireLibrary()
    {
        for (final String property : SILENT)
        {
            System.setProperty(property, "true");
        }
        final Thread thread = Thread.currentThread();
        final ClassLoader former = thread.getContextClassLoader();
        // The library looks for its native part in the context's class path, which has no plug-in.
        thread.setContextClassLoader(NativeTokenizer.class.getClassLoader());
        try
        {
            LibUtils.checkStatus();
        }
        // A platform without the native part, or with another C library, shows as an error of any type.
        catch (final Throwable e)
        {
            final String reason = reason(PluginFault.of(e));
            if (unpackedTo(reason) == null)
            {
                requireRoom(Utils.getEngineCacheDir("tokenizers"), LIBRARY_BYTES);
            }
            throw notLoaded(reason, NativeTokenizer::mayExecute);
        }
        finally
        {
            thread.setContextClassLoader(former);
        }
    }

    /**
     * The library logs why it could not be unpacked, and its exception has another reason.
     *
     * @throws ConfigException if the directory cannot hold the unpacked library.
     */
    static void requireRoom(final Path directory, final long bytes)
    {
        Path existing = directory.toAbsolutePath();
        while (!Files.exists(existing))
        {
            existing = existing.getParent();
        }
        final boolean isWritable = Files.isDirectory(existing) && Files.isWritable(existing);
        if (!isWritable || existing.toFile().getUsableSpace() < bytes)
        {
            throw new ConfigException("the tokenizer's native library cannot be unpacked to " + directory + ", which " +
                (isWritable ? "has less than the " + (bytes >> 20) + " MiB that it needs" : "cannot be written") +
                "; set DJL_CACHE_DIR to a directory with room that you may write, or give token ids.");
        }
    }

    /** The directory of the unpacked library, with whose path the reason then begins, or {@code null}. */
    private static Path unpackedTo(final String reason)
    {
        final int end = reason.indexOf(": ");
        final Path directory = end > 0 && reason.startsWith("/") ? Path.of(reason.substring(0, end)).getParent() : null;
        return directory != null && Files.isDirectory(directory) ? directory : null;
    }

    /** @param mayExecute whether files of a directory can be executed. */
    static ConfigException notLoaded(final String reason, final Predicate<Path> mayExecute)
    {
        final Path directory = unpackedTo(reason);
        if (directory != null && !mayExecute.test(directory))
        {
            return new ConfigException("the tokenizer's native library cannot be loaded from " + directory +
                ", whose file system does not allow execution (noexec); set DJL_CACHE_DIR to a directory on another file " +
                "system, or give token ids.");
        }
        return new ConfigException("the tokenizer's native library cannot be loaded on " + System.getProperty("os.name") +
            " " + System.getProperty("os.arch") + " (" + reason +
            "); give token ids, or use a platform for which Hugging Face's tokenizers are built.");
    }

    /** The system says of no file on a file system without execution that it can be executed. */
    private static boolean mayExecute(final Path directory)
    {
        try
        {
            final Path probe = Files.createTempFile(directory, "probe", "");
            try
            {
                return probe.toFile().setExecutable(true) && Files.isExecutable(probe);
            }
            finally
            {
                Files.delete(probe);
            }
        }
        catch (final IOException e)
        {
            return true;
        }
    }

    /** The message of the root cause; the name of its class if it has no message. */
    private static String reason(final Throwable thrown)
    {
        Throwable cause = thrown;
        while (cause.getCause() != null)
        {
            cause = cause.getCause();
        }
        final String message = cause.getMessage() == null ? "" : cause.getMessage();
        final String text =
            message.lines().filter(line -> !line.isBlank()).findFirst().orElse(cause.getClass().getSimpleName());
        return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    }

    private static <T> T limited(final Path file, final String doing, final Call<T> call)
    {
        final FutureTask<T> task = new FutureTask<>(call::run);
        final Thread thread = new Thread(task, "signalbox-tokenizer");
        thread.setContextClassLoader(NativeTokenizer.class.getClassLoader());
        thread.setDaemon(true);
        thread.start();
        try
        {
            return task.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
        catch (final ExecutionException e)
        {
            throw new ConfigException("the tokenizer " + file + " cannot be " + doing + " (" +
                reason(PluginFault.of(e.getCause())) + "); give a tokenizer.json that Hugging Face's tokenizers read.");
        }
        catch (final TimeoutException e)
        {
            throw new ConfigException("the tokenizer " + file + " was not " + doing + " within " + LIMIT_SECONDS +
                " seconds; give another tokenizer, or token ids.");
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new ConfigException("the run was interrupted; start it again.");
        }
    }

    @Override
    public int[] encode(final String text)
    {
        return encode(text, true);
    }

    @Override
    public int[] encodeWhole(final String text)
    {
        return encode(text, false);
    }

    private int[] encode(final String text, final boolean addSpecialTokens)
    {
        if (!StandardCharsets.UTF_16LE.newEncoder().canEncode(text))
        {
            throw new ConfigException("the text has one half of a surrogate pair, which is no character; remove it.");
        }
        return Arrays.stream(limited(file, "used for a prompt", () -> tokenizer.encode(text, addSpecialTokens, false))
            .getIds()).mapToInt(Math::toIntExact).toArray();
    }

    @Override
    public String decode(final int[] tokens)
    {
        return decode(tokens, true);
    }

    @Override
    public String decodeWhole(final int[] tokens)
    {
        return decode(tokens, false);
    }

    private String decode(final int[] tokens, final boolean skipSpecialTokens)
    {
        final long[] ids = Arrays.stream(tokens).asLongStream().toArray();
        return limited(file, "used for an answer", () -> tokenizer.decode(ids, skipSpecialTokens));
    }

    @Override
    public void close()
    {
        tokenizer.close();
    }
}
