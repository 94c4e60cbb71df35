import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.nd4j.evaluation.BaseEvaluation;
import org.nd4j.evaluation.classification.*;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Evaluations at their edges: ties, a class that never occurs, no data, numbers on the borders of bins, masks. */
public class EvaluationCases {
    static PrintWriter out;
    static boolean first = true;

    static String quote(String s) {
        return "\"" + s.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + "\"";
    }

    static String floats(INDArray a) {
        return a == null ? "null" : Arrays.toString(a.dup('c').data().asFloat());
    }

    static void one(String name, String of, Supplier<BaseEvaluation> make, INDArray labels, INDArray predictions, INDArray mask) {
        BaseEvaluation e = make.get();
        String json, stats;
        try {
            if (labels != null) e.eval(labels, predictions, mask);
            json = e.toJson();
        } catch (Throwable t) {
            json = "error: " + t;
        }
        try {
            stats = e.stats();
        } catch (Throwable t) {
            stats = "error: " + t;
        }
        out.print((first ? "[" : ",\n ") + "{\"name\": " + quote(name) + ", \"of\": " + quote(of));
        first = false;
        if (labels != null) {
            out.print(", \"shape\": " + Arrays.toString(labels.shape()) + ", \"labels\": " + floats(labels) + ", \"predictions\": " + floats(predictions));
            if (mask != null) out.print(", \"maskShape\": " + Arrays.toString(mask.shape()) + ", \"mask\": " + floats(mask));
        }
        out.print(", \"json\": " + quote(json) + ", \"stats\": " + quote(stats) + "}");
    }

    static INDArray column(double... x) {
        return Nd4j.createFromArray(x).castTo(DataType.FLOAT).reshape(x.length, 1);
    }

    static INDArray array(double[] x, long... shape) {
        return Nd4j.createFromArray(x).castTo(DataType.FLOAT).reshape('c', shape);
    }

    /** classes has a row with a one for each class. */
    static INDArray classes(int of, int... classes) {
        INDArray a = Nd4j.zeros(DataType.FLOAT, classes.length, of);
        for (int i = 0; i < classes.length; i++) a.putScalar(i, classes[i], 1);
        return a;
    }

    static INDArray someClasses(Random r) {
        int[] c = new int[12];
        for (int i = 0; i < c.length; i++) c[i] = r.nextInt(3);
        return classes(3, c);
    }

    static double[] bits(Random r, int n) {
        double[] x = new double[n];
        for (int i = 0; i < n; i++) x[i] = r.nextInt(2);
        return x;
    }

    static double[] tenths(Random r, int n, int of) {
        double[] x = new double[n];
        for (int i = 0; i < n; i++) x[i] = (float) (r.nextInt(of + 1) / (double) of);
        return x;
    }

    public static void main(String[] args) throws Exception {
        out = new PrintWriter(args[0], "UTF-8");
        Random r = new Random(7);
        INDArray l = column(1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1), p = column(.5, .5, .9, .5, .2, .2, .9, .9, .1, .1, .7, .5);
        one("ties", "ROC 0", ROC::new, l, p, null);
        one("ties", "ROC 0 all", () -> new ROC(0, false), l, p, null);
        one("ties", "ROC 10", () -> new ROC(10), l, p, null);
        one("positive", "ROC 0", ROC::new, column(1, 1, 1, 1), column(.1, .8, .8, .4), null);
        one("positive", "ROC 4", () -> new ROC(4), column(1, 1, 1, 1), column(.1, .8, .8, .4), null);
        one("negative", "ROC 0", ROC::new, column(0, 0, 0), column(.1, .8, .4), null);
        one("negative", "ROC 4", () -> new ROC(4), column(0, 0, 0), column(.1, .8, .4), null);
        one("single", "ROC 0", ROC::new, column(1), column(.3), null);
        one("extremes", "ROC 0", ROC::new, column(1, 0, 1, 0), column(1, 1, 0, 0), null);
        one("extremes", "ROC 4", () -> new ROC(4), column(1, 0, 1, 0), column(1, 1, 0, 0), null);
        INDArray border = column(0, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1), bl = column(0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1);
        one("borders", "ROC 10", () -> new ROC(10), bl, border, null);
        one("borders", "ROC 3", () -> new ROC(3), bl, border, null);
        one("empty", "ROC 0", ROC::new, null, null, null);
        one("empty", "ROC 2", () -> new ROC(2), null, null, null);
        one("empty", "ROCBinary 0", ROCBinary::new, null, null, null);
        one("empty", "ROCMultiClass 2", () -> new ROCMultiClass(2), null, null, null);
        one("empty", "EvaluationBinary", EvaluationBinary::new, null, null, null);
        one("empty", "EvaluationCalibration 10 50", EvaluationCalibration::new, null, null, null);
        double[] lab = bits(r, 6 * 2), pre = tenths(r, 6 * 2, 8);
        for (int i = 0; i < 6; i++) { lab[2 * i] = 1 - lab[2 * i + 1]; pre[2 * i] = 1 - pre[2 * i + 1]; }
        one("two columns", "ROC 0", ROC::new, array(lab, 6, 2), array(pre, 6, 2), null);
        one("two columns", "ROC 5", () -> new ROC(5), array(lab, 6, 2), array(pre, 6, 2), null);
        one("masked", "ROC 0", ROC::new, l, p, column(1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1));
        one("masked", "ROC 3", () -> new ROC(3), l, p, column(1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1));
        INDArray ml = array(bits(r, 8 * 3), 8, 3), mp = array(tenths(r, 8 * 3, 10), 8, 3), mm = array(bits(r, 8 * 3), 8, 3);
        one("outputs masked", "ROCBinary 0", ROCBinary::new, ml, mp, mm);
        one("outputs masked", "ROCBinary 3", () -> new ROCBinary(3), ml, mp, mm);
        one("outputs masked", "EvaluationBinary", EvaluationBinary::new, ml, mp, mm);
        one("outputs masked", "EvaluationBinary roc 0", () -> new EvaluationBinary(3, 0), ml, mp, mm);
        INDArray thresholds = Nd4j.createFromArray(new float[] {.2f, .7f, .5f}).reshape(1, 3);
        one("thresholds", "EvaluationBinary thresholds", () -> {
            EvaluationBinary e = new EvaluationBinary(thresholds);
            e.setLabelNames(List.of("a", "the second output's name", "c"));
            return e;
        }, ml, mp, null);
        one("names", "ROCBinary 0 names", () -> {
            ROCBinary e = new ROCBinary();
            e.setLabelNames(List.of("a", "the second output's name", "c"));
            return e;
        }, ml, mp, null);
        one("undefined", "EvaluationBinary", EvaluationBinary::new, array(new double[] {0, 1, 0, 1, 0, 0}, 3, 2),
                array(new double[] {.1, .2, .3, .9, .2, .1}, 3, 2), null);
        one("nothing", "EvaluationBinary", EvaluationBinary::new, array(new double[] {0, 0, 0}, 3, 1), column(.1, .2, .3), null);
        one("image", "EvaluationBinary", EvaluationBinary::new, array(bits(r, 2 * 2 * 3 * 2), 2, 2, 3, 2),
                array(tenths(r, 24, 20), 2, 2, 3, 2), null);
        one("series", "ROCBinary 2", () -> new ROCBinary(2), array(bits(r, 2 * 2 * 4), 2, 2, 4), array(tenths(r, 16, 10), 2, 2, 4),
                array(new double[] {1, 1, 1, 0, 1, 1, 0, 0}, 2, 4));
        double[] cl = new double[21 * 3], cp = new double[21 * 3];
        for (int i = 0; i < 21; i++) {
            cl[3 * i + i % 3] = 1;
            cp[3 * i] = (float) (i / 20.0);
            cp[3 * i + 1] = (float) (i * .02);
            cp[3 * i + 2] = (float) (i * .1 - .5);
        }
        one("borders", "EvaluationCalibration 10 50", EvaluationCalibration::new, array(cl, 21, 3), array(cp, 21, 3), null);
        one("borders", "EvaluationCalibration 3 7 all", () -> new EvaluationCalibration(3, 7, false), array(cl, 21, 3), array(cp, 21, 3), null);
        double[] cm = bits(r, 21);
        one("masked", "EvaluationCalibration 4 5", () -> new EvaluationCalibration(4, 5), array(cl, 21, 3), array(cp, 21, 3), array(cm, 21, 1));
        one("single column", "EvaluationCalibration 5 5", () -> new EvaluationCalibration(5, 5), l, p, null);
        one("positive", "Evaluation", Evaluation::new, column(1, 1, 1, 1), column(.1, .8, .8, .4), null);
        one("negative", "Evaluation", Evaluation::new, column(0, 0, 0), column(.1, .2, .4), null);
        one("never positive", "Evaluation 2", () -> new Evaluation(2), classes(2, 0, 0, 0), classes(2, 0, 0, 0), null);
        INDArray near = column(.1, .9, .3, .2, .1, .3, .1, .8), nl = column(1, 1, 0, 1, 0, 1, 0, 0);
        one("at the threshold", "Evaluation threshold 0.1", () -> new Evaluation(.1), nl, near, null);
        one("at the threshold, two columns", "Evaluation threshold 0.1", () -> new Evaluation(.1), Nd4j.hstack(nl.rsub(1), nl),
                Nd4j.hstack(near.rsub(1), near), null);
        one("undefined", "Evaluation 4", () -> new Evaluation(4), classes(4, 0, 1, 2), classes(4, 1, 2, 0), null);
        int[] actual = new int[32], predicted = new int[32];
        for (int i = 0; i < 32; i++) {
            actual[i] = r.nextInt(5);
            predicted[i] = r.nextInt(8) == 0 ? actual[i] : r.nextInt(4);
        }
        one("rounded", "Evaluation 5", () -> new Evaluation(5), classes(5, actual), classes(5, predicted), null);
        one("many classes", "Evaluation 25", () -> new Evaluation(25), classes(25, actual), classes(25, predicted), null);
        one("top", "Evaluation top 2", () -> new Evaluation(List.of("a", "b", "c"), 2), someClasses(r), array(tenths(r, 12 * 3, 6), 12, 3), null);
        one("examples masked", "EvaluationBinary", EvaluationBinary::new, array(bits(r, 2 * 2 * 3 * 2), 2, 2, 3, 2),
                array(tenths(r, 24, 20), 2, 2, 3, 2), array(new double[] {1, 0}, 2, 1, 1, 1));
        one("rows masked", "EvaluationBinary", EvaluationBinary::new, array(bits(r, 2 * 2 * 3 * 2), 2, 2, 3, 2),
                array(tenths(r, 24, 20), 2, 2, 3, 2), array(new double[] {1, 0, 1, 0, 1, 1}, 1, 2, 3, 1));
        INDArray steps = array(new double[] {1, 1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1}, 3, 5);
        INDArray sl = array(bits(r, 30), 3, 2, 5), sp = array(tenths(r, 30, 2), 3, 2, 5);
        one("equal predictions of steps", "ROCBinary 0", ROCBinary::new, sl, sp, steps);
        one("equal predictions of steps, all there", "ROCBinary 0", ROCBinary::new, sl, sp, null);
        one("equal predictions of steps", "EvaluationCalibration 10 50", EvaluationCalibration::new, sl, sp, steps);
        out.println("]");
        out.close();
    }
}
