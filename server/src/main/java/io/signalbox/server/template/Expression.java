// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

/** A part of a template that has a value. */
@FunctionalInterface
interface Expression
{
    Object value(Scope scope);
}
