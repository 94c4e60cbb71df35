import org.deeplearning4j.nn.conf.*;
import org.deeplearning4j.nn.conf.graph.*;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.*;
import org.deeplearning4j.nn.conf.layers.misc.FrozenLayer;
import org.deeplearning4j.nn.conf.preprocessor.*;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.config.*;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** Cases of settings that meet: what random cases found. */
public class SettingsCases extends Core {
  static NeuralNetConfiguration.Builder b() { return new NeuralNetConfiguration.Builder().seed(7).updater(new Sgd(0.1)).activation(Activation.TANH); }
  static NeuralNetConfiguration.ListBuilder l(NeuralNetConfiguration.Builder b, Layer... layers) { NeuralNetConfiguration.ListBuilder l = b.list(); for (Layer x : layers) l.layer(x); return l; }
  static LSTM lstm(int n) { return new LSTM.Builder().nOut(n).build(); }
  static DenseLayer dense(int n) { return new DenseLayer.Builder().nOut(n).build(); }
  static OutputLayer out(int n) { return new OutputLayer.Builder(LossFunction.MCXENT).activation(Activation.SOFTMAX).nOut(n).build(); }
  static RnnOutputLayer steps(int n) { return new RnnOutputLayer.Builder(LossFunction.MCXENT).activation(Activation.SOFTMAX).nOut(n).build(); }
  static RnnLossLayer rnnLoss() { return new RnnLossLayer.Builder(LossFunction.MSE).activation(Activation.TANH).build(); }
  static Opt inference() { Opt o = opt(); o.train = false; o.grad = false; return o; }

  public static void main(String[] args) throws Exception {
    InputType series = InputType.recurrent(3, 4);
    INDArray x = g(1, 3, 3, 4), y = g(2, 3, 2, 4), m = mask(4, 4, 2, 3);
    mln("rnnloss-featuremask", l(b(), lstm(2), rnnLoss()).setInputType(series), x, y, m, null);
    mln("rnnloss-sum", l(b().miniBatch(false).l2(0.1), lstm(2), rnnLoss()).setInputType(series), x, y);
    mln("losslayer-sum", l(b().miniBatch(false), dense(3), new LossLayer.Builder(LossFunction.MCXENT).activation(Activation.SOFTMAX).build())
        .setInputType(InputType.feedForward(4)), g(1, 5, 4), oh(2, 5, 3));
    mln("locallyconnected-l2", l(b().l2(0.2), new LocallyConnected1D.Builder().kernelSize(2).nIn(3).nOut(2).build(), new GlobalPoolingLayer(), out(2))
        .setInputType(series), x, oh(2, 3, 2), null, null, inference());
    mln("centerloss-biasupdater", l(b().biasUpdater(new Adam(0.01)), dense(3), new CenterLossOutputLayer.Builder(LossFunction.MCXENT)
        .activation(Activation.SOFTMAX).nOut(2).alpha(0.3).lambda(0.1).build()).setInputType(InputType.feedForward(4)), g(1, 5, 4), oh(2, 5, 2));
    mln("batchnorm-below-frozen", l(b(), new BatchNormalization.Builder().lockGammaBeta(true).build(), new FrozenLayer(dense(4)), out(2))
        .setInputType(InputType.feedForward(3)), g(1, 5, 3), oh(2, 5, 2));
    mln("depthwise-biasupdater", l(b().biasUpdater(new Adam(0.01)), new DepthwiseConvolution2D.Builder(2, 2).depthMultiplier(2).build(), out(2))
        .setInputType(InputType.convolutional(3, 4, 2)), g(1, 3, 2, 3, 4), oh(2, 3, 2), null, null, inference());
    mln("pool3d-strict", l(b(), new Subsampling3DLayer.Builder(Subsampling3DLayer.PoolingType.AVG, new int[]{1, 2, 2}, new int[]{1, 1, 2})
        .convolutionMode(ConvolutionMode.Strict).build(), new GlobalPoolingLayer(PoolingType.AVG), out(2))
        .setInputType(InputType.convolutional3D(Convolution3D.DataFormat.NCDHW, 3, 3, 5, 2)), g(1, 2, 2, 3, 3, 5), oh(2, 2, 2));
    cg("graph-composable-masks", () -> b().graphBuilder().addInputs("a", "b")
        .addVertex("both", new PreprocessorVertex(new ComposableInputPreProcessor(new RnnToFeedForwardPreProcessor(), new FeedForwardToRnnPreProcessor())), "a")
        .addLayer("lstm", lstm(3), "both").addLayer("steps", steps(2), "lstm")
        .addLayer("pool", new GlobalPoolingLayer(), "b").addLayer("out", out(2), "pool").setOutputs("steps", "out").setInputTypes(series, series).build(),
        a(x, g(3, 3, 3, 4)), a(ohs(4, 3, 2, 4), oh(5, 3, 2)), a(null, m), a(m, null));
    cg("graph-l2vertex", b().graphBuilder().addInputs("a", "b").addLayer("d", dense(3), "a").addLayer("e", dense(3), "b").addVertex("l2", new L2Vertex(), "d", "e")
        .addLayer("out", out(2), "l2").setOutputs("out").setInputTypes(InputType.feedForward(3), InputType.feedForward(4)), a(g(1, 4, 3), g(2, 4, 4)), a(oh(3, 4, 2)));
    System.out.println("DONE " + done.size()); for (String s : skipped) System.out.println("skipped " + s);
  }
}
