// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import io.signalbox.server.template.TemplateToken.Kind;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads expressions, by one method for each level of binding. */
final class ExpressionParser
{
    private static final Set<String> COMPARISONS = Set.of("==", "!=", "<", "<=", ">", ">=");
    /** Words that end an argument of a test without brackets. */
    private static final Set<String> AFTER_TEST = Set.of("else", "or", "and", "is", "if", "not", "in");

    private final TemplateWords words;

    ExpressionParser(final TemplateWords words)
    {
        this.words = words;
    }

    /** One expression, or several with commas between them, which make a tuple. */
    Expression tuple()
    {
        final Expression first = expression();
        if (!words.isSign(","))
        {
            return first;
        }
        final List<Expression> all = new ArrayList<>(List.of(first));
        while (words.takeSign(","))
        {
            if (words.peek().kind() == Kind.SIGN && !"([{-+".contains(words.peek().text()) ||
                words.peek().kind() == Kind.BLOCK_END || words.peek().kind() == Kind.VARIABLE_END)
            {
                break;
            }
            all.add(expression());
        }
        return scope -> new Tuple(values(all, scope));
    }

    private static List<Object> values(final List<Expression> expressions, final Scope scope)
    {
        final List<Object> values = new ArrayList<>(expressions.size());
        expressions.forEach(expression -> values.add(expression.value(scope)));
        return values;
    }

    /** With {@code a if b else c}. */
    Expression expression()
    {
        Expression value = or();
        while (words.takeName("if"))
        {
            final Expression then = value;
            final Expression condition = or();
            final Expression otherwise = words.takeName("else") ? expression() :
                scope -> new Undefined("the value of an if without else");
            value = scope -> TemplateValues.truth(condition.value(scope)) ? then.value(scope) : otherwise.value(scope);
        }
        return value;
    }

    /** Without a condition. */
    Expression or()
    {
        Expression left = and();
        while (words.takeName("or"))
        {
            final Expression first = left;
            final Expression second = and();
            left = scope ->
            {
                final Object value = first.value(scope);
                return TemplateValues.truth(value) ? value : second.value(scope);
            };
        }
        return left;
    }

    private Expression and()
    {
        Expression left = not();
        while (words.takeName("and"))
        {
            final Expression first = left;
            final Expression second = not();
            left = scope ->
            {
                final Object value = first.value(scope);
                return TemplateValues.truth(value) ? second.value(scope) : value;
            };
        }
        return left;
    }

    private Expression not()
    {
        if (words.takeName("not"))
        {
            final Expression value = not();
            return scope -> !TemplateValues.truth(value.value(scope));
        }
        return comparison();
    }

    /** {@code a < b <= c}: each value is compared with the next. */
    private Expression comparison()
    {
        final Expression first = sum();
        final List<String> operators = new ArrayList<>();
        final List<Expression> operands = new ArrayList<>();
        while (true)
        {
            if (words.peek().kind() == Kind.SIGN && COMPARISONS.contains(words.peek().text()))
            {
                operators.add(words.next().text());
            }
            else if (words.isName("in"))
            {
                operators.add(words.next().text());
            }
            else if (words.isName("not"))
            {
                words.next();
                words.name("in");
                operators.add("not in");
            }
            else
            {
                break;
            }
            operands.add(sum());
        }
        return operators.isEmpty() ? first : scope ->
        {
            Object left = first.value(scope);
            for (int i = 0; i < operators.size(); i++)
            {
                final Object right = operands.get(i).value(scope);
                if (!holds(operators.get(i), left, right))
                {
                    return false;
                }
                left = right;
            }
            return true;
        };
    }

    private static boolean holds(final String operator, final Object left, final Object right)
    {
        return switch (operator)
        {
            case "==" -> TemplateValues.equal(left, right);
            case "!=" -> !TemplateValues.equal(left, right);
            case "in" -> TemplateValues.contains(right, left);
            case "not in" -> !TemplateValues.contains(right, left);
            case "<" -> TemplateValues.compare(left, right) < 0;
            case "<=" -> TemplateValues.compare(left, right) <= 0;
            case ">" -> TemplateValues.compare(left, right) > 0;
            default -> TemplateValues.compare(left, right) >= 0;
        };
    }

    private Expression sum()
    {
        Expression left = concatenation();
        while (words.isSign("+") || words.isSign("-"))
        {
            final boolean adds = words.next().text().equals("+");
            final Expression first = left;
            final Expression second = concatenation();
            left = scope -> adds ?
                TemplateValues.add(first.value(scope), second.value(scope), scope.rendering()) :
                TemplateValues.calculate('-', first.value(scope), second.value(scope));
        }
        return left;
    }

    private Expression concatenation()
    {
        Expression left = product();
        while (words.takeSign("~"))
        {
            final Expression first = left;
            final Expression second = product();
            left = scope -> TemplateValues.add(TemplateText.of(first.value(scope)), TemplateText.of(second.value(scope)),
                scope.rendering());
        }
        return left;
    }

    private Expression product()
    {
        Expression left = power();
        while (words.isSign("*") || words.isSign("/") || words.isSign("//") || words.isSign("%"))
        {
            final String operator = words.next().text();
            final Expression first = left;
            final Expression second = power();
            left = scope -> product(operator, first.value(scope), second.value(scope), scope.rendering());
        }
        return left;
    }

    private static Object product(
        final String operator, final Object left, final Object right, final Rendering rendering)
    {
        if (operator.equals("*"))
        {
            return TemplateValues.multiply(left, right, rendering);
        }
        if (operator.equals("%") && left instanceof String)
        {
            return TemplateFormat.of((String)left, right instanceof Tuple ? (List<?>)right : Arrays.asList(right));
        }
        return TemplateValues.calculate(operator.equals("//") ? 'd' : operator.charAt(0), left, right);
    }

    private Expression power()
    {
        Expression left = unary(true);
        while (words.takeSign("**"))
        {
            final Expression first = left;
            final Expression second = unary(true);
            left = scope -> TemplateValues.calculate('^', first.value(scope), second.value(scope));
        }
        return left;
    }

    private Expression unary(final boolean withFilters)
    {
        final Expression value;
        if (words.isSign("-") || words.isSign("+"))
        {
            final boolean negates = words.next().text().equals("-");
            final Expression of = unary(false);
            value = scope -> negates ? TemplateValues.negative(of.value(scope)) :
                TemplateValues.calculate('+', 0L, of.value(scope));
        }
        else
        {
            value = postfix(primary());
        }
        return withFilters ? filtered(value) : value;
    }

    private Expression primary()
    {
        final TemplateToken token = words.peek();
        switch (token.kind())
        {
            case NAME:
                return name(words.next().text());
            case STRING:
                return string();
            case WHOLE, REAL:
                return constant(number(words.next()));
            default:
                break;
        }
        if (words.takeSign("("))
        {
            if (words.takeSign(")"))
            {
                return constant(new Tuple(List.of()));
            }
            final Expression inner = tuple();
            words.sign(")");
            return inner;
        }
        if (words.takeSign("["))
        {
            final List<Expression> all = elements("]");
            return scope -> values(all, scope);
        }
        if (words.takeSign("{"))
        {
            return map();
        }
        throw words.expected("a value");
    }

    private static Expression constant(final Object value)
    {
        return scope -> value;
    }

    private static Expression name(final String name)
    {
        return switch (name)
        {
            case "true", "True" -> constant(true);
            case "false", "False" -> constant(false);
            case "none", "None" -> constant(null);
            default -> scope -> scope.get(name);
        };
    }

    /** Strings side by side are one. */
    private Expression string()
    {
        final StringBuilder text = new StringBuilder();
        while (words.peek().kind() == Kind.STRING)
        {
            text.append(words.next().text());
        }
        return constant(text.toString());
    }

    private static Object number(final TemplateToken token)
    {
        try
        {
            return token.kind() == Kind.WHOLE ? (Object)Long.valueOf(token.text()) : (Object)Double.valueOf(token.text());
        }
        catch (final NumberFormatException e)
        {
            throw new TemplateFault("the number " + token.text() + " has more than 64 bits").at(token.line());
        }
    }

    private List<Expression> elements(final String end)
    {
        final List<Expression> all = new ArrayList<>();
        while (!words.takeSign(end))
        {
            all.add(expression());
            if (!words.isSign(end))
            {
                words.sign(",");
            }
        }
        return all;
    }

    private Expression map()
    {
        final Map<Expression, Expression> all = new LinkedHashMap<>();
        while (!words.takeSign("}"))
        {
            final Expression key = expression();
            words.sign(":");
            all.put(key, expression());
            if (!words.isSign("}"))
            {
                words.sign(",");
            }
        }
        return scope ->
        {
            final Map<Object, Object> map = new LinkedHashMap<>();
            all.forEach((key, value) -> map.put(key.value(scope), value.value(scope)));
            return map;
        };
    }

    private Expression postfix(final Expression primary)
    {
        Expression value = primary;
        while (true)
        {
            final Expression of = value;
            if (words.takeSign("."))
            {
                final boolean isPlace = words.peek().kind() == Kind.WHOLE;
                final Object name = isPlace ? number(words.next()) : words.name();
                value = scope -> isPlace ? TemplateValues.element(of.value(scope), name, scope.rendering()) :
                    TemplateValues.attribute(of.value(scope), (String)name, scope.rendering());
            }
            else if (words.takeSign("["))
            {
                value = subscript(of);
            }
            else if (words.isSign("("))
            {
                value = call(of);
            }
            else
            {
                return value;
            }
        }
    }

    private Expression subscript(final Expression of)
    {
        final Expression first = words.isSign(":") ? null : tuple();
        if (words.takeSign("]"))
        {
            return scope -> TemplateValues.element(of.value(scope), first.value(scope), scope.rendering());
        }
        words.sign(":");
        final Expression to = words.isSign(":") || words.isSign("]") ? null : expression();
        final Expression by = words.takeSign(":") && !words.isSign("]") ? expression() : null;
        words.sign("]");
        return scope ->
        {
            scope.rendering().step(1);
            return TemplateValues.slice(of.value(scope), place(first, scope), place(to, scope), place(by, scope));
        };
    }

    private static Long place(final Expression expression, final Scope scope)
    {
        final Object value = expression == null ? null : expression.value(scope);
        return value == null ? null : Long.valueOf(TemplateFunctions.whole(value));
    }

    /** The values of a call, in order and by name. */
    private record Given(List<Expression> values, Map<String, Expression> named)
    {
        Function.Arguments in(final Scope scope)
        {
            final Map<String, Object> byName = new LinkedHashMap<>();
            named.forEach((name, value) -> byName.put(name, value.value(scope)));
            return new Function.Arguments(ExpressionParser.values(values, scope), byName);
        }
    }

    private Given given()
    {
        final Given given = new Given(new ArrayList<>(), new LinkedHashMap<>());
        words.sign("(");
        while (!words.takeSign(")"))
        {
            final TemplateToken first = words.peek();
            final Expression value = expression();
            if (first.kind() == Kind.NAME && words.takeSign("="))
            {
                given.named().put(first.text(), expression());
            }
            else
            {
                given.values().add(value);
            }
            if (!words.isSign(")"))
            {
                words.sign(",");
            }
        }
        return given;
    }

    private Expression call(final Expression of)
    {
        final int line = words.peek().line();
        final Given given = given();
        return scope ->
        {
            final Object function = of.value(scope);
            if (!(function instanceof Function))
            {
                throw (function instanceof Undefined ? ((Undefined)function).fault() :
                    new TemplateFault("a value of type " + TemplateValues.type(function) + " cannot be called")).at(line);
            }
            scope.rendering().step(1);
            return ((Function)function).call(given.in(scope));
        };
    }

    /** Filters and tests behind a value. */
    private Expression filtered(final Expression unfiltered)
    {
        Expression value = unfiltered;
        while (true)
        {
            if (words.takeSign("|"))
            {
                value = filter(value);
            }
            else if (words.takeName("is"))
            {
                value = test(value);
            }
            else if (words.isSign("("))
            {
                value = call(value);
            }
            else
            {
                return value;
            }
        }
    }

    /** Reads the filter behind its sign. */
    Expression filter(final Expression value)
    {
        final int line = words.peek().line();
        final TemplateFilters.Filter filter = known(line, words.name(), TemplateFilters::get);
        final Given given = words.isSign("(") ? given() : new Given(List.of(), Map.of());
        return scope ->
        {
            scope.rendering().step(1);
            return filter.apply(value.value(scope), given.in(scope), scope.rendering());
        };
    }

    private static <T> T known(final int line, final String name, final java.util.function.Function<String, T> all)
    {
        try
        {
            return all.apply(name);
        }
        catch (final TemplateFault e)
        {
            throw e.at(line);
        }
    }

    private Expression test(final Expression value)
    {
        final boolean negated = words.takeName("not");
        final TemplateTests.Test test = known(words.peek().line(), words.name(), TemplateTests::get);
        final Given given;
        final TemplateToken next = words.peek();
        if (words.isSign("("))
        {
            given = given();
        }
        else if (next.kind() == Kind.STRING || next.kind() == Kind.WHOLE || next.kind() == Kind.REAL ||
            next.kind() == Kind.NAME && !AFTER_TEST.contains(next.text()) || words.isSign("[") || words.isSign("{"))
        {
            given = new Given(List.of(postfix(primary())), Map.of());
        }
        else
        {
            given = new Given(List.of(), Map.of());
        }
        return scope -> test.holds(value.value(scope), given.in(scope)) != negated;
    }
}
