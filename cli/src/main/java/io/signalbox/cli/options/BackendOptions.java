// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import picocli.CommandLine.Option;

import java.util.List;

/** The backend that computes a model, with its knobs. */
class BackendOptions
{
    @Option(names = "--backend", paramLabel = "LABEL",
        description = "Compute with this backend: cpu, cuda, or one of --plugins (default: cpu, or that of the recorded " +
            "run; a server: sim).")
    private String label;

    @Option(names = "--backend-options", paramLabel = "NAME=VALUE", split = ",",
        description = "Set knobs of the backend, such as threads=2,precision=BF16 of the cpu backend (default: those of " +
            "the backend, or of the recorded run).")
    @InputPath(PathInValue.AfterEquals.class)
    private List<String> knobs = List.of();

    /** {@code null} if none is given. */
    final String label()
    {
        return label;
    }

    final List<String> knobs()
    {
        return knobs;
    }

    final boolean isAny()
    {
        return label != null || !knobs.isEmpty();
    }
}
