import java.util.*;
import org.joda.time.*;
import org.joda.time.format.*;

/**
 * Prints and parses random times by random patterns with Joda-Time, a case a line:
 * "print", pattern, locale, zone, instant, text; "parse", pattern, locale, zone, text, instant or "!" for an error;
 * "fields", zone, instant, name=value...
 */
public class Cases {
    static final String[] NUMBERS = {"YYYY", "yyyy", "Y", "YY", "yy", "xxxx", "xx", "MM", "M", "d", "dd", "D", "DDD", "HH", "H", "h", "hh",
            "K", "kk", "m", "mm", "s", "ss", "S", "SSS", "SSSSSS", "w", "ww", "e", "C"};
    static final String[] NAMES = {"MMM", "MMMM", "E", "EEE", "EEEE", "a", "G"};
    static final String[] ZONES = {"Z", "ZZ", "ZZZ"};
    static final String[] SEPARATORS = {"", "", "-", "/", " ", ":", ".", ", ", "'T'", "''", "'at o''clock'"};
    static final String[] COMMON = {"YYYY-MM-dd HH:mm:ss", "YYYY-MM-dd'T'HH:mm:ss.SSSZZ", "YYYYMMdd", "dd/MM/yyyy", "MM/dd/YYYY hh:mm a",
            "EEE, d MMM yyyy HH:mm:ss Z", "xxxx-'W'ww-e", "YYYY-DDD", "HH:mm", "d MMMM", "yyMMddHHmm", "MMM d, ''yy", "YYYY-MM-dd HH:mm ZZZ",
            "EEEE d MMMM YYYY", "h:mm:ss.SSS a", "yyyy G", "e", "E", "w", "kk:mm", "K a", "YYYYDDD", "C", "MM-dd"};
    static final String[] IDS = {"UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia",
            "America/Sao_Paulo", "Asia/Kathmandu", "Africa/Johannesburg", "+05:45", "-03:00"};
    static final String[] LOCALES = {"en", "en_GB", "de", "de_AT", "fr", "es", "it", "pt", "nl", "sv", "pl", "ru"};
    static final Random random = new Random(7);

    static <T> T any(T[] of) {
        return of[random.nextInt(of.length)];
    }

    static String pattern() {
        if (random.nextInt(2) == 0)
            return any(COMMON);
        StringBuilder b = new StringBuilder();
        for (int n = 1 + random.nextInt(6), i = 0; i < n; i++) {
            int k = random.nextInt(12);
            b.append(i == 0 ? "" : any(SEPARATORS)).append(any(k < 9 ? NUMBERS : k < 11 ? NAMES : ZONES));
        }
        return b.toString();
    }

    static long instant(DateTimeZone z) {
        long t = (long) (random.nextDouble() * 5e12) - 1_500_000_000_000L;
        if (random.nextInt(4) == 0) { // near a change of the offset
            long u = z.nextTransition(t);
            t = u + (random.nextInt(9) - 4) * 1_800_000L;
        }
        return t;
    }

    static String mutate(String s) {
        int at = random.nextInt(s.length()), n = random.nextInt(7);
        String before = s.substring(0, at), after = s.substring(at + 1);
        switch (n) {
            case 0: return before + after;
            case 1: return before + s.charAt(at) + s.substring(at);
            case 2: return before + random.nextInt(10) + after;
            case 3: return s.replaceAll("\\b0", "");
            case 4: return s.toLowerCase(Locale.ROOT);
            case 5: return s.toUpperCase(Locale.ROOT);
            default: return before + any(new String[] {"-", "+", " ", "12", ":", "Z", "+02", "+0230"}) + s.substring(at);
        }
    }

    static String parse(DateTimeFormatter f, String text) {
        try {
            return Long.toString(f.parseMillis(text));
        } catch (IllegalArgumentException e) {
            return "!";
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 1500; i++) {
            String pattern = pattern(), locale = any(LOCALES), id = any(IDS);
            DateTimeZone zone = DateTimeZone.forID(id);
            String[] l = locale.split("_");
            DateTimeFormatter f = DateTimeFormat.forPattern(pattern).withPivotYear(1996).withZone(zone)
                    .withLocale(l.length == 1 ? new Locale(l[0]) : new Locale(l[0], l[1]));
            long t = instant(zone);
            String text = f.print(t);
            System.out.println(String.join("\t", "print", pattern, locale, id, "" + t, text));
            System.out.println(String.join("\t", "parse", pattern, locale, id, text, parse(f, text)));
            for (int k = 0; k < 2; k++) {
                String m = mutate(text);
                System.out.println(String.join("\t", "parse", pattern, locale, id, m, parse(f, m)));
            }
        }
        for (int i = 0; i < 300; i++) {
            String id = any(IDS);
            DateTime t = new DateTime(instant(DateTimeZone.forID(id)), DateTimeZone.forID(id));
            StringBuilder b = new StringBuilder("fields\t" + id + "\t" + t.getMillis());
            for (DateTimeFieldType field : FIELDS)
                b.append('\t').append(field.getName()).append('=').append(t.get(field));
            System.out.println(b);
        }
    }

    static final DateTimeFieldType[] FIELDS = {DateTimeFieldType.era(), DateTimeFieldType.yearOfEra(), DateTimeFieldType.centuryOfEra(),
            DateTimeFieldType.yearOfCentury(), DateTimeFieldType.year(), DateTimeFieldType.dayOfYear(), DateTimeFieldType.monthOfYear(),
            DateTimeFieldType.dayOfMonth(), DateTimeFieldType.weekyearOfCentury(), DateTimeFieldType.weekyear(),
            DateTimeFieldType.weekOfWeekyear(), DateTimeFieldType.dayOfWeek(), DateTimeFieldType.halfdayOfDay(),
            DateTimeFieldType.hourOfHalfday(), DateTimeFieldType.clockhourOfHalfday(), DateTimeFieldType.clockhourOfDay(),
            DateTimeFieldType.hourOfDay(), DateTimeFieldType.minuteOfDay(), DateTimeFieldType.minuteOfHour(),
            DateTimeFieldType.secondOfDay(), DateTimeFieldType.secondOfMinute(), DateTimeFieldType.millisOfDay(),
            DateTimeFieldType.millisOfSecond()};
}
