// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Each driver library needs a separate process. */
class DriverLibraryTest
{
    private static final String FOUND = "READY [1073741824] 1 GPU, driver for CUDA 13.0, its library taken from ";
    private static final Pattern CALL = Pattern.compile("JCudaDriver\\.(cu[A-Z]\\w+)\\(");

    @TempDir
    private Path directory;

    @BeforeEach
    void needsTheEmulatedDriver()
    {
        EmulatedDriver.assumeAvailable();
    }

    private void copyTheEmulatedDriver() throws IOException
    {
        final Path library = EmulatedDriverBuild.library();
        for (final String name : List.of("libcuda.so.1", "libthread_state.so"))
        {
            Files.copy(library.resolveSibling(name), directory.resolve(name));
        }
    }

    @Test
    void shouldFindTheLibraryInAUsualDirectoryAndSayWhich() throws Exception
    {
        copyTheEmulatedDriver();
        final String answer = probe("", directory);

        assertEquals(FOUND + directory.resolve("libcuda.so.1") + ".",
            answer);
    }

    /** On some systems the directory of 32-bit libraries comes first. */
    @Test
    void shouldPassOverALibraryThatCannotBeLoaded() throws Exception
    {
        final Path other = Files.createDirectory(directory.resolve("other"));
        Files.write(other.resolve("libcuda.so.1"), new byte[100]);
        copyTheEmulatedDriver();

        assertEquals(FOUND + directory.resolve("libcuda.so.1") + ".",
            probe("", Path.of(other + ":" + directory)));
        assertTrue(probe("", other).startsWith(
            "NO_DRIVER [] the NVIDIA driver's library could not be loaded (libcuda.so.1: "));
    }

    @Test
    void shouldSayThatItIsInNoneOfThem() throws Exception
    {
        assertEquals(
            "NO_DRIVER [] the NVIDIA driver's library libcuda.so.1 was not found, neither by the loader nor in the " +
            "usual directories; install the driver, name its directory in LD_LIBRARY_PATH, or use a machine with a GPU.",
            probe("", directory));
    }

    /** Without the check the process would end with the loader's words and exit code 127. */
    @ParameterizedTest
    @ValueSource(strings = {"cuGraphUpload", "cuMemAlloc_v2", "cuInit"})
    void shouldNameASymbolThatTheDriverLacks(final String symbol) throws Exception
    {
        final Path library = EmulatedDriverBuild.libraryWithout(symbol);

        assertEquals("DRIVER_INCOMPLETE [] the driver's library " + library + " lacks the symbol " + symbol + ", which " +
            "Signalbox calls; install the NVIDIA driver, release 580 or newer, or remove other libraries of this name " +
            "from the library path.", probe(library.getParent().toString(), directory));
    }

    /** A call of the binding that is not checked for would end the process on a driver without it. */
    @Test
    void shouldNeedWhatTheBindingCallsAndNothingElse() throws IOException
    {
        final Set<String> called = new TreeSet<>();
        final Matcher calls = CALL.matcher(Files.readString(
            Path.of("src/main/java/io/signalbox/cuda/driver/JCudaBinding.java")));
        while (calls.find())
        {
            called.add(calls.group(1));
        }
        final Set<String> needed = new TreeSet<>();
        DriverLibrary.NEEDED.forEach(symbol -> needed.add(symbol.replaceAll("_v[0-9]+$|WithFlags$", "")));
        assertEquals(called, needed);
    }

    /** JCuda's requests to the driver, by name. */
    @Test
    void shouldSpellSymbolsAsTheBindingDoes() throws IOException
    {
        final byte[] binding = Files.readAllBytes(Files.list(Path.of("target/native"))
            .filter(file -> file.toString().contains("JCudaDriver")).findFirst().orElseThrow());
        final String text = new String(binding, StandardCharsets.ISO_8859_1);

        for (final String symbol : DriverLibrary.NEEDED)
        {
            assertTrue(text.contains("\0" + symbol + "\0"), symbol);
            assertTrue(ElfSymbols.defined(EmulatedDriverBuild.library()).contains(symbol), symbol);
        }
    }

    @Test
    void shouldReadNoSymbolsFromAnotherKindOfFile() throws IOException
    {
        final Path file = Files.write(directory.resolve("libcuda.so.1"), new byte[100]);

        assertNull(ElfSymbols.defined(file));
    }

    private static String probe(final String libraryPath, final Path usualDirectory) throws Exception
    {
        return ProbeProcess.answer(Map.of("LD_LIBRARY_PATH", libraryPath),
            "-D" + DriverLibrary.DIRECTORIES_PROPERTY + "=" + usualDirectory);
    }

    /** Else the benchmark of the calls ends with the name of a function that is missing. */
    @Test
    void shouldFindEveryNeededFunctionInTheIdleDriverOfTheBenchmark() throws IOException
    {
        final String source =
            Files.readString(Path.of("..", "bench", "src", "main", "native", "idle-driver.c"), StandardCharsets.UTF_8);
        assertEquals(List.of(), DriverLibrary.NEEDED.stream()
            .filter(name -> !Pattern.compile("\\b" + name + "\\b").matcher(source).find()).toList());
    }
}
