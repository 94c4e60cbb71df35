import org.deeplearning4j.nn.api.OptimizationAlgorithm;
import org.deeplearning4j.nn.conf.*;
import org.deeplearning4j.nn.conf.distribution.Distribution;
import org.deeplearning4j.nn.conf.distribution.NormalDistribution;
import org.deeplearning4j.nn.conf.distribution.UniformDistribution;
import org.deeplearning4j.nn.conf.graph.*;
import org.deeplearning4j.nn.conf.graph.rnn.*;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.*;
import org.deeplearning4j.nn.conf.layers.variational.*;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.weights.WeightInit;
import org.deeplearning4j.util.ModelSerializer;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.activations.impl.*;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.dataset.MultiDataSet;
import org.nd4j.linalg.dataset.api.preprocessor.MultiNormalizerHybrid;
import org.nd4j.linalg.dataset.api.preprocessor.NormalizerStandardize;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.*;
import org.nd4j.linalg.lossfunctions.LossFunctions;
import org.nd4j.linalg.lossfunctions.impl.*;
import java.io.*;
import java.nio.*;
import java.nio.file.*;
import java.util.*;

/**
 * Small networks as some version of Deeplearning4j writes them, with what it computes. It compiles against 0.9.1 to
 * 1.0.0-M2.1: what differs between them is called by name. -Dtype=DOUBLE, HALF or BFLOAT16 sets the networks' type.
 * Arguments: the folder to write into, names of cases.
 */
public class SavedModels {
  static File root;
  static Set<String> only;
  static final String TYPE = System.getProperty("type", "");

  /** the data type TYPE of versions that have several */
  @SuppressWarnings({"unchecked", "rawtypes"})
  static Object type() throws Exception {
    return Enum.valueOf((Class) Class.forName("org.nd4j.linalg.api.buffer.DataType"), TYPE);
  }

  static INDArray typed(INDArray a) {
    if (TYPE.isEmpty()) return a;
    try {
      return (INDArray) INDArray.class.getMethod("castTo", type().getClass()).invoke(a, type());
    } catch (Exception e) {
      throw new RuntimeException(e);
    }
  }

  static INDArray g(long seed, int... shape) {
    Random r = new Random(seed);
    int n = 1;
    for (int s : shape) n *= s;
    float[] f = new float[n];
    for (int i = 0; i < n; i++) f[i] = (float) r.nextGaussian();
    return typed(Nd4j.create(f, shape));
  }

  /** one-hot along dimension 1 of [n, k] or [n, k, t] */
  static INDArray oh(long seed, int n, int k, int... t) {
    Random r = new Random(seed);
    int steps = t.length == 0 ? 1 : t[0];
    float[] f = new float[n * k * steps];
    for (int i = 0; i < n; i++) for (int j = 0; j < steps; j++) f[(i * k + r.nextInt(k)) * steps + j] = 1;
    return typed(Nd4j.create(f, t.length == 0 ? new int[] {n, k} : new int[] {n, k, steps}));
  }

  static INDArray index(long seed, int n, int k) {
    Random r = new Random(seed);
    float[] f = new float[n];
    for (int i = 0; i < n; i++) f[i] = r.nextInt(k);
    return typed(Nd4j.create(f, new int[] {n, 1}));
  }

  static void f32(File dir, String name, INDArray a) throws IOException {
    if (a == null) return;
    INDArray c = a.dup('c');
    int n = (int) Long.parseLong(String.valueOf(c.length()));
    ByteBuffer b = ByteBuffer.allocate(4 * n).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < n; i++) b.putFloat((float) c.data().getDouble(i));
    Files.write(new File(dir, name + ".f32").toPath(), b.array());
  }

  /** calls a method that some versions lack; gives whether it is there */
  static boolean call(Object on, String method, Class<?> type, Object value) {
    try {
      on.getClass().getMethod(method, type).invoke(on, value);
      return true;
    } catch (NoSuchMethodException e) {
      return false;
    } catch (Exception e) {
      throw new RuntimeException(e);
    }
  }

  static NeuralNetConfiguration.Builder conf(IUpdater u) {
    NeuralNetConfiguration.Builder b = new NeuralNetConfiguration.Builder().seed(7).weightInit(WeightInit.XAVIER).updater(u);
    call(b, "iterations", int.class, 1);
    try {
      if (!TYPE.isEmpty()) call(b, "dataType", type().getClass(), type());
    } catch (Exception e) {
      throw new RuntimeException(e);
    }
    try { // 0.9.1 takes the rate from here
      call(b, "learningRate", double.class, u.getClass().getMethod("getLearningRate").invoke(u));
    } catch (NoSuchMethodException e) {
    } catch (Exception e) {
      throw new RuntimeException(e);
    }
    return b;
  }

  /** weights drawn from a distribution, which later versions say in another way */
  static DenseLayer.Builder drawn(DenseLayer.Builder b, Distribution d) {
    if (!call(b, "weightInit", Distribution.class, d)) b.weightInit(WeightInit.DISTRIBUTION).dist(d);
    return b;
  }

  static void yaml(File dir, String text) throws IOException {
    if (System.getProperty("yaml") != null) Files.write(new File(dir, "conf.yaml").toPath(), text.getBytes("UTF-8"));
  }

  interface Make<T> { T get() throws Exception; }

  static INDArray state(Object updater) throws Exception {
    return (INDArray) updater.getClass().getMethod("getStateViewArray").invoke(updater);
  }

  static void mln(String name, DataSet d, boolean train, Make<MultiLayerConfiguration> c) {
    if (!only.isEmpty() && !only.contains(name)) return;
    File dir = new File(root, name);
    try {
      MultiLayerNetwork n = new MultiLayerNetwork(c.get());
      n.init();
      if (train) for (int i = 0; i < 2; i++) n.fit(d.copy());
      dir.mkdirs();
      ModelSerializer.writeModel(n, new File(dir, "model.zip"), true);
      d.save(new File(dir, "dataset.bin"));
      yaml(dir, n.getLayerWiseConfigurations().toYaml());
      f32(dir, "output", n.output(d.getFeatures().dup(), false));
      String score = "";
      if (train) {
        score = "" + n.score(d.copy(), false);
        n.fit(d.copy());
        f32(dir, "params_after_1", n.params());
        f32(dir, "state_after_1", state(n.getUpdater()));
      }
      Files.write(new File(dir, "score.txt").toPath(), (score + "\n").getBytes());
      System.out.println("ok " + name + " " + score);
    } catch (Throwable t) {
      failed(name, dir, t);
    }
  }

  static void cg(String name, MultiDataSet d, boolean train, Make<ComputationGraphConfiguration> c) {
    if (!only.isEmpty() && !only.contains(name)) return;
    File dir = new File(root, name);
    try {
      ComputationGraph n = new ComputationGraph(c.get());
      n.init();
      if (train) for (int i = 0; i < 2; i++) n.fit(d.copy());
      dir.mkdirs();
      ModelSerializer.writeModel(n, new File(dir, "model.zip"), true);
      d.save(new File(dir, "dataset.bin"));
      yaml(dir, n.getConfiguration().toYaml());
      INDArray[] in = new INDArray[d.getFeatures().length];
      for (int i = 0; i < in.length; i++) in[i] = d.getFeatures(i).dup();
      INDArray[] out = n.output(false, in);
      for (int i = 0; i < out.length; i++) f32(dir, "output_" + i, out[i]);
      String score = "";
      if (train) {
        score = "" + n.score(d.copy(), false);
        n.fit(d.copy());
        f32(dir, "params_after_1", n.params());
        f32(dir, "state_after_1", state(n.getUpdater()));
      }
      Files.write(new File(dir, "score.txt").toPath(), (score + "\n").getBytes());
      System.out.println("ok " + name + " " + score);
    } catch (Throwable t) {
      failed(name, dir, t);
    }
  }

  /** models with a normalizer in them; the data is as it was before, the outputs are of what the normalizer made of it */
  static void normalized() {
    if (!only.isEmpty() && !only.contains("normalized")) return;
    File dir = new File(root, "normalized"), graph = new File(root, "graph-normalized");
    try {
      dir.mkdirs();
      graph.mkdirs();
      DataSet d = new DataSet(g(20, 6, 4).mul(3).add(1), oh(21, 6, 3));
      MultiLayerNetwork n = new MultiLayerNetwork(conf(new Sgd(0.1)).list()
          .layer(0, new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT).nIn(4).nOut(3).activation(Activation.SOFTMAX).build()).build());
      n.init();
      NormalizerStandardize by = new NormalizerStandardize();
      by.fit(d);
      ModelSerializer.writeModel(n, new File(dir, "model.zip"), true);
      ModelSerializer.addNormalizerToModel(new File(dir, "model.zip"), by);
      d.save(new File(dir, "dataset.bin"));
      by.transform(d);
      f32(dir, "output", n.output(d.getFeatures(), false));

      MultiDataSet m = new MultiDataSet(new INDArray[] {g(22, 4, 3).mul(5), g(23, 4, 2)}, new INDArray[] {g(24, 4, 2)});
      ComputationGraph c = new ComputationGraph(conf(new Sgd(0.1)).graphBuilder().addInputs("x", "y")
          .addVertex("both", new MergeVertex(), "x", "y")
          .addLayer("out", new OutputLayer.Builder(LossFunctions.LossFunction.MSE).nIn(5).nOut(2).activation(Activation.IDENTITY).build(), "both")
          .setOutputs("out").build());
      c.init();
      MultiNormalizerHybrid hybrid = new MultiNormalizerHybrid().minMaxScaleAllInputs(-1, 2).standardizeInput(1);
      hybrid.fit(m);
      ModelSerializer.writeModel(c, new File(graph, "model.zip"), true);
      ModelSerializer.addNormalizerToModel(new File(graph, "model.zip"), hybrid);
      m.save(new File(graph, "dataset.bin"));
      hybrid.transform(m);
      f32(graph, "output_0", c.output(false, m.getFeatures())[0]);
      for (File f : new File[] {dir, graph}) Files.write(new File(f, "score.txt").toPath(), "\n".getBytes());
      System.out.println("ok normalized");
    } catch (Throwable t) {
      failed("normalized", dir, t);
      failed("graph-normalized", graph, t);
    }
  }

  static void failed(String name, File dir, Throwable t) {
    StringWriter w = new StringWriter();
    t.printStackTrace(new PrintWriter(w));
    System.out.println("FAILED " + name + ": " + w.toString().substring(0, Math.min(1500, w.toString().length())));
    File[] files = dir.listFiles();
    if (files != null) for (File f : files) f.delete();
    dir.delete();
  }

  public static void main(String[] args) throws Exception {
    root = new File(args[0]);
    only = new HashSet<>(Arrays.asList(args).subList(1, args.length));
    normalized();
    DataSet rows = new DataSet(g(1, 6, 4), oh(2, 6, 3));

    mln("mlp", rows, true, () -> {
      NeuralNetConfiguration.Builder b = conf(new Adam(0.01, 0.9, 0.999, 1e-8));
      call(b, "regularization", boolean.class, true);
      b.l2(0.01).l1(0.001);
      return b.list()
          .layer(0, new DenseLayer.Builder().nIn(4).nOut(5).activation(Activation.TANH).build())
          .layer(1, new DenseLayer.Builder().nIn(5).nOut(4).activation(new ActivationLReLU(0.2)).biasInit(0.1).build())
          .layer(2, new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT).nIn(4).nOut(3).activation(Activation.SOFTMAX).build())
          .build();
    });

    mln("cnn", new DataSet(g(3, 4, 36), oh(4, 4, 2)), true, () -> conf(new Nesterovs(0.05, 0.8)).list()
        .layer(0, new ConvolutionLayer.Builder(3, 3).nOut(2).activation(Activation.RELU).build())
        .layer(1, new BatchNormalization.Builder().build())
        .layer(2, new SubsamplingLayer.Builder(PoolingType.AVG).kernelSize(3, 3).stride(1, 1).padding(1, 1).build())
        .layer(3, new SubsamplingLayer.Builder(PoolingType.MAX).kernelSize(2, 2).stride(2, 2).build())
        .layer(4, new DenseLayer.Builder().nOut(3).activation(Activation.SIGMOID).build())
        .layer(5, new OutputLayer.Builder(LossFunctions.LossFunction.NEGATIVELOGLIKELIHOOD).nOut(2).activation(Activation.SOFTMAX).build())
        .setInputType(InputType.convolutionalFlat(6, 6, 1)).build());

    mln("rnn", new DataSet(g(5, 2, 3, 4), oh(6, 2, 2, 4)), true, () -> conf(new RmsProp(0.01)).list()
        .layer(0, new GravesLSTM.Builder().nIn(3).nOut(3).activation(Activation.TANH).build())
        .layer(1, new GravesBidirectionalLSTM.Builder().nIn(3).nOut(2).activation(Activation.SOFTSIGN).build())
        .layer(2, new DenseLayer.Builder().nIn(2).nOut(3).activation(Activation.ELU).build())
        .layer(3, new RnnOutputLayer.Builder(LossFunctions.LossFunction.MCXENT).nIn(3).nOut(2).activation(Activation.SOFTMAX).build())
        .inputPreProcessor(2, new org.deeplearning4j.nn.conf.preprocessor.RnnToFeedForwardPreProcessor())
        .inputPreProcessor(3, new org.deeplearning4j.nn.conf.preprocessor.FeedForwardToRnnPreProcessor())
        .build());

    mln("settings", rows, false, () -> {
      NeuralNetConfiguration.Builder b = conf(new AdaDelta(0.9, 1e-6));
      return b.gradientNormalization(GradientNormalization.ClipL2PerLayer).gradientNormalizationThreshold(0.5).list()
          .layer(0, drawn(new DenseLayer.Builder().nIn(4).nOut(5).activation(Activation.HARDSIGMOID).dropOut(0.8), new NormalDistribution(0.0, 0.2)).build())
          .layer(1, new DropoutLayer.Builder(0.6).build())
          .layer(2, new ActivationLayer.Builder().activation(Activation.CUBE).build())
          .layer(3, drawn(new DenseLayer.Builder().nIn(5).nOut(4).activation(new ActivationRReLU(0.1, 0.3)).updater(new Sgd(0.2)),
              new UniformDistribution(-0.3, 0.3)).build())
          .layer(4, new OutputLayer.Builder(new LossMSE(Nd4j.create(new float[] {1, 2, 0.5f}))).nIn(4).nOut(3).activation(Activation.RATIONALTANH)
              .weightInit(WeightInit.RELU_UNIFORM).build())
          .backpropType(BackpropType.TruncatedBPTT).tBPTTForwardLength(7).tBPTTBackwardLength(7).build();
    });

    mln("images", new DataSet(g(7, 3, 72), oh(8, 3, 2)), false, () -> conf(new Sgd(0.1)).list()
        .layer(0, new ZeroPaddingLayer.Builder(1, 1).build())
        .layer(1, new ConvolutionLayer.Builder(3, 3).nOut(4).stride(2, 2).convolutionMode(ConvolutionMode.Same).activation(Activation.IDENTITY).build())
        .layer(2, new LocalResponseNormalization.Builder().build())
        .layer(3, new GlobalPoolingLayer.Builder(PoolingType.PNORM).pnorm(3).build())
        .layer(4, new CenterLossOutputLayer.Builder(LossFunctions.LossFunction.MCXENT).alpha(0.1).lambda(0.01).nOut(2).activation(Activation.SOFTMAX).build())
        .setInputType(InputType.convolutionalFlat(6, 6, 2)).build());

    mln("embedding", new DataSet(index(9, 5, 6), g(10, 5, 2)), true, () -> conf(new AdaGrad(0.1, 1e-6)).list()
        .layer(0, new EmbeddingLayer.Builder().nIn(6).nOut(3).activation(Activation.IDENTITY).build())
        .layer(1, new AutoEncoder.Builder().nIn(3).nOut(3).corruptionLevel(0.2).activation(Activation.TANH).build())
        .layer(2, new OutputLayer.Builder(LossFunctions.LossFunction.MSE).nIn(3).nOut(2).activation(Activation.IDENTITY).build())
        .build());

    mln("vae", rows, false, () -> conf(new Sgd(0.1)).list()
        .layer(0, new VariationalAutoencoder.Builder().nIn(4).nOut(2).encoderLayerSizes(5).decoderLayerSizes(4).activation(Activation.TANH)
            .pzxActivationFunction(Activation.IDENTITY).reconstructionDistribution(new GaussianReconstructionDistribution(Activation.TANH)).build())
        .layer(1, new OutputLayer.Builder(LossFunctions.LossFunction.L1).nIn(2).nOut(3).activation(Activation.IDENTITY).build())
        .build());

    cg("graph", new MultiDataSet(new INDArray[] {g(11, 4, 3), g(12, 4, 2)}, new INDArray[] {oh(13, 4, 2), g(14, 4, 1)}), true,
        () -> conf(new Nesterovs(0.1, 0.9)).graphBuilder().addInputs("x", "y")
            .addLayer("a", new DenseLayer.Builder().nIn(3).nOut(4).activation(Activation.TANH).build(), "x")
            .addLayer("b", new DenseLayer.Builder().nIn(2).nOut(4).activation(Activation.SIGMOID).build(), "y")
            .addVertex("sum", new ElementWiseVertex(ElementWiseVertex.Op.Add), "a", "b")
            .addVertex("merge", new MergeVertex(), "sum", "a")
            .addVertex("part", new SubsetVertex(1, 6), "merge")
            .addVertex("scale", new ScaleVertex(0.5), "part")
            .addVertex("norm", new L2NormalizeVertex(), "scale")
            .addLayer("class", new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT).nIn(6).nOut(2).activation(Activation.SOFTMAX).build(), "norm")
            .addLayer("value", new OutputLayer.Builder(LossFunctions.LossFunction.MSE).nIn(6).nOut(1).activation(Activation.IDENTITY).build(), "part")
            .setOutputs("class", "value").build());

    cg("graph-rnn", new MultiDataSet(new INDArray[] {g(15, 3, 2, 4), g(16, 3, 2, 5)}, new INDArray[] {oh(17, 3, 2, 5)}), true,
        () -> conf(new Adam(0.01, 0.9, 0.999, 1e-8)).graphBuilder().addInputs("from", "to")
            .addLayer("read", new LSTM.Builder().nIn(2).nOut(3).activation(Activation.TANH).build(), "from")
            .addVertex("last", new LastTimeStepVertex("from"), "read")
            .addVertex("again", new DuplicateToTimeSeriesVertex("to"), "last")
            .addLayer("write", new GravesLSTM.Builder().nIn(5).nOut(3).activation(Activation.TANH).build(), "to", "again")
            .addLayer("out", new RnnOutputLayer.Builder(LossFunctions.LossFunction.MCXENT).nIn(3).nOut(2).activation(Activation.SOFTMAX).build(), "write")
            .setOutputs("out").build());
  }
}
