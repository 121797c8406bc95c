// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.StateDigest;
import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.RequestContent;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntPredicate;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Reports what no sound backend reports, from several threads, and remembers which rows it computed for which token of
 * which request. Rows of false reports name experts of the upper half only, so that a stored one is found.
 */
final class HostileBackend implements Backend
{
    /** Token ids of the model are below it. */
    static final int VOCABULARY = 1_000;
    /** Sound reports sample tokens below it, so that many a token is a stop token. */
    static final int SAMPLED = 12;
    /** Ends an answer. */
    static final int END = 11;

    /** Reaction of the backend to a plan, beside or instead of a sound report. */
    enum Act
    {
        SOUND, SOUND_TWICE, SOUND_AT_ONCE, SOUND_WITH_MISSING_ROWS, FORWARD_AFTERWARDS, FORMER_STEP, OTHER_EPOCH,
        UNKNOWN_RANK, WRONG_RANK, WRONG_STEP, FORMER_RESULTS, FEWER_ENTRIES, MORE_ENTRIES, NEGATIVE_TOKEN, TOKEN_RANGE,
        MORE_ACCEPTED, NONE_ACCEPTED, WRONG_START, OTHER_START, LOGPROB_RANGE, NO_TOKENS, FEWER_ROWS, OTHER_ROW_WIDTH,
        NO_ROWS,
        IMPOSSIBLE_ROWS, STOP_TOO_EARLY, WRONG_CHECKSUM, THROWING_SLICE, FAULT, FAULT_AND_RESULT, NO_ANSWER, OUT_OF_ORDER,
        NEVER_GIVEN, LOST, RESULT_OF_ANOTHER_CLOCK, LAUNCH_OF_ANOTHER_CLOCK
    }

    /**
     * One entry of a plan, and what a sound report says of it.
     *
     * @param start    real position of the first token, which the host may not know.
     * @param other    another position where the plan lets it start with as many accepted tokens; equal if there is none.
     * @param count    planned tokens.
     * @param counted  tokens, the first ones, that are no rejected drafts.
     * @param accepted that it samples.
     * @param most     that it may accept.
     * @param stopping a stop token that it must not sample; -1: none.
     */
    record Entry(
        long requestId, int start, int other, int count, int counted, int[] accepted, int most, int stopping)
    {
        private static Entry of(final StepView plan, final int entry, final int start, final boolean reads)
        {
            final int count = plan.tokenCount(entry);
            final int sampled = start + count - plan.drafts(entry);
            final long requestId = plan.requestId(entry);
            final int most = !plan.samples(entry) ? 0 :
                Math.max(0, Math.min(plan.drafts(entry) + 1, plan.end(entry) - sampled + 1));
            // The drafts that are right are a function of request and position.
            final int[] accepted = new int[Math.min(most,
                1 + (int)Math.floorMod(StateDigest.mix(requestId, sampled, RIGHT_DRAFTS), DRAFT_TOKENS + 1L))];
            final int counted = plan.samples(entry) ? sampled - start - 1 + accepted.length : count;
            final boolean fitsAfter =
                start < plan.start(entry) + plan.slack(entry) && sampled + accepted.length <= plan.end(entry);
            final int other = accepted.length == 0 ? start : fitsAfter ? start + 1 : Math.max(start - 1, plan.start(entry));
            if (!reads)
            {
                Arrays.setAll(accepted, i -> token(requestId, sampled + i));
                return new Entry(requestId, start, other, count, counted, accepted, most, -1);
            }
            final RequestContent request = plan.request(entry);
            Arrays.setAll(accepted, i -> allowed(
                token(requestId, sampled + i), candidate -> request.isLeftOut(sampled + i, candidate)));
            final boolean mustNotStop = request.stopTokenCount() > 0 && !request.mayStopAt(sampled);
            return new Entry(requestId, start, other, count, counted, accepted, most,
                mustNotStop ? request.stopToken(0) : -1);
        }

        private boolean stops()
        {
            return stopping >= 0 && accepted.length > 0;
        }

        private Entry stoppingTooEarly()
        {
            if (!stops())
            {
                return this;
            }
            final int[] early = accepted.clone();
            early[0] = stopping;
            return new Entry(requestId, start, other, count, counted, early, most, stopping);
        }

        /** Position of the first token that it samples. */
        private int sampledPosition()
        {
            return start + counted + 1 - accepted.length;
        }

        /** Where an entry starts that continues it. */
        private int nextStart()
        {
            return start + counted;
        }
    }

    /** The token that a sound report samples at a position if it is not left out. */
    static int token(final long requestId, final int position)
    {
        return (int)Math.floorMod(StateDigest.mix(requestId, position), (long)SAMPLED);
    }

    /** The token, or the next one that is not left out. */
    static int allowed(final int token, final IntPredicate leftOut)
    {
        int next = token;
        while (leftOut.test(next))
        {
            next = (next + 1) % SAMPLED;
        }
        return next;
    }

    /** One plan. */
    record Plan(PlannedStep results, List<Entry> entries)
    {
        /** What a sound report samples; other tokens are in reports that the engine must refuse. */
        StepTokens sampled()
        {
            final StepTokens sampled = new StepTokens().begin(epoch(), rank(), step());
            for (final Entry entry : entries)
            {
                sampled.entry(entry.start);
                Arrays.stream(entry.accepted).forEach(sampled::accept);
            }
            return sampled;
        }

        /** As sampled from another position, if the plan allows one. */
        StepTokens elsewhere()
        {
            return new Plan(results, entries.stream().map(entry -> new Entry(entry.requestId, entry.other, entry.other,
                entry.count, entry.counted, entry.accepted, entry.most, entry.stopping)).toList()).sampled();
        }

        boolean mayStartElsewhere()
        {
            return entries.stream().anyMatch(entry -> entry.other != entry.start);
        }

        int epoch()
        {
            return results.epoch();
        }

        int rank()
        {
            return results.rank();
        }

        long step()
        {
            return results.step();
        }

        int tokens()
        {
            return results.tokens();
        }
    }

    /** Draft tokens per entry that it verifies. */
    static final int DRAFT_TOKENS = 3;

    private static final int RIGHT_DRAFTS = 5;
    private static final int MAX_DELAY_MICROS = 2_000;
    private static final int LAST_STEP_MILLIS = 100;
    private static final long CLOCK_DIFFERENCE_NANOS = 3_600_000_000_000L;
    /** The step of rank 0 in which a backend misbehaves that does so once. */
    private static final int STEP_OF_THE_ONLY_ACT = 3;

    private final Map<List<Long>, List<byte[]>> computed = new ConcurrentHashMap<>();
    /** Request and position of stop tokens that were to be left out. */
    private final Set<List<Long>> stoppedTooEarly = ConcurrentHashMap.newKeySet();
    private final long seed;
    private final Act only;
    private final boolean once;
    /** Whether it reads what requests contain, and leaves out stop tokens. */
    private final boolean reads;
    private final AtomicBoolean hasActed = new AtomicBoolean();
    /** The plan whose report waits for that of the next step. */
    private final AtomicReference<Plan> held = new AtomicReference<>();
    /** The sentences of the engine's exceptions. */
    final List<String> refusals = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(3, work ->
    {
        final Thread thread = new Thread(work, "hostile-backend");
        thread.setDaemon(true);
        return thread;
    });
    /** By rank and step, the starts of the entries that continue those of the step. */
    private final List<Map<Long, int[]>> nextStarts = new ArrayList<>();
    private ModelShape shape;
    private CompletionSink sink;
    /** The end of the reports of each rank up to now. */
    private CompletableFuture<?>[] reports;
    /** By rank: it ends when the rank receives its next step. */
    private CompletableFuture<?>[] planned;

    /** @param only the one act beside sound reports, or null for all acts. */
    HostileBackend(final long seed, final Act only)
    {
        this(seed, only, false);
    }

    private HostileBackend(final long seed, final Act only, final boolean once)
    {
        this.seed = seed;
        this.only = only;
        this.once = once;
        reads = !once && seed % 2 == 0;
    }

    /** A backend that reports every launch, acts in one step of rank 0, and is sound in every other step. */
    static HostileBackend once(final Act act)
    {
        return new HostileBackend(1, act, true);
    }

    boolean hasActed()
    {
        return hasActed.get();
    }

    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named("hostile").capturesExperts(true).readsTokens(reads).masksStopTokens(reads)
            .swapsWeights(true).endTokens(once ? new int[0] : new int[] {END}).depth(SchedulerConfig.MAX_DEPTH)
            .draftTokens(DRAFT_TOKENS).build();
    }

    @Override
    public void newWeights(final int generation, final String version)
    {
        // Rows and tokens are the same with all weights.
    }

    @Override
    public void start(final int ranks, final ModelShape captureShape, final CompletionSink completions)
    {
        shape = captureShape;
        sink = completions;
        for (int rank = 0; rank < ranks; rank++)
        {
            nextStarts.add(new HashMap<>());
        }
        reports = new CompletableFuture<?>[ranks];
        Arrays.setAll(reports, rank -> CompletableFuture.completedFuture(null));
        planned = new CompletableFuture<?>[ranks];
        Arrays.setAll(planned, rank -> new CompletableFuture<>());
    }

    /** Launches are reported when they come; answers of a rank follow one another. */
    @Override
    public void submit(final StepView schedule)
    {
        final Plan plan = read(schedule);
        final SplittableRandom random = new SplittableRandom(
            StateDigest.mix(seed, plan.step(), plan.rank() * 31L + plan.epoch()));
        final Act act = act(plan, random);
        if (random.nextInt(4) > 0 || once)
        {
            later(random, () -> sink.forward(CompletionSink.NOW, plan.epoch(), plan.rank(), plan.step(), 1));
        }
        final Runnable report = named(() -> report(plan, act, random));
        planned[plan.rank()].complete(null);
        planned[plan.rank()] = new CompletableFuture<>();
        final CompletableFuture<?> turn = CompletableFuture.allOf(reports[plan.rank()], onceNextIsPlanned(plan));
        reports[plan.rank()] = turn.thenRunAsync(report,
            CompletableFuture.delayedExecutor(random.nextInt(MAX_DELAY_MICROS), TimeUnit.MICROSECONDS, threads));
    }

    /** Only a step that is planned before the results of its predecessor are known may start elsewhere. */
    private CompletableFuture<?> onceNextIsPlanned(final Plan plan)
    {
        return once && only == Act.OTHER_START && !hasActed() ?
            planned[plan.rank()].copy().completeOnTimeout(null, LAST_STEP_MILLIS, TimeUnit.MILLISECONDS) :
            CompletableFuture.completedFuture(null);
    }

    /** The plan with the real starts of its entries. */
    private Plan read(final StepView schedule)
    {
        final Map<Long, int[]> former = nextStarts.get(schedule.rank());
        final List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < schedule.entryCount(); i++)
        {
            final int back = schedule.predecessorBack(i);
            final int start = back == 0 ? schedule.start(i) :
                former.get(schedule.step() - back)[schedule.predecessorEntry(i)];
            assertTrue(start >= schedule.start(i) && start <= schedule.start(i) + schedule.slack(i), schedule::toString);
            entries.add(Entry.of(schedule, i, start, reads));
        }
        former.put(schedule.step(), entries.stream().mapToInt(Entry::nextStart).toArray());
        former.remove(schedule.step() - SchedulerConfig.MAX_DEPTH);
        return new Plan(PlannedStep.of(schedule).startingAt(entries.stream().mapToInt(Entry::start).toArray()), entries);
    }

    private Act act(final Plan plan, final SplittableRandom random)
    {
        if (once)
        {
            return plan.rank() == 0 && plan.step() >= STEP_OF_THE_ONLY_ACT && !plan.entries.isEmpty() &&
                (only != Act.OTHER_START || plan.mayStartElsewhere()) &&
                hasActed.compareAndSet(false, true) ? only : Act.SOUND;
        }
        return random.nextInt(3) == 0 ? Act.SOUND : only != null ? only :
            Act.values()[random.nextInt(Act.values().length)];
    }

    private void later(final SplittableRandom random, final Runnable report)
    {
        threads.schedule(named(report), random.nextInt(MAX_DELAY_MICROS), TimeUnit.MICROSECONDS);
    }

    private Runnable named(final Runnable report)
    {
        return () ->
        {
            try
            {
                report.run();
            }
            catch (final IllegalStateException | IllegalArgumentException e)
            {
                // The engine closes, or refuses the report by name.
                assertNamed(e);
                refusals.add(e.getMessage());
            }
        };
    }

    private static void assertNamed(final RuntimeException refusal)
    {
        if (refusal.getMessage() == null)
        {
            throw new AssertionError("a refusal without a sentence", refusal);
        }
    }

    /** The acts with a sound report, and those that name another step. */
    private void report(final Plan plan, final Act act, final SplittableRandom random)
    {
        final StepTokens tokens = plan.sampled();
        switch (act)
        {
            case SOUND -> soundAndHeld(plan);
            case OUT_OF_ORDER -> held.set(plan);
            case SOUND_TWICE ->
            {
                sound(plan, 0);
                complete(plan, tokens, falseRows(plan));
            }
            case SOUND_AT_ONCE -> soundAtOnce(plan);
            case SOUND_WITH_MISSING_ROWS -> complete(plan, tokens, soundRows(plan, 0, 3));
            case FORWARD_AFTERWARDS ->
            {
                sound(plan, 0);
                sink.forward(CompletionSink.NOW, plan.epoch(), plan.rank(), plan.step(), 1);
            }
            case FORMER_STEP ->
            {
                report(plan.epoch(), plan.rank(), plan.step() - 1,
                    plan.results.sampledAs(plan.epoch(), plan.rank(), plan.step() - 1), falseRows(plan));
                sound(plan, 0);
            }
            case STOP_TOO_EARLY ->
            {
                final List<Entry> entries = plan.entries.stream().map(Entry::stoppingTooEarly).toList();
                entries.stream().filter(Entry::stops).forEach(
                    entry -> stoppedTooEarly.add(List.of(entry.requestId, (long)entry.sampledPosition())));
                sound(new Plan(plan.results, entries), 0);
            }
            case OTHER_EPOCH ->
            {
                report(plan.epoch() - 1, plan.rank(), plan.step(),
                    plan.results.sampledAs(plan.epoch() - 1, plan.rank(), plan.step()), falseRows(plan));
                sound(plan, 0);
            }
            case UNKNOWN_RANK ->
            {
                named(() -> report(plan.epoch(), 77, plan.step(), tokens, falseRows(plan))).run();
                sound(plan, 0);
            }
            case WRONG_RANK -> report(plan.epoch(), (plan.rank() + 1) % reports.length, plan.step(),
                reports.length == 1 ? plan.results.sampledAs(0, 1, plan.step()) : tokens, falseRows(plan));
            case WRONG_STEP -> report(plan.epoch(), plan.rank(), plan.step() + 1, tokens, falseRows(plan));
            default -> reportFalsely(plan, act, random);
        }
    }

    /** Two threads report the step; the rank's next step is reported after both. */
    private void soundAtOnce(final Plan plan)
    {
        final Thread twin = new Thread(named(() -> sound(plan, 2)), "hostile-twin");
        twin.setDaemon(true);
        twin.start();
        sound(plan, 1);
        try
        {
            twin.join();
        }
        catch (final InterruptedException e)
        {
            // The backend is closed.
            Thread.currentThread().interrupt();
        }
    }

    /** Also reports the former step of the rank, if its report waits for this one. */
    private void soundAndHeld(final Plan plan)
    {
        sound(plan, 0);
        final Plan former = held.get();
        if (former != null && former.rank() == plan.rank() && held.compareAndSet(former, null))
        {
            sound(former, 0);
        }
    }

    /** The acts without a sound report. */
    private void reportFalsely(final Plan plan, final Act act, final SplittableRandom random)
    {
        final PlannedStep results = plan.results;
        final int rowBytes = shape.rowBytes();
        switch (act)
        {
            case FORMER_RESULTS -> complete(
                plan, results.sampledAs(plan.epoch(), plan.rank(), plan.step() - 1), falseRows(plan));
            case FEWER_ENTRIES -> complete(plan, results.ofEntries(results.entries() - 1), falseRows(plan));
            case MORE_ENTRIES -> complete(plan, results.ofEntries(results.entries() + 1), falseRows(plan));
            case NEGATIVE_TOKEN -> complete(plan, answer(results, 0, 1, -7), falseRows(plan));
            case TOKEN_RANGE -> complete(plan, answer(results, 0, 1, VOCABULARY), falseRows(plan));
            case MORE_ACCEPTED -> complete(plan, moreThanMost(plan), falseRows(plan));
            case NONE_ACCEPTED -> complete(plan, answer(results, 0, 0, 0),
                plan.sampled().tokenCount() == 0 ? soundRows(plan, 0, Integer.MAX_VALUE) : falseRows(plan));
            case WRONG_START -> complete(plan, answer(results, 1, 1, 0), falseRows(plan));
            case OTHER_START -> complete(plan, plan.elsewhere(),
                plan.mayStartElsewhere() ? falseRows(plan) : soundRows(plan, 0, Integer.MAX_VALUE));
            case LOGPROB_RANGE -> complete(plan, answer(results, 0, 1, 0).accept(0, 2f), falseRows(plan));
            case NO_TOKENS -> complete(plan, null, falseRows(plan));
            case FEWER_ROWS -> complete(plan, plan.sampled(), falseRows(plan.tokens() - 1, rowBytes));
            case OTHER_ROW_WIDTH -> complete(plan, plan.sampled(), falseRows(plan.tokens(), 2 * rowBytes));
            case NO_ROWS -> complete(plan, plan.sampled(), null);
            case IMPOSSIBLE_ROWS -> complete(plan, plan.sampled(), impossibleRows(plan));
            case WRONG_CHECKSUM -> complete(plan, plan.sampled(), new HostileSlices.Miscounted(falseRows(plan)));
            case THROWING_SLICE -> complete(
                plan, plan.sampled(), new HostileSlices.Throwing(falseRows(plan), once ? 1 : 1 + random.nextInt(12)));
            case FAULT -> fault(plan);
            case FAULT_AND_RESULT ->
            {
                fault(plan);
                complete(plan, plan.sampled(), falseRows(plan));
            }
            case NO_ANSWER ->
            {
            }
            case NEVER_GIVEN -> report(plan.epoch(), plan.rank(), plan.step() + 99,
                results.sampledAs(plan.epoch(), plan.rank(), plan.step() + 99), falseRows(plan));
            case LOST -> sink.fault(
                CompletionSink.NOW, plan.epoch(), plan.rank(), plan.step(), StepFault.RANK_LOST, "planted loss");
            case RESULT_OF_ANOTHER_CLOCK -> sink.d2hComplete(System.nanoTime() - CLOCK_DIFFERENCE_NANOS, plan.epoch(),
                plan.rank(), plan.step(), plan.sampled(), falseRows(plan));
            case LAUNCH_OF_ANOTHER_CLOCK ->
            {
                sink.forward(System.nanoTime() + CLOCK_DIFFERENCE_NANOS, plan.epoch(), plan.rank(), plan.step(), 1);
                complete(plan, plan.sampled(), falseRows(plan));
            }
            default -> throw new AssertionError(act);
        }
    }

    /** Every entry begins that far behind its start and accepts so many tokens, whether it samples or not. */
    private static StepTokens answer(final PlannedStep plan, final int behind, final int accepted, final int token)
    {
        final StepTokens results = new StepTokens().begin(plan.epoch(), plan.rank(), plan.step());
        for (final int start : plan.starts())
        {
            results.entry(start + behind);
            for (int i = 0; i < accepted; i++)
            {
                results.accept(token);
            }
        }
        return results;
    }

    /** Every entry accepts one token more than it may. */
    private static StepTokens moreThanMost(final Plan plan)
    {
        final StepTokens results = new StepTokens().begin(plan.epoch(), plan.rank(), plan.step());
        for (final Entry entry : plan.entries)
        {
            results.entry(entry.start);
            for (int i = 0; i <= entry.most; i++)
            {
                results.accept(0);
            }
        }
        return results;
    }

    private void fault(final Plan plan)
    {
        sink.fault(CompletionSink.NOW, plan.epoch(), plan.rank(), plan.step(), StepFault.STEP_FAILED, null);
    }

    private void sound(final Plan plan, final int variant)
    {
        complete(plan, plan.sampled(), soundRows(plan, variant, Integer.MAX_VALUE));
    }

    private void complete(final Plan plan, final StepTokens tokens, final CaptureSlice rows)
    {
        report(plan.epoch(), plan.rank(), plan.step(), tokens, rows);
    }

    private void report(
        final int epoch, final int rank, final long step, final StepTokens tokens, final CaptureSlice rows)
    {
        sink.d2hComplete(CompletionSink.NOW, epoch, rank, step, tokens, rows);
    }

    private HeapSlice falseRows(final Plan plan)
    {
        return falseRows(plan.tokens(), shape.rowBytes());
    }

    /**
     * Rows of the lower half, a function of step, token and variant; every {@code missingEvery}-th is marked as missing.
     * Those of rejected drafts are false.
     */
    private HeapSlice soundRows(final Plan plan, final int variant, final int missingEvery)
    {
        final byte[] rows = ((UnsafeBuffer)falseRows(plan).buffer()).byteArray();
        int token = 0;
        for (final Entry entry : plan.entries)
        {
            final int rejected = token + entry.counted;
            final int next = token + entry.count;
            for (int i = 0; token < rejected; i++, token++)
            {
                final byte[] row = new byte[shape.rowBytes()];
                if (token % missingEvery == missingEvery - 1)
                {
                    Arrays.fill(row, (byte)-1);
                }
                else
                {
                    fillRow(row, StateDigest.mix(plan.step(), plan.rank() * 7L + variant, token), 0);
                }
                remember(entry.requestId, entry.start + i, row);
                System.arraycopy(row, 0, rows, token * row.length, row.length);
            }
            token = next;
        }
        return new HeapSlice(new UnsafeBuffer(rows), plan.tokens(), shape.rowBytes());
    }

    private void fillRow(final byte[] row, final long content, final int lowest)
    {
        final int half = shape.experts() / 2;
        for (int i = 0; i < row.length; i++)
        {
            row[i] = (byte)(lowest + Math.floorMod((content >> (i / shape.topK()) % 48) + i % shape.topK(), half));
        }
    }

    private HeapSlice falseRows(final int count, final int rowBytes)
    {
        final byte[] rows = new byte[Math.max(0, count) * rowBytes];
        fillRow(rows, seed & 0xFFFF, shape.experts() / 2);
        return new HeapSlice(new UnsafeBuffer(rows), Math.max(0, count), rowBytes);
    }

    /** Rows that name their first expert twice; the engine must count them as missing. */
    private HeapSlice impossibleRows(final Plan plan)
    {
        final HeapSlice slice = falseRows(plan.tokens(), shape.rowBytes());
        final byte[] rows = ((UnsafeBuffer)slice.buffer()).byteArray();
        for (int token = 0; token < plan.tokens(); token++)
        {
            rows[token * shape.rowBytes() + 1] = rows[token * shape.rowBytes()];
        }
        final byte[] missing = new byte[shape.rowBytes()];
        Arrays.fill(missing, (byte)-1);
        for (final Entry entry : plan.entries)
        {
            for (int i = 0; i < entry.counted; i++)
            {
                remember(entry.requestId, entry.start + i, missing);
            }
        }
        return slice;
    }

    /** Whether it ever sampled a stop token at a position where it was to leave it out. */
    boolean hasStoppedTooEarly(final long requestId, final int position)
    {
        return stoppedTooEarly.contains(List.of(requestId, (long)position));
    }

    void remember(final long requestId, final int position, final byte[] row)
    {
        computed.compute(List.of(requestId, (long)position), (at, rows) ->
        {
            final List<byte[]> all = rows == null ? new ArrayList<>() : new ArrayList<>(rows);
            all.add(row);
            return all;
        });
    }

    /** Whether a row, all ones if missing, was ever reported in good faith for this token of the request. */
    boolean computed(final long requestId, final int position, final byte[] row)
    {
        return computed.getOrDefault(List.of(requestId, (long)position), List.of()).stream()
            .anyMatch(each -> Arrays.equals(each, row));
    }

    @Override
    public void abort(final int rank, final long step)
    {
    }

    @Override
    public void close()
    {
        threads.shutdownNow();
    }
}
