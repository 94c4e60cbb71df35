import org.deeplearning4j.nn.conf.*;
import org.deeplearning4j.nn.conf.layers.*;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.Sgd;
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
    mln("mlp-losslayer-mask", new NeuralNetConfiguration.Builder().seed(1).updater(new Sgd(0.1)).list()
        .layer(new DenseLayer.Builder().nIn(4).nOut(3).activation(Activation.IDENTITY).build())
        .layer(new LossLayer.Builder(LossFunction.MCXENT).activation(Activation.SOFTMAX).build()), g(1, 6, 4), oh(2, 6, 3), null, arr(new float[]{1, 1, 0, 1, 0, 1}, 6, 1));
  }
}
