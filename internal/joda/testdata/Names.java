import java.text.DateFormatSymbols;
import java.util.*;

/**
 * Prints the names of months, days, halves of the day and eras as Java has them, one locale a line. Run it with Java 17
 * as it is for today's names (CLDR), and with -Djava.locale.providers=COMPAT for those of Java 8.
 */
public class Names {
    static final Set<String> LANGUAGES = new TreeSet<>(Arrays.asList("en de fr es it pt nl da sv nb fi pl cs sk hu ro ru uk el tr".split(" ")));

    public static void main(String[] args) {
        Map<String, String> lines = new TreeMap<>();
        for (Locale l : Locale.getAvailableLocales()) {
            if (LANGUAGES.contains(l.getLanguage()) && l.getScript().isEmpty() && l.getVariant().isEmpty()
                    && l.getCountry().matches("|[A-Z]{2}"))
                lines.put(l.toString(), line(l));
        }
        for (Map.Entry<String, String> e : lines.entrySet()) {
            String parent = e.getKey().split("_")[0];
            if (parent.equals(e.getKey()) || !e.getValue().equals(lines.get(parent)))
                System.out.println(args[0] + "\t" + e.getKey() + "\t" + e.getValue());
        }
    }

    static String line(Locale l) {
        DateFormatSymbols s = DateFormatSymbols.getInstance(l);
        return String.join("\t", months(s.getMonths()), months(s.getShortMonths()), days(s.getWeekdays()),
                days(s.getShortWeekdays()), String.join("|", s.getAmPmStrings()), String.join("|", s.getEras()));
    }

    static String months(String[] m) {
        return String.join("|", Arrays.copyOf(m, 12));
    }

    static String days(String[] d) { // Monday first
        return String.join("|", d[2], d[3], d[4], d[5], d[6], d[7], d[1]);
    }
}
