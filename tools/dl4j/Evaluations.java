import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.*;
import org.nd4j.evaluation.BaseEvaluation;
import org.nd4j.evaluation.IEvaluation;
import org.nd4j.evaluation.IMetric;
import org.nd4j.evaluation.classification.*;
import org.nd4j.evaluation.regression.RegressionEvaluation;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.shade.jackson.databind.JsonNode;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/**
 * Reads evaluations that dl4go wrote, and makes its own of the same data, for eval's TestDeeplearning4jEvaluations. The
 * argument is a folder with cases.json, a list of {name, of}; each case is the folder of that name, with data.bin and ours.json,
 * and gets read.json and made.json: {json, stats, metrics}, or {error}.
 */
class Evaluations {
  static final ObjectMapper json = new ObjectMapper();

  public static void main(String[] args) throws Exception {
    File root = new File(args[0]);
    for (JsonNode c : json.readTree(new File(root, "cases.json"))) {
      File dir = new File(root, c.get("name").asText());
      String[] of = c.get("of").asText().split(" ");
      write(new File(dir, "read.json"), () -> {
        byte[] text = Files.readAllBytes(new File(dir, "ours.json").toPath());
        return BaseEvaluation.fromJson(new String(text, StandardCharsets.UTF_8), make(of).getClass());
      });
      write(new File(dir, "made.json"), () -> {
        IEvaluation<?> e = make(of);
        DataSet d = new DataSet();
        d.load(new File(dir, "data.bin"));
        e.eval(d.getLabels(), d.getFeatures(), d.getLabelsMaskArray());
        return e;
      });
    }
  }

  interface Source {
    IEvaluation<?> get() throws Exception;
  }

  static void write(File f, Source source) throws Exception {
    Map<String, Object> result = new LinkedHashMap<>();
    try {
      IEvaluation<?> e = source.get();
      result.put("json", e.toJson());
      result.put("stats", e.stats());
      Map<String, Object> metrics = new TreeMap<>();
      if (!(e instanceof EvaluationCalibration)) {
        Class<?> enumeration = Class.forName(e.getClass().getName() + "$Metric");
        for (Object m : enumeration.getEnumConstants()) {
          metrics.put(m.toString(), e.getValue((IMetric) m));
        }
      }
      result.put("metrics", metrics);
    } catch (Throwable t) {
      result.clear();
      result.put("error", t.toString() + "\n" + Arrays.toString(t.getStackTrace()));
    }
    json.writeValue(f, result);
  }

  /** The evaluation of a class and its settings. */
  static IEvaluation<?> make(String[] of) {
    double[] n = Arrays.stream(of).skip(1).mapToDouble(Double::parseDouble).toArray();
    float[] floats = new float[n.length];
    for (int i = 0; i < n.length; i++) {
      floats[i] = (float) n[i];
    }
    switch (of[0]) {
      case "Evaluation": return new Evaluation();
      case "EvaluationTopN": return new Evaluation(Arrays.asList("a", "b", "c"), (int) n[0]);
      case "EvaluationThreshold": return new Evaluation(n[0]);
      case "EvaluationCosts": return new Evaluation(Nd4j.createFromArray(floats));
      case "EvaluationBinary": return n.length == 0 ? new EvaluationBinary() : new EvaluationBinary(Nd4j.createFromArray(new float[][] {floats}));
      case "EvaluationBinaryROC": return new EvaluationBinary(3, (int) n[0]);
      case "ROC": return new ROC((int) n[0]);
      case "ROCBinary": return new ROCBinary((int) n[0]);
      case "ROCMultiClass": return new ROCMultiClass((int) n[0]);
      case "RegressionEvaluation": return new RegressionEvaluation();
      case "EvaluationCalibration": return new EvaluationCalibration((int) n[0], (int) n[1]);
      default: throw new IllegalArgumentException("no such evaluation: " + of[0]);
    }
  }
}
