import org.deeplearning4j.nn.conf.*; import org.deeplearning4j.nn.conf.distribution.*; import org.deeplearning4j.nn.conf.inputs.*; import org.deeplearning4j.nn.conf.layers.*; import org.deeplearning4j.nn.conf.layers.misc.*; import org.deeplearning4j.nn.conf.layers.recurrent.*; import org.deeplearning4j.nn.conf.layers.variational.*; import org.deeplearning4j.nn.conf.layers.samediff.*; import org.deeplearning4j.nn.conf.ocnn.*;
import org.deeplearning4j.nn.multilayer.*; import org.deeplearning4j.nn.weights.*; import org.nd4j.linalg.activations.*; import org.nd4j.linalg.api.ndarray.*; import java.io.*; import java.util.*;
/** How initial weights are distributed: the deciles of each scheme, and the largest weights of each layer by its fan-in and its fan-out. */
public class InitCases extends Core {
  static Map<String, INDArray> init(Layer l, InputType in, IWeightInit w) { MultiLayerNetwork n = new MultiLayerNetwork(new NeuralNetConfiguration.Builder().seed(5).activation(Activation.TANH).weightInit(w).list().layer(l).setInputType(in).build()); n.init(); return n.paramTable(); }
  interface Make { Layer of(); }
  static Map<String, Object> fans = new LinkedHashMap<>();
  static void fan(String name, InputType in, Make f) {
    try {
      Map<String, Object> of = new LinkedHashMap<>();
      Map<String, INDArray> a = init2(f.of(), in, WeightInit.VAR_SCALING_UNIFORM_FAN_IN), b = init2(f.of(), in, WeightInit.VAR_SCALING_UNIFORM_FAN_OUT);
      for (String k : a.keySet()) of.put(k.substring(2), new double[]{a.get(k).amaxNumber().doubleValue(), b.get(k).amaxNumber().doubleValue()});
      fans.put(name, of);
    } catch (Throwable t) { System.out.println("SKIP " + name + ": " + t); }
  }
  static Map<String, INDArray> init2(Layer l, InputType in, WeightInit w) {
    if (l instanceof SameDiffLayer) ((SameDiffLayer) l).setWeightInit(w);
    return init(l, in, w.getWeightInitFunction());
  }
  public static void main(String[] args) throws Exception {
    Map<String, Object> schemes = new LinkedHashMap<>(); Map<String, IWeightInit> all = new LinkedHashMap<>();
    for (WeightInit w : WeightInit.values()) if (w != WeightInit.DISTRIBUTION && w != WeightInit.IDENTITY) all.put(w.name(), w.getWeightInitFunction());
    Distribution[] ds = {new NormalDistribution(0.5, 0.2), new GaussianDistribution(0.5, 0.2), new UniformDistribution(-1, 2), new TruncatedNormalDistribution(1, 0.5), new LogNormalDistribution(0.1, 0.2), new BinomialDistribution(5, 0.25), new ConstantDistribution(0.5)};
    for (Distribution d : ds) all.put(d.getClass().getSimpleName(), new WeightInitDistribution(d));
    for (Map.Entry<String, IWeightInit> e : all.entrySet()) {
      try {
        float[] v = init(new DenseLayer.Builder().nIn(200).nOut(450).build(), InputType.feedForward(200), e.getValue()).get("0_W").dup().data().asFloat(); Arrays.sort(v);
        double[] q = new double[11]; for (int i = 0; i <= 10; i++) q[i] = v[Math.min(v.length - 1, i * v.length / 10)];
        schemes.put(e.getKey(), q);
      } catch (Throwable t) { System.out.println("SKIP " + e.getKey() + ": " + t); }
    }
    InputType ff = InputType.feedForward(60), rnn = InputType.recurrent(40, 6), image = InputType.convolutional(12, 10, 20), volume = InputType.convolutional3D(8, 8, 8, 12);
    fan("Dense", ff, () -> new DenseLayer.Builder().nOut(90).build());
    fan("Convolution2D", image, () -> new ConvolutionLayer.Builder(3, 2).stride(2, 1).nOut(50).build());
    fan("Convolution1D", rnn, () -> new Convolution1DLayer.Builder(3, 2).nOut(60).build());
    fan("Convolution3D", volume, () -> new Convolution3D.Builder(2, 3, 2).stride(1, 2, 1).nOut(40).build());
    fan("Deconvolution2D", image, () -> new Deconvolution2D.Builder(3, 2).stride(2, 1).nOut(50).build());
    fan("Deconvolution3D", volume, () -> new Deconvolution3D.Builder().kernelSize(2, 3, 2).stride(1, 2, 1).nOut(40).build());
    fan("DepthwiseConvolution2D", image, () -> new DepthwiseConvolution2D.Builder(5, 4).stride(2, 1).depthMultiplier(12).build());
    fan("SeparableConvolution2D", image, () -> new SeparableConvolution2D.Builder(5, 4).stride(2, 1).depthMultiplier(12).nOut(40).build());
    fan("LSTM", rnn, () -> new LSTM.Builder().nOut(50).build());
    fan("GravesLSTM", rnn, () -> new GravesLSTM.Builder().nOut(50).build());
    fan("GravesBidirectionalLSTM", rnn, () -> new GravesBidirectionalLSTM.Builder().nOut(50).build());
    fan("SimpleRnn", rnn, () -> new SimpleRnn.Builder().nOut(80).build());
    fan("Embedding", InputType.feedForward(100), () -> new EmbeddingLayer.Builder().nIn(100).nOut(60).build());
    fan("EmbeddingSequence", InputType.recurrent(100, 5), () -> new EmbeddingSequenceLayer.Builder().nIn(100).nOut(60).build());
    fan("AutoEncoder", ff, () -> new AutoEncoder.Builder().nOut(90).build());
    fan("VariationalAutoencoder", ff, () -> new VariationalAutoencoder.Builder().encoderLayerSizes(80, 70).decoderLayerSizes(90).nOut(75).build());
    fan("ElementWise", InputType.feedForward(6000), () -> new ElementWiseMultiplicationLayer.Builder().nIn(6000).nOut(6000).build());
    fan("OCNN", ff, () -> new OCNNOutputLayer.Builder().hiddenLayerSize(90).nIn(60).build());
    fan("LocallyConnected1D", rnn, () -> new LocallyConnected1D.Builder().kernelSize(3).stride(2).nOut(50).build());
    fan("LocallyConnected2D", image, () -> new LocallyConnected2D.Builder().kernelSize(3, 2).stride(2, 1).nOut(10).build());
    fan("SelfAttention", rnn, () -> new SelfAttentionLayer.Builder().nOut(120).nHeads(2).headSize(70).projectInput(true).build());
    fan("LearnedSelfAttention", rnn, () -> new LearnedSelfAttentionLayer.Builder().nOut(120).nHeads(2).headSize(70).projectInput(true).nQueries(130).build());
    fan("RecurrentAttention", rnn, () -> new RecurrentAttentionLayer.Builder().nIn(40).nOut(120).nHeads(2).headSize(70).projectInput(true).hasBias(true).build());
    fan("PrimaryCapsules", image, () -> new PrimaryCapsules.Builder(8, 30).kernelSize(3, 2).stride(2, 1).build());
    fan("Capsules", InputType.recurrent(12, 10), () -> new CapsuleLayer.Builder(14, 16, 2).build());
    Map<String, Object> out = new LinkedHashMap<>(); out.put("schemes", schemes); out.put("fans", fans);
    text(new File(ROOT, "initial.json"), js(out) + "\n"); System.out.println("DONE " + schemes.size() + " " + fans.size());
  }
}
