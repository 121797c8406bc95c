// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.ptx;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Makes C++ of a kernel of the PTX, one statement of each instruction: a register is a variable, a label is a label, and an
 * instruction is the function of its name in {@code ptx_shim.h}. So a text that the emulated driver has no meaning for does
 * not compile. Threads, collectives and barriers are those of the emulated driver.
 */
final class PtxTranslator
{
    private static final int SLOT_BYTES = 16;
    private static final Pattern REGISTERS = Pattern.compile("\\.reg \\.(\\w+) (%\\w+)<(\\d+)>;");
    private static final Pattern SHARED =
        Pattern.compile("\\.shared \\.align (\\d+) \\.([bsuf])(\\d+) ([\\w$]+)(?:\\[(\\d+)\\])?;");
    private static final Pattern GUARD = Pattern.compile("@(!?)(%p\\d+)\\s+(.*)");
    private static final Pattern ADDRESS = Pattern.compile("\\[([%\\w$]+)(?:\\+(-?\\d+))?\\]");
    /** Commas that are in no braces and no brackets. */
    private static final Pattern COMMA = Pattern.compile(",\\s*(?![^{\\[]*[}\\]])");
    private static final Set<String> WORDS_OF_CPP = Set.of("and", "or", "xor", "not");
    private static final Map<String, String> SHUFFLES = Map.of("bfly", "shuffle_xor", "up", "shuffle_up",
        "down", "shuffle_down", "idx", "shuffle");

    private final PtxKernel kernel;
    private final List<PtxModule.PtxConstant> constants;
    private final Map<String, Integer> shared = new LinkedHashMap<>();
    private final Set<String> pointers = new TreeSet<>();
    private final Map<String, String> loadedParameters = new LinkedHashMap<>();
    private final List<String> registers = new ArrayList<>();
    private final List<String> body = new ArrayList<>();
    private int sharedBytes;
    private int line;

    private PtxTranslator(final PtxModule module, final PtxKernel kernel)
    {
        this.kernel = kernel;
        constants = module.constants().stream()
            .filter(constant -> kernel.lines().stream().anyMatch(text -> text.contains(constant.symbol()))).toList();
    }

    /** A C++ file that defines the kernel. */
    static String translate(final PtxModule module, final PtxKernel kernel)
    {
        final PtxTranslator translator = new PtxTranslator(module, kernel);
        for (final String text : kernel.lines())
        {
            translator.line++;
            translator.add(text.replaceFirst("//.*", "").strip());
        }
        return translator.file();
    }

    private void add(final String text)
    {
        final Matcher declared = REGISTERS.matcher(text);
        final Matcher ofBlock = SHARED.matcher(text);
        if (text.isEmpty() || text.startsWith(".pragma"))
        {
            return;
        }
        if (declared.matches())
        {
            addRegisters(declared.group(1), name(declared.group(2)), Integer.parseInt(declared.group(3)));
        }
        else if (ofBlock.matches())
        {
            final int alignment = Integer.parseInt(ofBlock.group(1));
            sharedBytes = (sharedBytes + alignment - 1) / alignment * alignment;
            shared.put(ofBlock.group(4), sharedBytes);
            sharedBytes += Integer.parseInt(ofBlock.group(3)) / Byte.SIZE *
                (ofBlock.group(5) == null ? 1 : Integer.parseInt(ofBlock.group(5)));
        }
        else if (text.endsWith(":"))
        {
            body.add(text + ";");
        }
        else if (!text.endsWith(";"))
        {
            throw unknown(text);
        }
        else
        {
            addInstruction(text.substring(0, text.length() - 1));
        }
    }

    private void addRegisters(final String type, final String name, final int count)
    {
        final String from = type.equals("pred") ? "false" : type.startsWith("f") ? "0" : "static_cast<" + type + ">(UNSET)";
        registers.add(type + " " + IntStream.range(1, count).mapToObj(number -> name + number + " = " + from)
            .collect(Collectors.joining(", ")) + ";");
    }

    private void addInstruction(final String text)
    {
        final Matcher guard = GUARD.matcher(text);
        final String condition = guard.matches() ? "if (" + guard.group(1) + name(guard.group(2)) + ") " : "";
        final String plain = guard.matches() ? guard.group(3) : text;
        final String[] parts = plain.split("\\s+", 2);
        final List<String> operands = parts.length == 1 ? List.of() : List.of(COMMA.split(parts[1].strip()));
        body.add(condition + "{ " + statement(List.of(parts[0].split("\\.")), operands) + " }");
    }

    private String statement(final List<String> opcode, final List<String> operands)
    {
        return switch (opcode.get(0))
        {
            case "bra" -> "goto " + operands.get(0) + ";";
            case "ret" -> "return;";
            case "bar" -> opcode.contains("warp") ? onThread("bar_warp_sync", operand(operands.get(0), "u32")) + ";" :
                barrier(operands);
            case "ld" -> load(opcode, operands);
            case "st" -> store(opcode, operands);
            case "mov" -> move(opcode, operands);
            case "cvta" -> convertAddress(operands);
            case "cvt" -> convert(opcode, operands);
            case "shfl" -> shuffle(opcode, operands);
            case "vote" -> set(operands.get(0),
                onThread("ballot", operand(operands.get(1), "pred"), operand(operands.get(2), "u32")));
            case "redux" -> set(operands.get(0), onThread("reduce<" + last(opcode) + ">",
                "emulated::Collective::reduce_" + opcode.get(2), operand(operands.get(1), last(opcode)),
                operand(operands.get(2), "u32")));
            case "atom" -> atomic(opcode, operands);
            case "mma" -> product(opcode, operands);
            case "ldmatrix" -> loadTiles(opcode, operands);
            case "cp" -> copy(opcode, operands);
            default -> plain(opcode, operands);
        };
    }

    /** A call of a function of the thread that says in which line it is. */
    private String onThread(final String function, final String... arguments)
    {
        final List<String> all = new ArrayList<>(List.of(arguments));
        all.add(Integer.toString(line));
        return "thread." + function + "(" + String.join(", ", all) + ")";
    }

    private static String set(final String register, final String value)
    {
        return "set(" + name(register) + ", " + value + ");";
    }

    private String barrier(final List<String> operands)
    {
        if (!operands.equals(List.of("0")))
        {
            throw unknown("a barrier of " + operands);
        }
        return onThread("barrier") + ";";
    }

    private String atomic(final List<String> opcode, final List<String> operands)
    {
        final String type = last(opcode);
        return set(operands.get(0), "atom_" + opcode.get(2) + "<" + type + ">(" +
            onThread("at_" + opcode.get(1) + "<" + type + ">", address(operands.get(1))) + ", " +
            operand(operands.get(2), type) + ")");
    }

    /** An instruction whose result depends on its operands only. */
    private String plain(final List<String> opcode, final List<String> operands)
    {
        final String type = last(opcode);
        final String stem = String.join("_", opcode.subList(0, opcode.size() - 1));
        final List<String> values = new ArrayList<>();
        for (int i = 1; i < operands.size(); i++)
        {
            final boolean counts = (opcode.get(0).equals("shl") || opcode.get(0).equals("shr")) && i == 2 ||
                opcode.get(0).equals("bfi") && i > 2;
            final boolean chooses = opcode.get(0).equals("selp") && i == operands.size() - 1;
            values.add(operand(operands.get(i), counts ? "u32" : chooses ? "pred" : type));
        }
        return set(operands.get(0), "ptx::" + stem + (WORDS_OF_CPP.contains(stem) ? "_" : "") + "<" + type + ">(" +
            String.join(", ", values) + ")");
    }

    private String convert(final List<String> opcode, final List<String> operands)
    {
        final String from = last(opcode);
        final String to = opcode.get(opcode.size() - 2);
        final String stem = String.join("_", opcode.subList(0, opcode.size() - 2));
        return set(operands.get(0), "ptx::" + stem + "<" + to + ", " + from + ">(" + operand(operands.get(1), from) + ")");
    }

    private String convertAddress(final List<String> operands)
    {
        if (loadedParameters.containsKey(operands.get(1)))
        {
            pointers.add(loadedParameters.get(operands.get(1)));
        }
        return set(operands.get(0), operand(operands.get(1), "u64"));
    }

    private String move(final List<String> opcode, final List<String> operands)
    {
        final String to = operands.get(0);
        final String from = operands.get(1);
        if (to.startsWith("{"))
        {
            final List<String> halves = elements(to);
            return "const u64 whole = " + operand(from, "u64") + "; " + set(halves.get(0), "static_cast<u32>(whole)") + " " +
                set(halves.get(1), "static_cast<u32>(whole >> 32)");
        }
        if (from.startsWith("{"))
        {
            final List<String> halves = elements(from);
            return set(to, operand(halves.get(0), "u32") + " | static_cast<u64>(" + operand(halves.get(1), "u32") +
                ") << 32");
        }
        return set(to, operand(from, last(opcode)));
    }

    private String load(final List<String> opcode, final List<String> operands)
    {
        final String type = last(opcode);
        final String space = opcode.get(1);
        if (space.equals("param"))
        {
            final String parameter = operands.get(1).substring(1, operands.get(1).length() - 1);
            loadedParameters.put(operands.get(0), parameter);
            return set(operands.get(0), "emulated::argument<" + type + ">(arguments, " + indexOf(parameter) + ")");
        }
        final List<String> targets = elements(operands.get(0));
        final StringBuilder statement = new StringBuilder(vector(opcode, targets, operands.get(1), "reads "));
        for (int i = 0; i < targets.size(); i++)
        {
            statement.append("const ").append(type).append(" value").append(i).append(" = ")
                .append(onThread("load_" + space + "<" + type + ">", element(type, i))).append("; ");
        }
        // Only then: the address may be in a register that is loaded.
        for (int i = 0; i < targets.size(); i++)
        {
            statement.append(set(targets.get(i), "value" + i)).append(' ');
        }
        return statement.toString();
    }

    private String store(final List<String> opcode, final List<String> operands)
    {
        final String type = last(opcode);
        final List<String> sources = elements(operands.get(1));
        final StringBuilder statement = new StringBuilder(vector(opcode, sources, operands.get(0), "writes "));
        for (int i = 0; i < sources.size(); i++)
        {
            statement.append(onThread("store_" + opcode.get(1) + "<" + type + ">", element(type, i),
                operand(sources.get(i), type))).append("; ");
        }
        return statement.toString();
    }

    private static String element(final String type, final int index)
    {
        return "at + " + index + " * sizeof(" + type + ")";
    }

    /** The address of an access, checked as a whole if it is of several elements. */
    private String vector(final List<String> opcode, final List<String> elements, final String at, final String what)
    {
        final String space = opcode.get(1);
        if (opcode.size() != (elements.size() == 1 ? 3 : 4) || !(space.equals("global") || space.equals("shared")))
        {
            throw unknown(String.join(".", opcode));
        }
        final String checked = elements.size() == 1 ? "" :
            onThread("vector_" + space + "<" + last(opcode) + ">", "at", "" + elements.size(), '"' + what + '"') + "; ";
        return "const " + (space.equals("shared") ? "u32" : "u64") + " at = " + address(at) + "; " + checked;
    }

    private String shuffle(final List<String> opcode, final List<String> operands)
    {
        final String[] results = operands.get(0).split("\\|");
        final String value = onThread("shuffle", "emulated::Collective::" + SHUFFLES.get(opcode.get(2)),
            operand(operands.get(1), "u32"), operand(operands.get(2), "u32"), operand(operands.get(3), "u32"),
            operand(operands.get(4), "u32"), "there");
        return "pred there; " + set(results[0], value) + (results.length == 2 ? " " + set(results[1], "there") : "");
    }

    private String product(final List<String> opcode, final List<String> operands)
    {
        if (!String.join(".", opcode).equals("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"))
        {
            throw unknown(String.join(".", opcode));
        }
        return "f32 sums[] = {" + values(operands.get(3), "f32") + "}; const u32 left[] = {" +
            values(operands.get(1), "u32") + "}; const u32 right[] = {" + values(operands.get(2), "u32") + "}; " +
            onThread("mma", "sums", "left", "right") + "; " + results(operands.get(0), "sums");
    }

    private String loadTiles(final List<String> opcode, final List<String> operands)
    {
        if (!String.join(".", opcode).equals("ldmatrix.sync.aligned.m8n8.x4.shared.b16"))
        {
            throw unknown(String.join(".", opcode));
        }
        return "u32 words[4]; " + onThread("ldmatrix", "words", address(operands.get(1))) + "; " +
            results(operands.get(0), "words");
    }

    private String copy(final List<String> opcode, final List<String> operands)
    {
        return switch (String.join(".", opcode))
        {
            case "cp.async.commit_group" -> "thread.engine.commit_copies();";
            case "cp.async.wait_group" -> "thread.engine.await_copies(" + operand(operands.get(0), "u32") + ");";
            case "cp.async.cg.shared.global" -> onThread("cp_async", address(operands.get(0)), address(operands.get(1)),
                operand(operands.get(3), "u32")) + ";";
            default -> throw unknown(String.join(".", opcode));
        };
    }

    private String values(final String vector, final String type)
    {
        return elements(vector).stream().map(each -> operand(each, type)).collect(Collectors.joining(", "));
    }

    private static String results(final String vector, final String array)
    {
        final List<String> targets = elements(vector);
        return IntStream.range(0, targets.size()).mapToObj(i -> set(targets.get(i), array + "[" + i + "]"))
            .collect(Collectors.joining(" "));
    }

    private String operand(final String text, final String type)
    {
        if (text.startsWith("%") && text.endsWith(".x"))
        {
            return switch (text)
            {
                case "%tid.x" -> "thread.thread.x";
                case "%ctaid.x" -> "thread.block.x";
                case "%ntid.x" -> "thread.threads.x";
                case "%nctaid.x" -> "thread.blocks.x";
                default -> throw unknown(text);
            };
        }
        if (text.startsWith("%"))
        {
            return "as<" + type + ">(" + name(text) + ")";
        }
        if (text.startsWith("0f"))
        {
            return "as<" + type + ">(0x" + text.substring(2) + "U)";
        }
        if (text.startsWith("0d"))
        {
            return "as<" + type + ">(u64(0x" + text.substring(2) + "ULL))";
        }
        return text.matches("-?\\d.*") ? "static_cast<" + type + ">(" + text + "LL)" : symbol(text);
    }

    private String address(final String text)
    {
        final Matcher matcher = ADDRESS.matcher(text);
        if (!matcher.matches())
        {
            throw unknown(text);
        }
        final String base = matcher.group(1).startsWith("%") ? name(matcher.group(1)) : symbol(matcher.group(1));
        return base + (matcher.group(2) == null ? "" : " + static_cast<u64>(" + matcher.group(2) + "LL)");
    }

    private String symbol(final String text)
    {
        if (text.equals("memory"))
        {
            return "thread.dynamic()";
        }
        if (shared.containsKey(text))
        {
            return shared.get(text) + "U";
        }
        if (constants.stream().anyMatch(constant -> constant.symbol().equals(text)))
        {
            return "reinterpret_cast<u64>(constants." + text + ")";
        }
        throw unknown(text);
    }

    private int indexOf(final String parameter)
    {
        return kernel.parameters().stream().map(PtxKernel.Parameter::name).toList().indexOf(parameter);
    }

    private IllegalStateException unknown(final String what)
    {
        return new IllegalStateException("the PTX of the kernel " + kernel.name() + " has in line " + line +
            " what the translator has no C++ for: " + what);
    }

    private static List<String> elements(final String text)
    {
        return text.startsWith("{") ? List.of(text.substring(1, text.length() - 1).strip().split(",\\s*")) : List.of(text);
    }

    private static String name(final String register)
    {
        return register.replace("%", "_");
    }

    private static String last(final List<String> opcode)
    {
        return opcode.get(opcode.size() - 1);
    }

    private String file()
    {
        final StringBuilder file = new StringBuilder("#include \"ptx_shim.h\"\nusing namespace ptx;\n");
        file.append("static const struct Constants\n{\nalignas(").append(SLOT_BYTES).append(") unsigned char none[1];\n");
        constants.forEach(constant -> file.append("alignas(").append(constant.alignment()).append(") unsigned char ")
            .append(constant.symbol()).append('[').append(constant.bytes()).append("];\n"));
        file.append("} constants = {{0}");
        constants.forEach(constant -> file.append(", ").append(constant.values()));
        file.append("};\nstatic void run(const void*, const void* arguments)\n{\n")
            .append("Thread thread(&constants, sizeof(constants), ").append(sharedBytes).append(");\n(void)arguments;\n");
        registers.forEach(each -> file.append(each).append('\n'));
        body.forEach(each -> file.append(each).append('\n'));
        file.append("}\nPTX_KERNEL(").append(kernel.name()).append(", ").append(kernel.maxThreads()).append(", ")
            .append(sharedBytes).append(",\n");
        file.append(kernel.parameters().stream().map(each -> "{sizeof(" + each.type() + "), " +
            pointers.contains(each.name()) + "}").collect(Collectors.joining(", ", "{", "}")));
        return file.append(")\n").toString();
    }
}
