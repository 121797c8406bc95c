// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.batch.TenantWeights;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Divides the requests of a workload among tenants, the turns of a conversation to one. Requests of two tenants share no
 * block.
 *
 * @param shares how many of the conversations, or of the requests without one, each tenant has.
 * @param seed   another seed divides them in another way.
 */
public record Tenants(TenantWeights shares, long seed)
{
    public static final Setting<TenantWeights> SHARES = Setting.form("tenants", "", TenantWeights.EQUAL,
        TenantWeights.FORMS, TenantWeights::parse, TenantWeights::print, "Tenants of the workload, and their shares of it.")
        .option("--tenants", "NAME=SHARE",
            "Divide the requests among these tenants by shares, such as a=8,b=1");
    public static final Setting<Long> SEED = Setting.number("tenantSeed", "", 1, Long.MIN_VALUE, Long.MAX_VALUE,
        "Another seed divides the workload among the tenants in another way.");
    public static final List<Setting<?>> SETTINGS = List.of(SHARES, SEED);
    /** Keeps the draws apart from those of a workload with the same seed. */
    private static final long STREAM = 0x2545F4914F6CDD1DL;

    /** The workload itself if there are no tenants. */
    public Workload applyTo(final Workload workload)
    {
        if (shares.byName().isEmpty())
        {
            return workload;
        }
        final List<String> names = new ArrayList<>();
        shares.byName().forEach((name, share) ->
        {
            for (int i = 0; i < share; i++)
            {
                names.add(name);
            }
        });
        final Map<String, String> settings = new TreeMap<>(workload.settings());
        settings.putAll(SettingValues.defaults("a divided workload", SETTINGS)
            .with(SHARES, shares).with(SEED, seed).print("workload."));
        return new Divided(workload, names, seed ^ STREAM, settings);
    }

    private record Divided(Workload workload, List<String> names, long stream, Map<String, String> settings)
        implements Workload
    {
        @Override
        public List<WorkloadRequest> requests()
        {
            return workload.requests();
        }

        @Override
        public PromptText text()
        {
            return workload.text();
        }

        @Override
        public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
        {
            return salted(request, workload.blockHashes(request, blockSizeTokens, target), target);
        }

        @Override
        public int answerNames(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
        {
            return salted(request, workload.answerNames(request, blockSizeTokens, target), target);
        }

        private int salted(final WorkloadRequest request, final int count, final long[] names)
        {
            final long salt = tenant(request).hashCode();
            for (int i = 0; i < count; i++)
            {
                names[i] = names[i] == 0 ? 0 : Math.max(1, SplitMix64.mix(salt, names[i]) >>> 1);
            }
            return count;
        }

        @Override
        public String tenant(final WorkloadRequest request)
        {
            final boolean hasConversation = request.conversationId() >= 0;
            final long drawn = SplitMix64.mix(hasConversation ? stream : ~stream,
                hasConversation ? request.conversationId() : request.requestId());
            return names.get((int)Long.remainderUnsigned(drawn, names.size()));
        }

        @Override
        public String placeOf(final WorkloadRequest request)
        {
            return workload.placeOf(request);
        }
    }
}
