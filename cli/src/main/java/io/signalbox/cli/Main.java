// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

public final class Main
{
    private Main()
    {
    }

    public static void main(final String[] arguments)
    {
        System.out.println("hi");
    }
}
