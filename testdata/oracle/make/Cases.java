import org.deeplearning4j.nn.conf.*;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.*;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.*;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** Cases made since; see "Cases of the real Deeplearning4j" in CONTRIBUTING.md. */
class Cases extends Core {
  static NeuralNetConfiguration.ListBuilder mlp(Layer out) {
    return new NeuralNetConfiguration.Builder().seed(1).updater(new Sgd(0.1)).list()
        .layer(new DenseLayer.Builder().nIn(4).nOut(5).activation(Activation.TANH).build())
        .layer(out);
  }

  public static void main(String[] args) throws Exception {
    OutputLayer softmax = new OutputLayer.Builder(LossFunction.MCXENT).nIn(5).nOut(3).activation(Activation.SOFTMAX).build();
    OutputLayer mse = new OutputLayer.Builder(LossFunction.MSE).nIn(5).nOut(3).activation(Activation.TANH).build();
    mln("mlp-featuremask", mlp(softmax), g(1, 6, 4), oh(2, 6, 3), arr(new float[]{1, 1, 0, 1, 0, 1}, 6, 1), null);
    mln("mlp-outputmask", mlp(mse), g(1, 6, 4), g(2, 6, 3), null, bin(3, 6, 3));
    OutputLayer msesoft = new OutputLayer.Builder(LossFunction.MSE).nIn(5).nOut(3).activation(Activation.SOFTMAX).build();
    mln("mlp-outputmask-softmax", mlp(msesoft), g(1, 6, 4), oh(2, 6, 3), null, bin(3, 6, 3));
    mln("mlp-mask-fractions", mlp(softmax), g(1, 6, 4), oh(2, 6, 3), null, arr(new float[]{0.5f, 2, 0, 0.25f, 1, 3}, 6, 1));
    mln("mlp-layernorm-l1-l2", new NeuralNetConfiguration.Builder().seed(1).updater(new Adam(0.02)).biasUpdater(new Sgd(0.3)).l1(0.01).l2(0.02).list()
        .layer(new DenseLayer.Builder().nIn(4).nOut(6).hasLayerNorm(true).gainInit(1.5).activation(Activation.SIGMOID).build())
        .layer(new DenseLayer.Builder().nIn(6).nOut(5).hasLayerNorm(true).hasBias(false).activation(Activation.RELU).build())
        .layer(softmax), g(1, 6, 4), oh(2, 6, 3));
    mln("mlp-layernorm-featuremask", new NeuralNetConfiguration.Builder().seed(1).updater(new Sgd(0.1)).list()
        .layer(new DenseLayer.Builder().nIn(4).nOut(6).activation(Activation.TANH).build())
        .layer(new DenseLayer.Builder().nIn(6).nOut(5).hasLayerNorm(true).activation(Activation.TANH).build())
        .layer(softmax), g(1, 6, 4), oh(2, 6, 3), arr(new float[]{1, 1, 0, 1, 0, 1}, 6, 1), null);
    mln("act-softmax-cnn", new NeuralNetConfiguration.Builder().seed(1).updater(new Sgd(0.1)).list()
        .layer(new ConvolutionLayer.Builder(2, 2).nOut(3).activation(Activation.SOFTMAX).build())
        .layer(new DenseLayer.Builder().nOut(5).activation(Activation.TANH).build()).layer(softmax)
        .setInputType(InputType.convolutional(4, 5, 2)), g(1, 6, 2, 4, 5), oh(2, 6, 3));
    mln("mlp-losslayer-mask", new NeuralNetConfiguration.Builder().seed(1).updater(new Sgd(0.1)).list()
        .layer(new DenseLayer.Builder().nIn(4).nOut(3).activation(Activation.IDENTITY).build())
        .layer(new LossLayer.Builder(LossFunction.MCXENT).activation(Activation.SOFTMAX).build()), g(1, 6, 4), oh(2, 6, 3), null, arr(new float[]{1, 1, 0, 1, 0, 1}, 6, 1));
  }
}
