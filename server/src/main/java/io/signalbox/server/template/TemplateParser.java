// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import io.signalbox.server.template.Statement.Next;
import io.signalbox.server.template.TemplateToken.Kind;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads statements. */
final class TemplateParser
{
    private static final String LOOP = "loop";

    private final TemplateWords words;
    private final ExpressionParser expressions;

    private TemplateParser(final List<TemplateToken> tokens)
    {
        words = new TemplateWords(tokens);
        expressions = new ExpressionParser(words);
    }

    static Statement parse(final String template)
    {
        final TemplateParser parser = new TemplateParser(TemplateLexer.tokens(template));
        final Statement all = parser.until();
        if (parser.words.peek().kind() != Kind.END)
        {
            parser.words.next();
            throw parser.words.expected("a tag that begins something");
        }
        return all;
    }

    /** The statements up to a block with one of these words, or up to the end. */
    private Statement until(final String... ends)
    {
        final List<Statement> all = new ArrayList<>();
        while (words.peek().kind() != Kind.END)
        {
            for (final String end : ends)
            {
                if (words.isBlock(end))
                {
                    return Statement.all(all);
                }
            }
            if (ends.length == 0 && words.isBlock("endfor"))
            {
                break;
            }
            all.add(statement());
        }
        if (ends.length > 0)
        {
            throw words.expected("'" + ends[ends.length - 1] + "'");
        }
        return Statement.all(all);
    }

    /** Takes a block that has nothing but this word. */
    private void end(final String name)
    {
        words.next();
        words.name(name);
        words.end(Kind.BLOCK_END);
    }

    private Statement statement()
    {
        final TemplateToken token = words.next();
        switch (token.kind())
        {
            case TEXT:
                return scope -> written(scope, token.text());
            case VARIABLE:
                final Expression value = expressions.tuple();
                words.end(Kind.VARIABLE_END);
                return located(token.line(), scope -> written(scope, TemplateText.of(value.value(scope))));
            default:
                return located(token.line(), block(words.peek().line(), words.name()));
        }
    }

    private static Next written(final Scope scope, final String text)
    {
        scope.rendering().write(text);
        return Next.STATEMENT;
    }

    /** A fault of the statement names its line. */
    private static Statement located(final int line, final Statement statement)
    {
        return scope ->
        {
            try
            {
                scope.rendering().step(1);
                return statement.run(scope);
            }
            catch (final TemplateFault e)
            {
                throw e.at(line);
            }
            catch (final ClassCastException | NullPointerException e)
            {
                throw new TemplateFault("a value has another type than is needed").at(line);
            }
            catch (final ArithmeticException e)
            {
                throw new TemplateFault("a number leaves the range of 64 bits").at(line);
            }
        };
    }

    private Statement block(final int line, final String name)
    {
        return switch (name)
        {
            case "if" -> condition();
            case "for" -> loop();
            case "set" -> assignment();
            case "macro" -> macro();
            case "break" -> jump(Next.AFTER_LOOP);
            case "continue" -> jump(Next.ROUND);
            case "generation" -> generation();
            case "filter" -> filter();
            default -> throw new TemplateFault("the tag '" + name + "' is not known here").at(line);
        };
    }

    private Statement jump(final Next next)
    {
        words.end(Kind.BLOCK_END);
        return scope -> next;
    }

    /** Marks what a model has said; it is written as it is. */
    private Statement generation()
    {
        words.end(Kind.BLOCK_END);
        final Statement body = until("endgeneration");
        end("endgeneration");
        return body;
    }

    private Statement filter()
    {
        final Statement[] body = new Statement[1];
        Expression value = scope -> scope.rendering().capture(() -> body[0].run(scope.inner()));
        do
        {
            value = expressions.filter(value);
        }
        while (words.takeSign("|"));
        words.end(Kind.BLOCK_END);
        body[0] = until("endfilter");
        end("endfilter");
        final Expression filtered = value;
        return scope -> written(scope, TemplateText.of(filtered.value(scope)));
    }

    private Statement condition()
    {
        final Expression condition = expressions.tuple();
        words.end(Kind.BLOCK_END);
        final Statement then = until("elif", "else", "endif");
        final Statement otherwise;
        words.next();
        if (words.takeName("elif"))
        {
            otherwise = condition();
        }
        else if (words.takeName("else"))
        {
            words.end(Kind.BLOCK_END);
            otherwise = until("endif");
            end("endif");
        }
        else
        {
            words.name("endif");
            words.end(Kind.BLOCK_END);
            otherwise = Statement.NOTHING;
        }
        return scope ->
        {
            scope.rendering().step(1);
            return (TemplateValues.truth(condition.value(scope)) ? then : otherwise).run(scope);
        };
    }

    /** Names that take the parts of a value; one name takes it whole. */
    private List<String> targets()
    {
        final boolean inBrackets = words.takeSign("(");
        final List<String> names = new ArrayList<>(List.of(words.name()));
        while (words.takeSign(","))
        {
            names.add(words.name());
        }
        if (inBrackets)
        {
            words.sign(")");
        }
        return names;
    }

    private static void assign(final Scope scope, final List<String> names, final Object value)
    {
        if (names.size() == 1)
        {
            scope.set(names.get(0), value);
            return;
        }
        final List<Object> parts = TemplateValues.list(value);
        if (parts.size() != names.size())
        {
            throw new TemplateFault(parts.size() + " values cannot be given to " + names.size() + " names");
        }
        for (int i = 0; i < names.size(); i++)
        {
            scope.set(names.get(i), parts.get(i));
        }
    }

    private Statement loop()
    {
        final List<String> names = targets();
        words.name("in");
        // A condition behind it is the loop's.
        final Expression first = expressions.or();
        final Expression condition = words.takeName("if") ? expressions.expression() : null;
        if (words.isName("recursive"))
        {
            throw new TemplateFault("a recursive loop is not supported").at(words.peek().line());
        }
        words.end(Kind.BLOCK_END);
        final Statement body = until("else", "endfor");
        Statement none = Statement.NOTHING;
        if (words.isBlock("else"))
        {
            end("else");
            none = until("endfor");
        }
        end("endfor");
        final Statement otherwise = none;
        return scope ->
        {
            final List<Object> values = chosen(scope, names, TemplateValues.list(first.value(scope)), condition);
            return values.isEmpty() ? otherwise.run(scope) : rounds(scope, names, values, body);
        };
    }

    private static List<Object> chosen(
        final Scope scope, final List<String> names, final List<Object> values, final Expression condition)
    {
        if (condition == null)
        {
            return values;
        }
        final List<Object> chosen = new ArrayList<>();
        for (final Object value : values)
        {
            scope.rendering().step(1);
            final Scope inner = scope.inner();
            assign(inner, names, value);
            if (TemplateValues.truth(condition.value(inner)))
            {
                chosen.add(value);
            }
        }
        return chosen;
    }

    private static Next rounds(
        final Scope scope, final List<String> names, final List<Object> values, final Statement body)
    {
        final Object outer = scope.get(LOOP);
        final TemplateLoop loop = new TemplateLoop(values,
            outer instanceof TemplateLoop ? (Long)((TemplateLoop)outer).get("depth") + 1 : 1);
        for (int i = 0; i < values.size(); i++)
        {
            scope.rendering().step(1);
            loop.at(i);
            final Scope inner = scope.inner();
            inner.set(LOOP, loop);
            assign(inner, names, values.get(i));
            if (body.run(inner) == Next.AFTER_LOOP)
            {
                break;
            }
        }
        return Next.STATEMENT;
    }

    private Statement assignment()
    {
        final List<String> names = targets();
        if (names.size() == 1 && words.takeSign("."))
        {
            final String variable = words.name();
            words.sign("=");
            final Expression value = expressions.tuple();
            words.end(Kind.BLOCK_END);
            return scope -> set(scope, scope.get(names.get(0)), variable, value.value(scope));
        }
        if (words.takeSign("="))
        {
            final Expression value = expressions.tuple();
            words.end(Kind.BLOCK_END);
            return scope ->
            {
                assign(scope, names, value.value(scope));
                return Next.STATEMENT;
            };
        }
        return captured(names);
    }

    private static Next set(final Scope scope, final Object namespace, final String variable, final Object value)
    {
        if (!(namespace instanceof Namespace))
        {
            throw new TemplateFault("only variables of a namespace can be set by a name with a point");
        }
        scope.rendering().step(1);
        ((Namespace)namespace).values().put(variable, value);
        return Next.STATEMENT;
    }

    /** {@code set} with a body gives its text. */
    private Statement captured(final List<String> names)
    {
        final Statement[] body = new Statement[1];
        Expression value = scope -> scope.rendering().capture(() -> body[0].run(scope.inner()));
        while (words.takeSign("|"))
        {
            value = expressions.filter(value);
        }
        words.end(Kind.BLOCK_END);
        body[0] = until("endset");
        end("endset");
        final Expression text = value;
        return scope ->
        {
            assign(scope, names, text.value(scope));
            return Next.STATEMENT;
        };
    }

    private Statement macro()
    {
        final String name = words.name();
        final Map<String, Expression> parameters = new LinkedHashMap<>();
        words.sign("(");
        while (!words.takeSign(")"))
        {
            final String parameter = words.name();
            parameters.put(parameter, words.takeSign("=") ? expressions.expression() : scope -> new Undefined(parameter));
            if (!words.isSign(")"))
            {
                words.sign(",");
            }
        }
        words.end(Kind.BLOCK_END);
        final Statement body = until("endmacro");
        end("endmacro");
        return scope ->
        {
            scope.set(name, (Function)given -> called(scope, name, parameters, body, given));
            return Next.STATEMENT;
        };
    }

    private static Object called(
        final Scope scope, final String name, final Map<String, Expression> parameters, final Statement body,
        final Function.Arguments given)
    {
        if (given.values().size() > parameters.size() || !parameters.keySet().containsAll(given.named().keySet()))
        {
            throw new TemplateFault("the macro '" + name + "' has no such argument");
        }
        final Scope inner = scope.inner();
        int index = 0;
        for (final Map.Entry<String, Expression> parameter : parameters.entrySet())
        {
            final Object value = given.get(index++, parameter.getKey(), parameters);
            inner.set(parameter.getKey(), value == parameters ? parameter.getValue().value(inner) : value);
        }
        scope.rendering().enter();
        try
        {
            return scope.rendering().capture(() -> body.run(inner));
        }
        finally
        {
            scope.rendering().leave();
        }
    }
}
