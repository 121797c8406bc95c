// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A workload that was recorded in a file. Its run description has the file's name, the number of its requests, and a hash
 * over all that a run depends on, so that another content of the same name is another run. Ids count from 1.
 */
abstract class FileWorkload implements Workload
{
    private final String kind;
    private final Path file;
    private final List<WorkloadRequest> requests;

    /** @param kind its name in the run description. */
    FileWorkload(final String kind, final Path file, final List<WorkloadRequest> requests)
    {
        this.kind = kind;
        this.file = file;
        this.requests = List.copyOf(requests);
    }

    @Override
    public final List<WorkloadRequest> requests()
    {
        return requests;
    }

    final Path file()
    {
        return file;
    }

    /** The place of a request in a list by id. */
    static int index(final WorkloadRequest request)
    {
        return (int)request.requestId() - 1;
    }

    @Override
    public String placeOf(final WorkloadRequest request)
    {
        return "line " + request.requestId() + " of " + file;
    }

    @Override
    public Map<String, String> settings()
    {
        final Map<String, String> settings = new TreeMap<>();
        settings.put("workload.kind", kind);
        settings.put("workload.file", file.getFileName().toString());
        settings.put("workload.requests", Integer.toString(requests.size()));
        settings.put("workload.contentHash", Long.toHexString(contentHash()));
        return settings;
    }

    private long contentHash()
    {
        long hash = requests.size();
        for (final WorkloadRequest request : requests)
        {
            hash = mixed(hash, request);
        }
        return hash;
    }

    /** The hash with all of a request on which a run depends. */
    abstract long mixed(long hash, WorkloadRequest request);
}
