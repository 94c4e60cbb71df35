import org.deeplearning4j.nn.conf.*; import org.deeplearning4j.nn.conf.constraint.*; import org.deeplearning4j.nn.conf.dropout.*; import org.deeplearning4j.nn.conf.graph.*; import org.deeplearning4j.nn.conf.inputs.*; import org.deeplearning4j.nn.conf.layers.*; import org.deeplearning4j.nn.conf.weightnoise.*;
import org.deeplearning4j.nn.api.*; import org.deeplearning4j.nn.graph.*; import org.deeplearning4j.nn.multilayer.*; import org.deeplearning4j.nn.transferlearning.*; import org.deeplearning4j.nn.weights.*; import org.deeplearning4j.util.*;
import org.nd4j.linalg.activations.*; import org.nd4j.linalg.learning.config.*; import org.nd4j.linalg.lossfunctions.*; import java.io.*; import java.util.*;
/** Networks made of others by transfer learning: trained.zip, and the configuration and parameters of what comes of it. */
public class TransferCases extends Core {
  static NeuralNetConfiguration.Builder base() { return new NeuralNetConfiguration.Builder().seed(3).updater(new Sgd(0.1)).activation(Activation.RELU).l2(0.01); }
  static OutputLayer out(int n) { return new OutputLayer.Builder(LossFunctions.LossFunction.MSE).activation(Activation.IDENTITY).nOut(n).build(); }
  static DenseLayer d(int n) { return new DenseLayer.Builder().nOut(n).build(); }
  static MultiLayerNetwork cnn() {
    MultiLayerNetwork n = new MultiLayerNetwork(base().dropOut(0.9).list().layer(new ConvolutionLayer.Builder(2, 2).nOut(2).build()).layer(new SubsamplingLayer.Builder().kernelSize(2, 2).build()).layer(new BatchNormalization()).layer(d(4)).layer(out(3)).setInputType(InputType.convolutional(5, 5, 1)).build()); n.init(); perturb(n.paramTable(), 7); return n; }
  static MultiLayerNetwork mlp() { MultiLayerNetwork n = new MultiLayerNetwork(new NeuralNetConfiguration.Builder().seed(3).list().layer(new DenseLayer.Builder().nIn(4).nOut(5).build()).layer(new DenseLayer.Builder().nIn(5).nOut(6).build()).layer(new OutputLayer.Builder(LossFunctions.LossFunction.MSE).activation(Activation.IDENTITY).nIn(6).nOut(3).build()).build()); n.init(); perturb(n.paramTable(), 8); return n; }
  static ComputationGraph branches(NeuralNetConfiguration.Builder b) {
    ComputationGraph n = new ComputationGraph(b.graphBuilder().addInputs("a", "b").addLayer("d1", d(4), "a").addLayer("d2", d(4), "b").addVertex("add", new ElementWiseVertex(ElementWiseVertex.Op.Add), "d1", "d2").addLayer("d3", d(5), "add").addLayer("out1", out(3), "d3").addLayer("out2", out(2), "d3", "d1").setOutputs("out1", "out2").setInputTypes(InputType.feedForward(3), InputType.feedForward(2)).build()); n.init(); perturb(n.paramTable(), 9); return n; }
  static ComputationGraph chain() { ComputationGraph n = new ComputationGraph(new NeuralNetConfiguration.Builder().seed(3).graphBuilder().addInputs("a").addLayer("d1", d(4), "a").addLayer("d2", d(5), "d1").addLayer("out", out(3), "d2").setOutputs("out").setInputTypes(InputType.feedForward(3)).build()); n.init(); perturb(n.paramTable(), 9); return n; }
  static FineTuneConfiguration.Builder some() { return new FineTuneConfiguration.Builder().seed(77).updater(new Adam(0.002)).l2(0.03); }
  static FineTuneConfiguration all() {
    return new FineTuneConfiguration.Builder().seed(77).activation(Activation.TANH).weightInit(WeightInit.RELU_UNIFORM).biasInit(0.1).l1(0.01).l2(0.02).l1Bias(0.03).l2Bias(0.04).dropOut(0.7).weightNoise(new DropConnect(0.9))
      .updater(new Nesterovs(0.002, 0.8)).biasUpdater(new Sgd(0.01)).miniBatch(false).gradientNormalization(GradientNormalization.ClipL2PerLayer).gradientNormalizationThreshold(0.7).convolutionMode(ConvolutionMode.Same)
      .constraints(Arrays.asList(new MaxNormConstraint(2.0, Collections.singleton("W"), 1))).backpropType(BackpropType.TruncatedBPTT).tbpttFwdLength(3).tbpttBackLength(2).build();
  }
  static FineTuneConfiguration none() { return new FineTuneConfiguration.Builder().seed(77).l2(0).dropOut(0).gradientNormalization(GradientNormalization.None).constraints(null).weightNoise(null).build(); }
  static File begin(String name, Model m) throws Exception { if (!ONLY.isEmpty() && !name.matches(ONLY)) return null; File d = dir(name); ModelSerializer.writeModel(m, new File(d, "trained.zip"), false); return d; }
  static void end(File d, String json, Model m) throws Exception { text(new File(d, "conf.json"), json); f32(d, "params", m.params(), new HashMap<>()); System.out.println("ok " + d.getName()); }
  static void mln(String name, MultiLayerNetwork n, Sup2<TransferLearning.Builder> f) throws Exception { File d = begin(name, n); if (d == null) return; MultiLayerNetwork m = f.of(new TransferLearning.Builder(n)).build(); end(d, m.getLayerWiseConfigurations().toJson(), m); }
  static void cg(String name, ComputationGraph n, Sup2<TransferLearning.GraphBuilder> f) throws Exception { File d = begin(name, n); if (d == null) return; ComputationGraph m = f.of(new TransferLearning.GraphBuilder(n)).build(); end(d, m.getConfiguration().toJson(), m); }
  interface Sup2<T> { T of(T b); }
  public static void main(String[] args) throws Exception {
    mln("layers-head", cnn(), b -> b.fineTuneConfiguration(some().dropOut(0.8).build()).setFeatureExtractor(2).removeOutputLayer().addLayer(new DenseLayer.Builder().nIn(4).nOut(6).build()).addLayer(new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT).activation(Activation.SOFTMAX).nIn(6).nOut(4).build()));
    mln("layers-fine-tune", cnn(), b -> b.fineTuneConfiguration(all()));
    mln("layers-without", cnn(), b -> b.fineTuneConfiguration(none()));
    mln("layers-sizes", mlp(), b -> b.fineTuneConfiguration(new FineTuneConfiguration.Builder().seed(3).build()).nOutReplace(0, 7, WeightInit.XAVIER_UNIFORM));
    cg("graph-head", branches(base()), b -> b.fineTuneConfiguration(some().build()).setFeatureExtractor("add").removeVertexAndConnections("out1").removeVertexAndConnections("out2").removeVertexAndConnections("out2-merge").addVertex("scaled", new ScaleVertex(0.5), "d3").addLayer("d4", new DenseLayer.Builder().nIn(5).nOut(6).build(), "scaled").addLayer("out3", new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT).activation(Activation.SOFTMAX).nIn(6).nOut(4).build(), "d4").setOutputs("out3"));
    cg("graph-keep", branches(base()), b -> b.fineTuneConfiguration(some().build()).removeVertexKeepConnections("d3").addLayer("d3", new DenseLayer.Builder().nIn(4).nOut(5).build(), "add"));
    cg("graph-fine-tune", branches(base()), b -> b.fineTuneConfiguration(all()));
    cg("graph-sizes", chain(), b -> b.nOutReplace("d1", 8, WeightInit.RELU));
    System.out.println("DONE");
  }
}
