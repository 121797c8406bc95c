// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

/** The requests of one tenant so far. */
final class TenantRecord
{
    private final String name;
    private final LatencyRecorder ttft = new LatencyRecorder();
    private long submitted;
    private long completed;
    private long servedTokens;

    TenantRecord(final String name)
    {
        this.name = name;
    }

    void submitted()
    {
        submitted++;
    }

    void firstToken(final long nanos)
    {
        ttft.record(nanos);
    }

    void completed(final RequestRecord request)
    {
        completed++;
        servedTokens += request.promptTokens + request.tokens;
    }

    RunReport.Tenant tenant()
    {
        return new RunReport.Tenant(name, submitted, completed, servedTokens, ttft.summary());
    }
}
