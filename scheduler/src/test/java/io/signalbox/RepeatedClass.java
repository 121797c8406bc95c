// SPDX-License-Identifier: Apache-2.0
package io.signalbox;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs a class of tests with the tag {@value #TAG} again after it has run: 200 times or up to 20 minutes, both divided by
 * {@code signalbox.divisor}, with the reduced counts, while other threads occupy the cores at random. JUnit finds this
 * extension with {@code -Pfull}; a build without it runs the class once. A failure is printed with its repetition and kept
 * in {@code target/threads}.
 */
public final class RepeatedClass implements AfterAllCallback
{
    /** Of a class whose tests start threads, engines or processes. */
    private static final String TAG = "threads";
    private static final String REPETITION = "signalbox.repetition";
    private static final String STRENGTH = "signalbox.tests";
    private static final long MINUTE_NANOS = 60_000_000_000L;
    private static final int MOST = 200;
    private static final long LONGEST_NANOS = 20 * MINUTE_NANOS;
    private static final int LONGEST_BURST_MICROS = 2_000;

    @Override
    public void afterAll(final ExtensionContext context) throws IOException
    {
        final boolean isTopLevel = context.getRequiredTestClass().getEnclosingClass() == null;
        if (isTopLevel && context.getTags().contains(TAG) && System.getProperty(REPETITION) == null)
        {
            repeat(context.getRequiredTestClass());
        }
    }

    private static void repeat(final Class<?> tests) throws IOException
    {
        final int most = Integer.getInteger("signalbox.repetitions", Math.max(1, MOST / TestStrength.divisor()));
        final Long minutes = Long.getLong("signalbox.repetitionMinutes");
        final long end = System.nanoTime() +
            (minutes != null ? minutes * MINUTE_NANOS : LONGEST_NANOS / TestStrength.divisor());
        final String strength = System.getProperty(STRENGTH, "reduced");
        final Path kept = Path.of("target", "threads", tests.getName() + ".txt");
        final Failures failures = new Failures(tests, kept);
        final AtomicBoolean over = new AtomicBoolean();
        startLoad(over);
        System.setProperty(STRENGTH, "reduced");
        int repetition = 0;
        try
        {
            final Launcher launcher = LauncherFactory.create();
            final LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(tests))
                .configurationParameters(Map.of("junit.jupiter.execution.timeout.default", "30 m"))
                .build();
            while (repetition < most && System.nanoTime() < end)
            {
                repetition++;
                System.setProperty(REPETITION, Integer.toString(repetition));
                launcher.execute(request, failures);
            }
        }
        finally
        {
            over.set(true);
            System.clearProperty(REPETITION);
            System.setProperty(STRENGTH, strength);
        }
        System.out.println(tests.getName() + ": " + repetition + " repetitions under load, " + failures.texts.size() +
            " failures");
        if (!failures.texts.isEmpty())
        {
            throw new AssertionError(failures.texts.size() + " failures in " + repetition + " repetitions of " +
                tests.getName() + " under load, kept in " + kept.toAbsolutePath() + ": " + failures.texts.get(0));
        }
    }

    /** A thread for each core, which takes it and leaves it at random moments. */
    private static void startLoad(final AtomicBoolean over)
    {
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++)
        {
            final SplittableRandom random = new SplittableRandom(i);
            final Thread thread = new Thread(() ->
            {
                while (!over.get())
                {
                    final long end = System.nanoTime() + 1_000L * random.nextInt(LONGEST_BURST_MICROS);
                    while (System.nanoTime() < end)
                    {
                        Thread.onSpinWait();
                    }
                    LockSupport.parkNanos(1_000L * random.nextInt(LONGEST_BURST_MICROS));
                }
            }, "load");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Prints and keeps what fails. */
    private static final class Failures implements TestExecutionListener
    {
        private final Class<?> tests;
        private final Path kept;
        private final List<String> texts = new ArrayList<>();

        private Failures(final Class<?> tests, final Path kept) throws IOException
        {
            this.tests = tests;
            this.kept = kept;
            Files.createDirectories(kept.getParent());
            Files.deleteIfExists(kept);
        }

        @Override
        public void executionFinished(final TestIdentifier test, final TestExecutionResult result)
        {
            if (result.getStatus() == TestExecutionResult.Status.FAILED)
            {
                final StringWriter text = new StringWriter();
                result.getThrowable().ifPresent(thrown -> thrown.printStackTrace(new PrintWriter(text, true)));
                keep(tests.getSimpleName() + "." + test.getLegacyReportingName() + ", " + test.getDisplayName() +
                    ", failed in repetition " + System.getProperty(REPETITION) + ": " + text);
            }
        }

        private void keep(final String text)
        {
            texts.add(text);
            System.out.println(text);
            try
            {
                Files.writeString(kept, text + System.lineSeparator(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            }
            catch (final IOException e)
            {
                throw new IllegalStateException("the failure cannot be kept in " + kept, e);
            }
        }
    }
}
