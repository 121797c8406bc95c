// SPDX-License-Identifier: Apache-2.0
package com.example.backend;

import io.signalbox.backend.Backend;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.model.ModelWeights;
import io.signalbox.serving.BackendProvider;

import java.util.function.LongSupplier;

/** Makes the backend known under its label, with its knob. */
public final class BigramBackendProvider extends BackendProvider
{
    private static final Setting<Integer> WINDOW = Setting.integer("window", "tokens", 2, 1, 64,
        "Tokens before the next one from which it is guessed.");

    public BigramBackendProvider()
    {
        super("bigram", "guesses a token from the embeddings of the last ones, without any layer", WINDOW);
    }

    @Override
    public Backend create(final ModelWeights weights, final SettingValues values, final LongSupplier clock)
    {
        return new BigramBackend(new BigramModel(weights, values.get(WINDOW)), clock);
    }
}
