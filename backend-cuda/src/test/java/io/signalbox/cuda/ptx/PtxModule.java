// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.ptx;

import io.signalbox.cuda.kernel.KernelImage;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The PTX of the kernel image: what nvcc made of the kernels, as text. */
final class PtxModule
{
    private static final String BEGIN = ".version ";
    private static final Pattern KERNEL = Pattern.compile(
        "^\\.visible \\.entry (\\w+)\\((.*?)\\)\\s*(.*?)^\\{\n(.*?)^\\}$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern CONSTANT = Pattern.compile(
        "^\\.\\w+ \\.global \\.align (\\d+) \\.b8 ([\\w$]+)\\[(\\d+)\\] = (\\{[^}]*\\});", Pattern.MULTILINE);
    private static final Pattern PARAMETER = Pattern.compile("\\.param \\.(\\w+) (\\w+)");
    private static final Pattern THREADS = Pattern.compile("\\.maxntid (\\d+), 1, 1");

    private final Map<String, PtxKernel> kernels = new LinkedHashMap<>();
    private final List<PtxConstant> constants = new ArrayList<>();

    private PtxModule(final String text)
    {
        CONSTANT.matcher(text).results().forEach(found -> constants.add(new PtxConstant(found.group(2),
            Integer.parseInt(found.group(1)), Integer.parseInt(found.group(3)), found.group(4))));
        final Matcher matcher = KERNEL.matcher(text);
        while (matcher.find())
        {
            final List<PtxKernel.Parameter> parameters = PARAMETER.matcher(matcher.group(2)).results()
                .map(found -> new PtxKernel.Parameter(found.group(2), found.group(1))).toList();
            final Matcher threads = THREADS.matcher(matcher.group(3));
            if (!threads.find())
            {
                throw new IllegalStateException("the kernel " + matcher.group(1) + " has no launch bound in the PTX");
            }
            kernels.put(matcher.group(1), new PtxKernel(matcher.group(1), parameters, Integer.parseInt(threads.group(1)),
                matcher.group(4).lines().map(String::strip).toList()));
        }
    }

    /** A constant of the module: a symbol with its bytes. */
    record PtxConstant(String symbol, int alignment, int bytes, String values)
    {
    }

    /** The PTX of the kernel image that ships. */
    static PtxModule shipped()
    {
        final ByteBuffer image = KernelImage.load().bytes();
        final byte[] bytes = new byte[image.remaining()];
        image.get(bytes);
        final String text = new String(bytes, StandardCharsets.ISO_8859_1);
        final int from = text.indexOf(BEGIN);
        if (from < 0)
        {
            throw new IllegalStateException("the kernel image has no PTX as plain text");
        }
        return new PtxModule(text.substring(from, text.indexOf('\0', from)));
    }

    Map<String, PtxKernel> kernels()
    {
        return kernels;
    }

    List<PtxConstant> constants()
    {
        return constants;
    }
}
