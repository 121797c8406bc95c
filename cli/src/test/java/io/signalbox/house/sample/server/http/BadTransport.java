// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.server.http;

import io.signalbox.server.ServerConfig;

/** A transport that asks for the model. */
final class BadTransport
{
    private final ServerConfig config;

    BadTransport(final ServerConfig config)
    {
        this.config = config;
    }

    String model()
    {
        return config.modelName();
    }
}
