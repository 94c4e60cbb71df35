import org.deeplearning4j.earlystopping.scorecalc.*;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.layers.feedforward.autoencoder.AutoEncoder;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.util.ModelSerializer;
import org.nd4j.evaluation.regression.RegressionEvaluation.Metric;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.dataset.api.iterator.DataSetIterator;
import org.deeplearning4j.datasets.iterator.utilty.ListDataSetIterator;
import org.nd4j.linalg.factory.Nd4j;
import java.io.*; import java.util.*;

/** Scores of reconstructions by early stopping's calculators, for networks of nets/ with an autoencoder first: ReconstructionCases NETS NAME… */
public class ReconstructionCases extends Core {
  public static void main(String[] args) throws Exception {
    Map<String, Object> all = new LinkedHashMap<>();
    for (int k = 1; k < args.length; k++) {
      File d = new File(args[0], args[k]);
      Model net;
      boolean graph = new String(java.nio.file.Files.readAllBytes(new File(d, "conf.json").toPath()), "UTF-8").contains("\"vertices\"");
      net = graph ? ModelSerializer.restoreComputationGraph(new File(d, "model.zip")) : ModelSerializer.restoreMultiLayerNetwork(new File(d, "model.zip"));
      DataSet data = new DataSet(); data.load(new File(d, "dataset.bin"));
      boolean plain = (graph ? ((ComputationGraph) net).getLayer(0) : ((MultiLayerNetwork) net).getLayer(0)) instanceof AutoEncoder;
      Map<String, Object> scores = new LinkedHashMap<>();
      for (Metric m : Metric.values()) {
        DataSetIterator it = new ListDataSetIterator<>(data.asList(), 2);
        scores.put(m.name(), plain ? new AutoencoderScoreCalculator(m, it).calculateScore(net) : new VAEReconErrorScoreCalculator(m, it).calculateScore(net));
      }
      if (!plain) try {
        Nd4j.getRandom().setSeed(7);
        int samples = 1000;
        scores.put("samples", samples);
        for (boolean average : new boolean[]{true, false}) for (boolean log : new boolean[]{true, false})
          scores.put((log ? "logProb" : "prob") + (average ? "" : "Total"), new VAEReconProbScoreCalculator(new ListDataSetIterator<>(data.asList(), 64), samples, log, average).calculateScore(net));
      } catch (UnsupportedOperationException e) { scores.put("refused", true); }
      all.put(args[k], scores);
    }
    System.out.println(js(all));
  }
}
