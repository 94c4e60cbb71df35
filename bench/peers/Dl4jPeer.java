import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.MultiLayerConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.LSTM;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.conf.layers.RnnOutputLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.weights.WeightInit;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** Deeplearning4j's side of the benchmark: reads "WORK CALLS" lines, answers with the mean milliseconds of a call. */
public class Dl4jPeer {
  static MultiLayerNetwork mlp() {
    return init(new NeuralNetConfiguration.Builder().seed(1).updater(new Nesterovs(0.1, 0.9)).weightInit(WeightInit.XAVIER).list()
        .layer(new DenseLayer.Builder().nIn(784).nOut(500).activation(Activation.RELU).build())
        .layer(output().nIn(500).build()).build());
  }

  static MultiLayerNetwork lenet() {
    return init(new NeuralNetConfiguration.Builder().seed(1).updater(new Adam(1e-3)).weightInit(WeightInit.XAVIER).list()
        .layer(conv(20)).layer(pool()).layer(conv(50)).layer(pool())
        .layer(new DenseLayer.Builder().nOut(500).activation(Activation.RELU).build())
        .layer(output().build()).setInputType(InputType.convolutionalFlat(28, 28, 1)).build());
  }

  static MultiLayerNetwork chars() {
    return init(new NeuralNetConfiguration.Builder().seed(1).updater(new Adam(1e-3)).weightInit(WeightInit.XAVIER).list()
        .layer(new LSTM.Builder().nOut(200).activation(Activation.TANH).build())
        .layer(new RnnOutputLayer.Builder(LossFunction.MCXENT).nOut(77).activation(Activation.SOFTMAX).build())
        .setInputType(InputType.recurrent(77, 50)).build());
  }

  static ComputationGraph resnet() {
    ComputationGraphConfiguration.GraphBuilder b = new NeuralNetConfiguration.Builder().seed(1).updater(new Nesterovs(0.01, 0.9))
        .weightInit(WeightInit.XAVIER).graphBuilder().addInputs("image").setInputTypes(InputType.convolutional(32, 32, 3))
        .addLayer("first", conv3(), "image");
    String last = "first";
    for (int i = 0; i < 4; i++) {
      b.addLayer("a" + i, conv3(), last).addLayer("a-norm" + i, new BatchNormalization.Builder().build(), "a" + i)
          .addLayer("a-relu" + i, new ActivationLayer(Activation.RELU), "a-norm" + i)
          .addLayer("b" + i, conv3(), "a-relu" + i).addLayer("b-norm" + i, new BatchNormalization.Builder().build(), "b" + i)
          .addVertex("sum" + i, new ElementWiseVertex(ElementWiseVertex.Op.Add), "b-norm" + i, last)
          .addLayer("relu" + i, new ActivationLayer(Activation.RELU), "sum" + i);
      last = "relu" + i;
    }
    b.addLayer("pool", new GlobalPoolingLayer(PoolingType.AVG), last).addLayer("out", output().build(), "pool").setOutputs("out");
    ComputationGraph net = new ComputationGraph(b.build());
    net.init();
    return net;
  }

  static ConvolutionLayer conv3() {
    return new ConvolutionLayer.Builder(3, 3).nOut(64).padding(1, 1).hasBias(false).activation(Activation.IDENTITY).build();
  }

  static ConvolutionLayer conv(int n) {
    return new ConvolutionLayer.Builder(5, 5).nOut(n).stride(1, 1).activation(Activation.IDENTITY).build();
  }

  static SubsamplingLayer pool() {
    return new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.MAX).kernelSize(2, 2).stride(2, 2).build();
  }

  static OutputLayer.Builder output() {
    return new OutputLayer.Builder(LossFunction.NEGATIVELOGLIKELIHOOD).nOut(10).activation(Activation.SOFTMAX);
  }

  static MultiLayerNetwork init(MultiLayerConfiguration conf) {
    MultiLayerNetwork net = new MultiLayerNetwork(conf);
    net.init();
    return net;
  }

  public static void main(String[] args) throws Exception {
    INDArray x = Nd4j.rand(64, 784), y = Nd4j.zeros(64, 10);
    for (int i = 0; i < 64; i++) y.putScalar(i, i % 10, 1);
    DataSet d = new DataSet(x, y);
    INDArray a = Nd4j.rand(1024, 1024), b = Nd4j.rand(1024, 1024), w = Nd4j.rand(500, 784).transpose();
    MultiLayerNetwork mlp = mlp(), lenet = lenet();
    Map<String, Runnable> works = new HashMap<>();
    works.put("mlp-step", () -> mlp.fit(d));
    works.put("mlp-output", () -> mlp.output(x));
    works.put("lenet-step", () -> lenet.fit(d));
    works.put("lenet-output", () -> lenet.output(x));
    INDArray in = Nd4j.zeros(64, 77, 50), next = Nd4j.zeros(64, 77, 50);
    for (int i = 0; i < 3200; i++) {
      in.putScalar(i / 50, i * 7 % 77, i % 50, 1);
      next.putScalar(i / 50, (i + 1) * 7 % 77, i % 50, 1);
    }
    DataSet steps = new DataSet(in, next);
    MultiLayerNetwork chars = chars();
    works.put("lstm-step", () -> chars.fit(steps));
    INDArray classes = Nd4j.zeros(32, 10);
    for (int i = 0; i < 32; i++) classes.putScalar(i, i % 10, 1);
    DataSet photos = new DataSet(Nd4j.rand(32, 3, 32, 32), classes);
    ComputationGraph resnet = resnet();
    works.put("resnet-step", () -> resnet.fit(photos));
    works.put("sgemm-1024", () -> a.mmul(b));
    works.put("product-64x500x784", () -> x.mmul(w));
    System.out.println("ready 1.0.0-M2.1");
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = lines.readLine()) != null; ) {
      String[] words = line.split(" ");
      Runnable work = works.get(words[0]);
      int n = Integer.parseInt(words[1]);
      long t = System.nanoTime();
      for (int i = 0; i < n; i++) work.run();
      System.out.println((System.nanoTime() - t) / 1e6 / n);
    }
  }
}
