// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowPublisherVerification;
import org.testng.SkipException;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.Flow;
import java.util.stream.Stream;

/** The publisher of a request against the rules of Reactive Streams, as their own test kit states them. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReactiveStreamsTest
{
    private static final int MOST_TOKENS = 1000;
    /** Three of the rules are tested by waiting this long in vain. */
    private static final long WAIT_MILLIS = 5_000;
    private static final long SILENT_MILLIS = 50;

    private static SignalboxEngine engine;

    @BeforeAll
    static void launch()
    {
        engine = SignalboxEngine.launch(new EngineConfig()
            .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(1025).build()).backend(new CountingBackend(0)));
    }

    @AfterAll
    static void close()
    {
        engine.closeNow();
    }

    @TestFactory
    Stream<DynamicTest> shouldObeyTheRules()
    {
        return Arrays.stream(FlowPublisherVerification.class.getMethods())
            .filter(method -> method.isAnnotationPresent(org.testng.annotations.Test.class))
            .filter(method -> !method.getName().startsWith("untested_"))
            .sorted(Comparator.comparing(Method::getName))
            .map(method -> DynamicTest.dynamicTest(method.getName(), () -> run(method)));
    }

    private static void run(final Method rule) throws Throwable
    {
        final Tokens tokens = new Tokens();
        tokens.setUp();
        try
        {
            rule.invoke(tokens);
        }
        catch (final InvocationTargetException e)
        {
            Assumptions.assumeFalse(e.getCause() instanceof SkipException, e.getCause()::getMessage);
            throw e.getCause();
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
