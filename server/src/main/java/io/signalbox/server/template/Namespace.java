// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import java.util.Map;

/** Variables that a template can set from inside a loop. */
record Namespace(Map<String, Object> values)
{
}
