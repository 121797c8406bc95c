// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.batch.QueueOrder;
import io.signalbox.batch.TenantWeights;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.JournalRedaction;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.TokenKey;
import io.signalbox.journal.Verification;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.BatchSettings;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A journal without tokens tells a reader, who may also submit requests, the facts that its page lists and no others. */
@Timeout(300)
final class WithheldPrivacyTest
{
    private static final JournalConfig SMALL = new JournalConfig(Durability.PROCESS, 1 << 16, 1 << 18);
    private static final DpRouters ROUTERS = DpRouters.installed();
    private static final String TENANT = "acme-hospital";

    @TempDir
    private Path temporary;
    private TokenKey key;
    private int runs;

    @BeforeEach
    void makeKey() throws IOException
    {
        final Path file = Files.write(temporary.resolve("key"), new byte[32]);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        key = TokenKey.read("key", file);
    }

    /** The actions of clients and operators. */
    private interface Play
    {
        void act(SteppedEngine engine, ContentBackend backend);
    }

    private static SchedulerConfig.Builder config()
    {
        return SchedulerConfig.builder().ranks(2).blockSizeTokens(8).kvBlocks(40).stepTokens(24).maxRunning(3)
            .digestInterval(1_000_000);
    }

    /** The journal of a run that left its tokens out; it is equal to the journal that redaction makes of the same run. */
    private Path withheld(final SchedulerConfig config, final Play play)
    {
        final Path live = temporary.resolve("live" + ++runs);
        record(new DirectoryJournal(live, SMALL).withoutTokens(key, ROUTERS), config, play);
        final Path with = temporary.resolve("with" + runs);
        record(new DirectoryJournal(with, SMALL), config, play);
        final JournalRedaction.Result made =
            JournalRedaction.redact(with, temporary.resolve("made" + runs), ROUTERS, key, ReadProgress.NONE);
        final Verification verification = JournalVerifier.verify(live, Scheduler::new);
        assertTrue(verification.matches(), () -> String.valueOf(verification.difference()));
        assertEquals(made.digest(), verification.digest());
        return live;
    }

    private static void record(final DirectoryJournal journal, final SchedulerConfig config, final Play play)
    {
        final long[] nanos = new long[1];
        final ContentBackend backend = new ContentBackend(2, false);
        try (SteppedEngine engine = new SteppedEngine(new EngineConfig().scheduler(config).backend(backend)
            .clock(() -> nanos[0] += 1_000).runJournal(journal)))
        {
            play.act(engine, backend);
            while (backend.turn())
            {
                // Until every request has ended.
                continue;
            }
        }
    }

    private static int[] prompt(final int length, final int first)
    {
        final int[] tokens = new int[length];
        Arrays.setAll(tokens, i -> i == 0 ? first : i % ContentModel.VOCABULARY);
        return tokens;
    }

    private static CompletionRequest request(final int length, final int first)
    {
        return CompletionRequest.prompt(prompt(length, first)).maxNewTokens(9);
    }

    static Stream<String> routers()
    {
        return ROUTERS.all().stream().map(DpRouterProvider::label).filter(label -> !label.equals("explicit"));
    }

    /** Bursts that are placed together, some with equal first tokens, by routers that sort them and by others. */
    @ParameterizedTest
    @MethodSource("routers")
    void shouldVerifyBurstsOfEveryRouter(final String router)
    {
        withheld(config().router(router).ranks(3).build(), (engine, backend) ->
        {
            final Random random = new Random(router.length());
            for (int burst = 0; burst < 8; burst++)
            {
                for (int i = 0; i < 7; i++)
                {
                    engine.submit(CompletionRequest.prompt(prompt(1 + random.nextInt(60), random.nextInt(4)))
                        .maxNewTokens(1 + random.nextInt(6)).conversation(random.nextInt(5)).rankHint(random.nextInt(9)));
                }
                backend.turn();
            }
        });
    }

    /**
     * The attack: a victim's request runs, and a reader submits prompts until the journal shows that a prompt comes right
     * before it. The former replacements of first tokens revealed that; now the journals of two victims are equal.
     */
    @ParameterizedTest
    @MethodSource("routers")
    void shouldNotTellTheOrderOfFirstTokensAmongLiveRequests(final String router)
    {
        final SchedulerConfig config = config().router(router).build();
        final List<WithheldRecord> kept = new ArrayList<>();
        for (final int victim : new int[] {3, 90})
        {
            kept.add(WithheldRecord.of(withheld(config, (engine, backend) ->
            {
                engine.submit(CompletionRequest.prompt(prompt(21, victim)).maxNewTokens(40));
                backend.turn();
                for (int probe = 10; probe <= 80; probe += 10)
                {
                    engine.submit(CompletionRequest.prompt(prompt(21, probe)).maxNewTokens(1));
                    backend.turn();
                    backend.turn();
                }
            })));
        }
        assertTrue(kept.get(0).hashes().size() > 15);
        assertTrue(kept.get(0).equalsButForHashes(kept.get(1)));
    }

    /** Requests of one batch are still compared if the router sorts a batch by first tokens. */
    @ParameterizedTest
    @ValueSource(strings = {"kv-aware", "kv-aware-pr", "kv-aware-raw", "signalbox", "round-robin", "default"})
    void shouldTellTheOrderWithinOneBatchOnlyIfTheRouterSortsIt(final String router)
    {
        final SchedulerConfig config = config().router(router).ranks(1).kvBlocks(90).maxRunning(8).build();
        final List<List<Long>> orders = new ArrayList<>();
        for (final int victim : new int[] {3, 90})
        {
            orders.add(WithheldRecord.of(withheld(config, (engine, backend) ->
            {
                engine.submit(request(40, 1));
                engine.submit(request(21, victim));
                engine.submit(request(21, 50));
            })).placed());
        }
        assertEquals(3, orders.get(0).size());
        final boolean sorts = List.of("kv-aware", "kv-aware-pr").contains(router);
        assertEquals(sorts, !orders.get(0).equals(orders.get(1)), orders::toString);
    }

    /** A reader who may submit can confirm a guess: blocks of equal beginnings have equal hashes, so the guess is a hit. */
    @Test
    void shouldTellWhetherABlockOfAPromptWasGuessed()
    {
        final WithheldRecord right = WithheldRecord.of(withheld(config().build(), (engine, backend) ->
        {
            engine.submit(request(21, 3));
            backend.turn();
            engine.submit(request(21, 3));
        }));
        final WithheldRecord wrong = WithheldRecord.of(withheld(config().build(), (engine, backend) ->
        {
            engine.submit(request(21, 3));
            backend.turn();
            engine.submit(request(21, 4));
        }));
        assertFalse(right.equalsButForHashes(wrong));
        assertEquals(right.hashes().subList(0, 2), wrong.hashes().subList(0, 2));
    }

    /** Facts that differ between two runs but not in their journals, except for keyed hashes. */
    enum Gone
    {
        TOKENS_OF_THE_PROMPT(request -> request, victim -> CompletionRequest.prompt(prompt(21, 77)).maxNewTokens(9)),
        ID_OF_THE_STOP_TOKEN(request -> request.stopAt(1 << 20), request -> request.stopAt(1 << 21));

        private final UnaryOperator<CompletionRequest> one;
        private final UnaryOperator<CompletionRequest> other;

        Gone(final UnaryOperator<CompletionRequest> one, final UnaryOperator<CompletionRequest> other)
        {
            this.one = one;
            this.other = other;
        }
    }

    private WithheldRecord alone(final UnaryOperator<CompletionRequest> change)
    {
        final CompletionRequest request = change.apply(request(21, 3));
        return WithheldRecord.of(withheld(config().build(), (engine, backend) -> engine.submit(request)));
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotTell(final Gone fact)
    {
        assertTrue(alone(fact.one).equalsButForHashes(alone(fact.other)));
    }

    /** Facts of a request that a reader still learns. Each fact is a phrase of the page. */
    enum Left
    {
        LENGTHS("lengths", request -> request(20, 3)),
        MOST_NEW_TOKENS("the most new tokens", request -> request.maxNewTokens(5)),
        STOP_VERDICT("stop verdicts", request -> request.stopAt(
            ContentModel.generated(new Ask(prompt(21, 3), 9, 0, 0), 9)[4])),
        STOP_TOKEN("whether there is a stop token", request -> request.stopAt(1 << 20)),
        TEMPERATURE("sampling parameters and seeds", request -> request.temperature(0.5)),
        TOP_K("sampling parameters and seeds", request -> request.topK(3)),
        TOP_P("sampling parameters and seeds", request -> request.topP(0.5)),
        SEED("sampling parameters and seeds", request -> request.seed(5)),
        CACHE_KEY("which requests share a cache key", request -> request.cacheKey(new byte[] {1})),
        CONVERSATION("ids of conversations", request -> request.conversation(5)),
        RANK_HINT("rank hints", request -> request.rankHint(1)),
        PRIORITY("priorities", request -> request.priority(4)),
        DEADLINE("deadlines", request -> request.deadlineAt(1_000_000_000));

        private final String phrase;
        private final UnaryOperator<CompletionRequest> change;

        Left(final String phrase, final UnaryOperator<CompletionRequest> change)
        {
            this.phrase = phrase;
            this.change = change;
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldTellAndTheDocumentSaysSo(final Left fact) throws IOException
    {
        assertFalse(alone(UnaryOperator.identity()).equalsButForHashes(alone(fact.change)));
        final String page = Files.readString(Path.of(System.getProperty("signalbox.root"), "docs", "journal.md"))
            .replaceAll("\\s+", " ");
        final String left = page.substring(page.indexOf("**Its reader still learns**"), page.indexOf("# Format"));
        assertTrue(left.contains(fact.phrase), fact.phrase);
    }

    private static boolean holds(final Path directory, final String text) throws IOException
    {
        try (Stream<Path> files = Files.walk(directory))
        {
            for (final Path file : files.filter(Files::isRegularFile).toList())
            {
                if (new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(text))
                {
                    return true;
                }
            }
            return false;
        }
    }

    /** Cache keys, weights of tenants, notes, versions of weights, and texts of a backend about a fault. */
    @Test
    void shouldKeepNoNameOfATenantOrTextOfANote() throws IOException
    {
        final SchedulerConfig fair = config().set(BatchSettings.QUEUE_ORDER, QueueOrder.FAIR)
            .set(BatchSettings.TENANT_WEIGHTS, TenantWeights.parse(TENANT + "=3,other-" + TENANT + "=2")).build();
        final Path live = withheld(fair, (engine, backend) ->
        {
            for (int i = 0; i < 30; i++)
            {
                final String tenant = List.of(TENANT, "other-" + TENANT, "third-" + TENANT).get(i % 3);
                engine.submit(request(21 + i % 5, i % 4).cacheKey(tenant.getBytes(StandardCharsets.UTF_8)));
            }
            final InputWriter input = new InputWriter();
            input.control().timeNanos(1).requestId(-1).kind(ControlKind.NOTE).note("for " + TENANT);
            engine.offer(input.buffer(), 0, input.length(), null);
            input.backendFault().timeNanos(1).step(1).epoch(0).rank(0).faultClass(FaultClass.STEP_FAILED)
                .detail("a token of " + TENANT);
            engine.offer(input.buffer(), 0, input.length(), null);
        });
        assertTrue(holds(temporary.resolve("with" + runs), TENANT));
        assertFalse(holds(live, TENANT));
        assertFalse(holds(temporary.resolve("made" + runs), TENANT));
        try (JournalReader reader = JournalReader.open(live))
        {
            final String weights = reader.settings().get("scheduler.tenantWeights");
            assertTrue(weights.matches("name-[0-9a-f]{16}=[23],name-[0-9a-f]{16}=[23]"), weights);
            assertNotEquals(weights.substring(0, 21), weights.substring(24, 45));
        }
    }

    /** Equal names have equal pseudonyms, within a journal and between journals of one key. */
    @Test
    void shouldTellWhichRequestsShareACacheKeyAndNotItsLength()
    {
        final List<WithheldRecord> kept = new ArrayList<>();
        for (final String second : new String[] {"a", "b", "longer"})
        {
            kept.add(WithheldRecord.of(withheld(config().build(), (engine, backend) ->
            {
                engine.submit(request(5, 3).maxNewTokens(1).cacheKey("a".getBytes(StandardCharsets.UTF_8)));
                engine.submit(request(5, 3).maxNewTokens(1).cacheKey(second.getBytes(StandardCharsets.UTF_8)));
            })));
        }
        assertFalse(kept.get(0).equalsButForHashes(kept.get(1)));
        assertEquals(kept.get(1).groupBytes(),
            kept.get(2).groupBytes());
    }
}
