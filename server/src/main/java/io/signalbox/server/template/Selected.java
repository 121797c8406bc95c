// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import java.util.List;

/** What a filter selects. It is true even if it is empty, as a generator of Python is. */
record Selected(List<Object> values)
{
}
