import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import org.datavec.api.transform.TransformProcess;
import org.datavec.api.writable.Text;
import org.datavec.api.writable.Writable;
import org.deeplearning4j.core.util.ModelGuesser;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.MultiLayerConfiguration;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.util.ModelSerializer;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.dataset.MultiDataSet;
import org.nd4j.linalg.dataset.api.preprocessor.DataNormalization;
import org.nd4j.linalg.dataset.api.preprocessor.MultiDataNormalization;
import org.nd4j.linalg.dataset.api.preprocessor.Normalizer;
import org.nd4j.linalg.dataset.api.preprocessor.serializer.NormalizerSerializer;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.shade.jackson.databind.JsonNode;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/**
 * Does with the real Deeplearning4j what is to be done with files that dl4go wrote, and leaves beside them what came of
 * it, which nn's TestDeeplearning4j compares. The argument is a folder with cases.json, a list of {name, kind, fits}; each
 * case is the folder of that name, and gets result.json, with the member "error" where it failed.
 */
class Interop {
  static final ObjectMapper json = new ObjectMapper();

  public static void main(String[] args) throws Exception {
    File root = new File(args[0]);
    missingMasks(new File(root, "missing.bin"));
    for (JsonNode c : json.readTree(new File(root, "cases.json"))) {
      File dir = new File(root, c.get("name").asText());
      Map<String, Object> result = new LinkedHashMap<>();
      try {
        switch (c.get("kind").asText()) {
          case "MultiLayerNetwork": row(dir, c.get("fits").asInt(), result); break;
          case "ComputationGraph": graph(dir, c.get("fits").asInt(), result); break;
          case "configuration": configuration(dir, result); break;
          case "normalizer": normalizer(dir, result); break;
          case "data": data(dir, result); break;
          case "pipeline": pipeline(dir); break;
          default: throw new IllegalArgumentException("no such kind: " + c);
        }
      } catch (Throwable t) {
        StringWriter w = new StringWriter();
        t.printStackTrace(new PrintWriter(w));
        result.put("error", w.toString());
      }
      json.writeValue(new File(dir, "result.json"), result);
    }
  }

  /** A thread reads back the masks that are missing in a MultiDataSet only after it has written such a one. */
  static void missingMasks(File f) throws IOException {
    INDArray[] two = {Nd4j.ones(1, 1), Nd4j.ones(1, 1)};
    new MultiDataSet(two, two, new INDArray[] {two[0], null}, null).save(f);
  }

  static String text(File dir, String name) throws IOException {
    return new String(Files.readAllBytes(new File(dir, name).toPath()), StandardCharsets.UTF_8);
  }

  static void write(File dir, String name, String text) throws IOException {
    Files.write(new File(dir, name).toPath(), text.getBytes(StandardCharsets.UTF_8));
  }

  static void row(File dir, int fits, Map<String, Object> result) throws Exception {
    File model = new File(dir, "model.zip");
    MultiLayerNetwork net = ModelSerializer.restoreMultiLayerNetwork(model, true);
    write(dir, "configuration.json", net.getLayerWiseConfigurations().toJson());
    write(dir, "configuration-yaml.json", MultiLayerConfiguration.fromYaml(text(dir, "configuration.yaml")).toJson());
    DataSet d = new DataSet();
    d.load(new File(dir, "data.bin"));
    DataSet c = d.copy();
    outputs(dir, net.output(c.getFeatures(), false, c.getFeaturesMaskArray(), c.getLabelsMaskArray()));
    result.put("score", net.score(d.copy(), false));
    List<Double> scores = new ArrayList<>();
    for (int i = 0; i < fits; i++) {
      net.fit(d.copy());
      scores.add(net.score());
    }
    result.put("fitScores", scores);
    around(dir, model, net, result);
  }

  static void graph(File dir, int fits, Map<String, Object> result) throws Exception {
    File model = new File(dir, "model.zip");
    ComputationGraph net = ModelSerializer.restoreComputationGraph(model, true);
    write(dir, "configuration.json", net.getConfiguration().toJson());
    write(dir, "configuration-yaml.json", ComputationGraphConfiguration.fromYaml(text(dir, "configuration.yaml")).toJson());
    MultiDataSet c = multi(dir);
    outputs(dir, net.output(false, c.getFeatures(), c.getFeaturesMaskArrays(), c.getLabelsMaskArrays()));
    result.put("score", net.score(multi(dir), false));
    List<Double> scores = new ArrayList<>();
    for (int i = 0; i < fits; i++) {
      net.fit(multi(dir));
      scores.add(net.score());
    }
    result.put("fitScores", scores);
    around(dir, model, net, result);
  }

  /** A network may change its data, and MultiDataSet.copy fails where one of several masks is null. */
  static MultiDataSet multi(File dir) throws IOException {
    MultiDataSet d = new MultiDataSet();
    d.load(new File(dir, "data.bin"));
    return d;
  }

  /** OCNNOutputLayer's outputs are a vector. */
  static void outputs(File dir, INDArray... out) throws IOException {
    for (int i = 0; i < out.length; i++) {
      out[i] = out[i].rank() < 2 ? out[i].reshape(out[i].length(), 1) : out[i];
    }
    new MultiDataSet(out, out).save(new File(dir, "outputs.bin"));
  }

  /** What is the same for both kinds of networks: the model after training, the guess what a file is, the normalizer. */
  static void around(File dir, File model, Model net, Map<String, Object> result) throws Exception {
    ModelSerializer.writeModel(net, new File(dir, "after.zip"), true);
    result.put("guess", ModelGuesser.loadModelGuess(model.getPath()).getClass().getSimpleName());
    Normalizer<?> n = ModelSerializer.restoreNormalizerFromFile(model);
    if (n != null) {
      NormalizerSerializer.getDefault().write(n, new File(dir, "normalizer-again.bin"));
    }
  }

  /** Runs the rows of a table without quotes through a pipeline, whose columns have names in the first line. */
  static void pipeline(File dir) throws IOException {
    TransformProcess steps = TransformProcess.fromJson(text(dir, "pipeline.json"));
    List<String> lines = Files.readAllLines(new File(dir, "raw.csv").toPath());
    List<String> header = Arrays.asList(lines.get(0).split(",", -1));
    StringBuilder out = new StringBuilder(String.join(",", steps.getFinalSchema().getColumnNames()));
    for (String line : lines.subList(1, lines.size())) {
      String[] fields = line.split(",", -1);
      List<Writable> row = new ArrayList<>();
      for (String column : steps.getInitialSchema().getColumnNames()) {
        row.add(new Text(fields[header.indexOf(column)]));
      }
      List<String> made = new ArrayList<>();
      for (Writable w : steps.execute(row)) {
        made.add(w.toString());
      }
      out.append('\n').append(String.join(",", made));
    }
    write(dir, "theirs.csv", out.toString());
  }

  /** Makes a network of a configuration alone. */
  static void configuration(File dir, Map<String, Object> result) throws Exception {
    Object conf = ModelGuesser.loadConfigGuess(new File(dir, "configuration.json").getPath());
    Model net = conf instanceof MultiLayerConfiguration
        ? new MultiLayerNetwork((MultiLayerConfiguration) conf) : new ComputationGraph((ComputationGraphConfiguration) conf);
    net.init();
    INDArray params = net.params(); // numParams() leaves out those of vertices
    result.put("params", params == null ? 0 : params.length());
    result.put("class", net.getClass().getSimpleName());
  }

  static void normalizer(File dir, Map<String, Object> result) throws Exception {
    Normalizer<?> n = NormalizerSerializer.getDefault().restore(new File(dir, "normalizer.bin"));
    result.put("class", n.getClass().getSimpleName());
    NormalizerSerializer.getDefault().write(n, new File(dir, "normalizer-again.bin"));
    if (n instanceof MultiDataNormalization) {
      MultiDataSet d = new MultiDataSet();
      d.load(new File(dir, "data.bin"));
      ((MultiDataNormalization) n).transform(d);
      d.save(new File(dir, "transformed.bin"));
      ((MultiDataNormalization) n).revert(d);
      d.save(new File(dir, "reverted.bin"));
      return;
    }
    DataSet d = new DataSet();
    d.load(new File(dir, "data.bin"));
    ((DataNormalization) n).transform(d);
    d.save(new File(dir, "transformed.bin"));
    ((DataNormalization) n).revertFeatures(d.getFeatures(), d.getFeaturesMaskArray());
    if (((DataNormalization) n).isFitLabel()) {
      ((DataNormalization) n).revertLabels(d.getLabels(), d.getLabelsMaskArray());
    }
    d.save(new File(dir, "reverted.bin"));
  }

  /** Reads a DataSet, or a MultiDataSet, and writes it again. */
  static void data(File dir, Map<String, Object> result) throws Exception {
    if (new File(dir, "multi").exists()) {
      MultiDataSet m = new MultiDataSet();
      m.load(new File(dir, "data.bin"));
      m.save(new File(dir, "data-again.bin"));
      return;
    }
    DataSet d = new DataSet();
    d.load(new File(dir, "data.bin"));
    result.put("labelNames", d.getLabelNamesList());
    result.put("metadata", d.getExampleMetaData());
    d.save(new File(dir, "data-again.bin"));
  }
}
