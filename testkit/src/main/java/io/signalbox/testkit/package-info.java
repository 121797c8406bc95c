// SPDX-License-Identifier: Apache-2.0

/**
 * Preview: contract tests that routers and backends of other projects extend.
 *
 * <p>Everything here runs in tests, on JUnit Jupiter. A fault ends in a failed test with one sentence; code that never
 * returns is given up after a bounded time.
 */
package io.signalbox.testkit;
