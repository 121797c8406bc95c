// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowPublisherVerification;
import org.testng.SkipException;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** The publisher of a request against the rules of Reactive Streams, as their own test kit states them. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReactiveStreamsTest
{
    private static final int MOST_TOKENS = 1000;
    /** Three of the rules are tested by waiting this long in vain. */
    private static final long WAIT_MILLIS = 5_000;
    private static final long SILENT_MILLIS = 50;

    private static SignalboxEngine engine;
    private static ExecutorService rules;

    @BeforeAll
    static void launch()
    {
        engine = SignalboxEngine.launch(new EngineConfig()
            .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(1025).build()).backend(new CountingBackend(0)));
        rules = Executors.newCachedThreadPool();
    }

    @AfterAll
    static void close()
    {
        rules.shutdownNow();
        engine.closeNow();
    }

    /** They run at once, so that three waits take the time of one. */
    @TestFactory
    Stream<DynamicTest> shouldObeyTheRules()
    {
        final Map<String, Future<Throwable>> outcomes = new TreeMap<>();
        Arrays.stream(FlowPublisherVerification.class.getMethods())
            .filter(method -> method.isAnnotationPresent(org.testng.annotations.Test.class))
            .filter(method -> !method.getName().startsWith("untested_"))
            .forEach(method -> outcomes.put(method.getName(), rules.submit(() -> failure(method))));
        return outcomes.entrySet().stream()
            .map(outcome -> DynamicTest.dynamicTest(outcome.getKey(), () -> check(outcome.getValue())));
    }

    private static void check(final Future<Throwable> outcome) throws Throwable
    {
        final Throwable failure = outcome.get();
        Assumptions.assumeFalse(failure instanceof SkipException, () -> failure.getMessage());
        if (failure != null)
        {
            throw failure;
        }
    }

    private static Throwable failure(final Method rule) throws Exception
    {
        final Tokens tokens = new Tokens();
        tokens.setUp();
        try
        {
            rule.invoke(tokens);
            return null;
        }
        catch (final InvocationTargetException e)
        {
            return e.getCause();
        }
    }

    /** Publishers of requests of any number of tokens. */
    private static final class Tokens extends FlowPublisherVerification<Integer>
    {
        Tokens()
        {
            super(new TestEnvironment(WAIT_MILLIS, SILENT_MILLIS));
        }

        @Override
        public long maxElementsFromPublisher()
        {
            return MOST_TOKENS;
        }

        @Override
        public Flow.Publisher<Integer> createFlowPublisher(final long elements)
        {
            return engine.submit(CompletionRequest.prompt(new int[10]).maxNewTokens((int)elements)).publisher();
        }

        /** Of a request that is too long, and therefore refused. */
        @Override
        public Flow.Publisher<Integer> createFailedFlowPublisher()
        {
            return engine.submit(CompletionRequest.prompt(new int[100_000])).publisher();
        }
    }
}
