// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.batch.TenantWeights;
import io.signalbox.config.Setting;
import io.signalbox.engine.GroupJournal;
import io.signalbox.event.GroupWriter;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.kv.hash.BlockHasher;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Journals a run without its tokens. A second scheduler decides every input again without them, so the journal verifies in
 * itself; its decisions must be those of the run. {@link WithheldInputs} says which parts of an input are left. The second
 * scheduler takes as much memory and time as the first one.
 */
public final class WithheldJournal implements GroupJournal
{
    /** Whether a run is journaled without its tokens. */
    public static final Setting<Boolean> WITHHELD = Setting.choice("journalTokens", false, List.of(false, true),
        isWithheld -> isWithheld ? "HASHES" : "IDS",
        "Tokens in the journal: IDS, or only keyed HASHES of their blocks.")
        .option("--journal-tokens", "FORM", "Journal tokens as ids, or only keyed hashes of their blocks as hashes");
    public static final List<Setting<?>> SETTINGS = List.of(WITHHELD);

    /** Setting of a run description whose journal has no tokens; its value is {@link #HASHES}. */
    static final String TOKENS = "journal.tokens";
    static final String HASHES = "hashes";
    /** Setting that names the key. */
    static final String KEY = "journal.tokenKey";
    /** Setting of a run description whose journal orders a batch by its placements; its value is {@link #PLACEMENTS}. */
    static final String ORDER = "journal.order";
    private static final String PLACEMENTS = "placements";
    /** Settings that name tenants. */
    private static final List<String> TENANTS = List.of("scheduler.tenantWeights", "workload.tenants");

    private final JournalWriter writer;
    private final Map<String, String> settings;
    private final Scheduler scheduler;
    private final WithheldInputs inputs;
    private final SameDecisions same = new SameDecisions();
    private final PlacedOrder placed = new PlacedOrder();
    private final GroupWriter group = new GroupWriter(64 * 1024);

    /**
     * @param writer   of a journal that begins with {@link #describe}.
     * @param settings the description of the run, with a scheduler among them.
     * @param routers  those that it may name.
     */
    public WithheldJournal(
        final JournalWriter writer, final Map<String, String> settings, final DpRouters routers, final TokenKey key)
    {
        this.writer = writer;
        this.settings = Map.copyOf(settings);
        final SchedulerConfig config = SchedulerConfig.of(describe(settings, key), routers);
        scheduler = new Scheduler(config);
        scheduler.orderPlacementsBy(placed);
        final BlockHasher hasher = BlockHasher.of(config.blockHash(), config.blockSizeTokens());
        inputs = new WithheldInputs(new LiveTokens(hasher, config.blockSizeTokens(), config.prefixCaching()), key);
    }

    /** The description of the journal of a run without its tokens. */
    public static Map<String, String> describe(final Map<String, String> settings, final TokenKey key)
    {
        final Map<String, String> described = new TreeMap<>(settings);
        described.put(TOKENS, HASHES);
        described.put(ORDER, PLACEMENTS);
        described.put(KEY, key.id());
        TENANTS.forEach(name -> described.computeIfPresent(name, (setting, weights) -> withPseudonyms(weights, key)));
        return described;
    }

    private static String withPseudonyms(final String weights, final TokenKey key)
    {
        final TreeMap<String, Integer> byName = new TreeMap<>();
        TenantWeights.parse(weights).byName().forEach((name, weight) ->
            byName.put(key.pseudonym(name.getBytes(StandardCharsets.UTF_8)), weight));
        return new TenantWeights(byName).print();
    }

    /** Whether the journal of a run with this description has neither the first tokens of prompts nor a replacement. */
    static boolean isInOrderOfPlacements(final Map<String, String> settings)
    {
        return PLACEMENTS.equals(settings.get(ORDER));
    }

    /** Whether the journal of a run with this description has no tokens. */
    static boolean isWithheld(final Map<String, String> settings)
    {
        return HASHES.equals(settings.get(TOKENS));
    }

    /** Whether equal KV blocks have equal hashes in the journals of runs with these descriptions. */
    static boolean haveSameHashes(final Map<String, String> left, final Map<String, String> right)
    {
        return isWithheld(left) == isWithheld(right) &&
            String.valueOf(left.get(KEY)).equals(String.valueOf(right.get(KEY)));
    }

    @Override
    public Map<String, String> runDescription()
    {
        return settings;
    }

    /** @throws JournalException NOT_CONFIRMED if the run decides otherwise without its tokens; nothing is written. */
    @Override
    public void append(
        final long timeNanos, final DirectBuffer recorded, final int offset, final int length, final CaptureSlice rows)
    {
        group.reset();
        placed.read(recorded, offset, length);
        final int inputLength = inputs.encode(recorded, offset, length);
        scheduler.readRecorded(recorded, offset, length);
        scheduler.apply(inputs.buffer(), 0, inputLength, rows == null ? null : rows.buffer(),
            rows == null ? 0 : rows.offset(), group);
        final String difference = same.difference(recorded, offset, length, group.buffer(), group.length());
        if (difference != null)
        {
            throw new JournalException(Kind.NOT_CONFIRMED, "group " + (writer.groups() + 1) + " of the run decides " +
                "otherwise without its tokens (" + difference + "), so its router or its settings depend on their values; " +
                "keep the tokens in this run's journal.");
        }
        writer.append(timeNanos, group.buffer(), 0, group.length(), rows);
    }

    @Override
    public void endOfBatch()
    {
        writer.endOfBatch();
    }

    @Override
    public String refusesRequests()
    {
        return writer.refusesRequests();
    }

    @Override
    public void cutShort()
    {
        writer.cutShort();
    }

    @Override
    public void close()
    {
        writer.close();
    }

    @Override
    public String toString()
    {
        return writer + ", without tokens";
    }
}
