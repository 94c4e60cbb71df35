// Prints what Java does with regular expressions and numbers, a case a line: java JavaFacts.java | gzip -9n > java-facts.txt.gz
// A line has fields between tabs, each in Java's escapes: the kind, the inputs, and the result, or ! for an exception.
import java.util.*;
import java.util.function.*;

class JavaFacts {
    static void line(String... fields) {
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < fields.length; i++) {
            if (i > 0) b.append('\t');
            for (char c : fields[i].toCharArray()) {
                if (c == '\\' || c == '"' || c < ' ' || c > '~') b.append(String.format("\\u%04x", (int) c));
                else b.append(c);
            }
        }
        System.out.println(b);
    }

    static String attempt(Supplier<Object> f) {
        try { return "=" + f.get(); } catch (RuntimeException e) { return "!"; }
    }

    static final String[] PATTERNS = {
        "a", "a*", "a+?", "(a)(b)?", "a|ab|abc", "^a*", "a*$", "\\s+", "\\S", "[\\s]", "[^\\s]", "[\\S]", "\\d+", "\\D", "[\\d\\-]", "\\w+",
        "\\W", "\\bx", "x\\b", "\\B", ".", ".+", "(?s).+", "(?s:.).", "(?i)ABC", "(?i:a)B", "(?-i)a", "(?m)^.", "(?m).$", "(?sm)^.*$", "\\t", "\\x41",
        "\\x{1F600}", "\\u0041", "\\uD83D\\uDE00", "\\0101", "\\07", "\\cA", "\\e", "\\Qa.b\\E", "\\Qa.b", "[\\Qa]\\E]", "\\p{Lower}", "\\P{Lower}",
        "\\p{Alpha}+", "\\p{Punct}", "\\p{IsLatin}+", "\\p{Lu}", "\\pL", "\\PL", "\\p{L}", "[\\p{Lu}x]", "[^\\p{Digit}]", "\\p{sc=Greek}",
        "\\h", "\\H", "\\v", "\\V", "\\R", "[\\h]", "[\\v]", "[^\\h]", "(?:ab)+", "(?<n>a)b", "a{2}", "a{2,}", "a{1,2}?", "a.c", "[a-c]+", "[^a-c]",
        "[]a]", "[a^]", "[a-]", "\\.", "\\,", "\\ ", "\\_", "\\-", "a\\|b", ";", ";*", ",\\s*", "\\|", "", "x*", "(a|)", "(?:a|b)*", "\\A.", ".\\z",
        "(\\d)(\\d)", "b|", "$", "^", "\u00e9", "[\u00e0-\u00ff]", "\\\u00e9",
        // without a form here
        "a++", "a*+", "a?+", "a{1,2}+", "(?=a)", "(?!a)", "(?<=a)b", "(?<!a)b", "(?>a)", "(a)\\1", "(?<n>a)\\k<n>", "[a-c[x-z]]", "[a-z&&[aeiou]]",
        "a\\Z", "\\Ga", "\\X", "(?x) a", "(?U)\\w", "(?d).", "\\p{IsAlphabetic}", "\\p{InGreek}", "\\p{javaLowerCase}",
        // wrong in Java, too
        "(", "[a", "a{", "*", "\\", "\\y", "\\p{Nothing}", "(?z)", "a{2,1}",
    };
    static final String[] TEXTS = {"", "a", "abc", "aab b", "xaxbx", "A.b a.b", "12-345", " \t\n\u000b\f\r", "a\nb", "a\n", "\u00e9\u00c9x y", "\ud83d\ude00a",
        "a;b;;c;;", ";a", "a|b,c, d", "\u0391\u03b1", "\u00a0\u2028\u0085", "a]^-", "\u0001\u001b\u0007A", "aaa_a", "a1,b2"};
    static final String[] REPLACEMENTS = {"-", "", "$0$0", "<$1>", "$1$2", "\\$", "\\x", "$", "$x", "${n}", "${m}", "$12", "\\", "$\u0661"};

    static void regexes() {
        for (String p : PATTERNS) {
            for (String s : TEXTS) {
                line("matches", p, s, attempt(() -> s.matches(p)));
                line("replace", p, s, "<$0>", attempt(() -> s.replaceAll(p, "<$0>")));
                line("split", p, s, attempt(() -> String.join("\u0000", s.split(p))));
            }
        }
        for (String r : REPLACEMENTS)
            for (String p : new String[] {"a", "(a)", "(a)(b)?", "(?<n>b)"})
                line("replace", p, "cab", r, attempt(() -> "cab".replaceAll(p, r)));
    }

    static final String[] NUMBERS = {"", "0", "-0", "+5", "5", "007", "-7", "2147483647", "2147483648", "-2147483648", "-2147483649", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", " 5", "5 ", "\t5\n", "1.0", ".5", "5.", "1e3", "1E+3", "1e", "1d", "1f", "1D", "1.5F", "1L", "0x10", "0X10",
        "0x1p3", "0x1.8p1", "-0x1p3", "NaN", "+NaN", "-NaN", "nan", "Infinity", "-Infinity", "+Infinity", "inf", "INFINITY", "1,5", "1_000", "--5", "+-5",
        "\u0661\u0662", "-\u0663", "\uff15", "\u0661.5", "1e400", "-1e400", "1e-400", "3.4028236e38", "1e-46", "0.1", "16777217", "123456789.125", "1e23",
        "4.9e-324", "\u00a05", "5\u2003", "e5", ".", "+", "-", "1..2", "1e5.5", "NaNf", "Infinityd", "1dd", "0x", "0x1", "1p3", "\u0000 5"};

    static void texts() {
        for (String s : NUMBERS) {
            line("int", s, attempt(() -> Integer.parseInt(s)));
            line("long", s, attempt(() -> Long.parseLong(s)));
            line("double", s, attempt(() -> Double.parseDouble(s)));
            line("float", s, attempt(() -> Float.parseFloat(s)));
        }
        double[] xs = {0.0, -0.0, 0.1, 1e7, 9999999, 1e-3, 9.99e-4, 1e10, 123456789.125, 1e308, 4.9e-324, Double.NaN, Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY, 2.5, -2.5, 2147483648.0, -1e20, 0.1f, 100, 1.0E21, 1e22};
        for (double x : xs) {
            line("print", "" + x, "=" + x);
            line("printfloat", "" + x, "=" + (float) x);
            line("toint", "" + x, "=" + (int) x);
            line("tolong", "" + x, "=" + (long) x);
        }
        for (long n : new long[] {0, 1, -1, 1L << 32, (1L << 31), -(1L << 31) - 1, Long.MAX_VALUE, Long.MIN_VALUE}) line("low", "" + n, "=" + (int) n);
        for (String s : new String[] {"", "abc", "\u00df", "stra\u00dfe", "\u0130", "\u0131", "\u03a3\u0391\u03a3", "\u01c6", "\ufb01", "\u0149", "\u1e9e", "\ud801\udc28", "i"}) {
            line("upper", s, "=" + s.toUpperCase(Locale.ROOT));
            line("lower", s, "=" + s.toLowerCase(Locale.ROOT));
        }
    }

    static final String[] OPS = {"Add", "Subtract", "Multiply", "Divide", "Modulus", "ReverseSubtract", "ReverseDivide", "ScalarMin", "ScalarMax"};

    static Object ints(String op, int x, int y) {
        switch (op) {
            case "Add": return x + y; case "Subtract": return x - y; case "Multiply": return x * y; case "Divide": return x / y;
            case "Modulus": return x % y; case "ReverseSubtract": return y - x; case "ReverseDivide": return y / x;
            case "ScalarMin": return Math.min(x, y); default: return Math.max(x, y);
        }
    }
    static Object longs(String op, long x, long y) {
        switch (op) {
            case "Add": return x + y; case "Subtract": return x - y; case "Multiply": return x * y; case "Divide": return x / y;
            case "Modulus": return x % y; case "ReverseSubtract": return y - x; case "ReverseDivide": return y / x;
            case "ScalarMin": return Math.min(x, y); default: return Math.max(x, y);
        }
    }
    static Object doubles(String op, double x, double y) {
        switch (op) {
            case "Add": return x + y; case "Subtract": return x - y; case "Multiply": return x * y; case "Divide": return x / y;
            case "Modulus": return x % y; case "ReverseSubtract": return y - x; case "ReverseDivide": return y / x;
            case "ScalarMin": return Math.min(x, y); default: return Math.max(x, y);
        }
    }
    static Object floats(String op, float x, float y) {
        switch (op) {
            case "Add": return x + y; case "Subtract": return x - y; case "Multiply": return x * y; case "Divide": return x / y;
            case "Modulus": return x % y; case "ReverseSubtract": return y - x; case "ReverseDivide": return y / x;
            case "ScalarMin": return Math.min(x, y); default: return Math.max(x, y);
        }
    }

    static void operations() {
        int[] is = {0, 1, -1, 7, -7, 46341, Integer.MAX_VALUE, Integer.MIN_VALUE};
        long[] ls = {0, 1, -1, 10, -7, 3037000500L, Long.MAX_VALUE, Long.MIN_VALUE};
        double[] ds = {0.0, -0.0, 1, -1, 0.7, -5.3, 1e308, -1e308, 1e-320, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY};
        float[] fs = {0f, -0f, 1, -1, 0.7f, -5.3f, 1e38f, -3e38f, 1e-40f, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY};
        for (String op : OPS) {
            for (int x : is) for (int y : is) line("Integer", op, "" + x, "" + y, attempt(() -> ints(op, x, y)));
            for (long x : ls) for (long y : ls) line("Long", op, "" + x, "" + y, attempt(() -> longs(op, x, y)));
            for (double x : ds) for (double y : ds) line("Double", op, "" + x, "" + y, attempt(() -> doubles(op, x, y)));
            for (float x : fs) for (float y : fs) line("Float", op, "" + x, "" + y, attempt(() -> floats(op, x, y)));
        }
        Map<String, DoubleUnaryOperator> f = new TreeMap<>();
        f.put("ABS", Math::abs); f.put("ACOS", Math::acos); f.put("ASIN", Math::asin); f.put("ATAN", Math::atan); f.put("CEIL", Math::ceil);
        f.put("COS", Math::cos); f.put("COSH", Math::cosh); f.put("EXP", Math::exp); f.put("FLOOR", Math::floor); f.put("LOG", Math::log);
        f.put("LOG10", Math::log10); f.put("SIGNUM", Math::signum); f.put("SIN", Math::sin); f.put("SINH", Math::sinh); f.put("SQRT", Math::sqrt);
        f.put("TAN", Math::tan); f.put("TANH", Math::tanh);
        for (var e : f.entrySet()) for (double x : new double[] {0.0, -0.0, 0.5, -0.5, 1, -1, 2.5, -2.5, 1e-10, 30, -30, 710, 1e22, Double.NaN,
            Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 4.9e-324}) line("function", e.getKey(), "" + x, "=" + e.getValue().applyAsDouble(x));
    }

    public static void main(String[] args) { regexes(); texts(); operations(); }
}
