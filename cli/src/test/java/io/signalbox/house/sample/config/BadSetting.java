// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.config;

import io.signalbox.router.DpRouter;

/** A setting that makes what it describes. */
final class BadSetting
{
    Object value(final DpRouter router)
    {
        return router.getClass();
    }
}
