import org.deeplearning4j.nn.conf.*; import org.deeplearning4j.nn.conf.layers.*; import org.deeplearning4j.nn.conf.layers.misc.*; import org.deeplearning4j.nn.conf.layers.util.*;
import org.deeplearning4j.nn.conf.layers.variational.*; import org.deeplearning4j.nn.conf.layers.objdetect.*;
import org.deeplearning4j.nn.conf.constraint.*; import org.deeplearning4j.nn.conf.dropout.*; import org.deeplearning4j.nn.conf.weightnoise.*; import org.deeplearning4j.nn.conf.distribution.*; import org.deeplearning4j.nn.conf.inputs.*;
import org.nd4j.linalg.activations.*; import org.nd4j.linalg.activations.impl.*; import org.nd4j.linalg.lossfunctions.*; import org.nd4j.linalg.lossfunctions.impl.*; import org.nd4j.linalg.learning.config.*; import org.nd4j.linalg.schedule.*;
import org.nd4j.linalg.factory.*; import org.nd4j.linalg.api.ndarray.*; import org.deeplearning4j.nn.weights.*; import java.util.*;
/** Cases of layers, dropouts, constraints and losses. Their names seed the parameters: those here were made under other names. */
public class LayerCases extends Core {
  static NeuralNetConfiguration.Builder base(long s) { return new NeuralNetConfiguration.Builder().seed(s).updater(new Sgd(0.1)).activation(Activation.TANH).weightInit(WeightInit.XAVIER); }
  static OutputLayer out(int n) { return new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT).activation(Activation.SOFTMAX).nOut(n).build(); }
  static OutputLayer out(int n, ILossFunction l, Activation a) { return new OutputLayer.Builder(l).activation(a).nOut(n).build(); }
  static DenseLayer d(int n) { return new DenseLayer.Builder().nOut(n).build(); }
  static INDArray x6 = g(1, 6, 4), y6 = oh(2, 6, 3);
  static Opt noTrain(String why) { Opt o = opt(); o.train = false; o.grad = false; o.note = why; return o; }
  public static void main(String[] a) throws Exception {
    InputType in4 = InputType.feedForward(4);
    mln("prelu-shared", base(3).list().layer(new ConvolutionLayer.Builder(2, 2).nOut(3).build()).layer(new PReLULayer.Builder().inputShape(3, 3, 3).sharedAxes(1, 3).weightInit(new WeightInitConstant(0.2)).build()).layer(out(3)).setInputType(InputType.convolutional(4, 4, 2)), g(4, 3, 2, 4, 4), oh(5, 3, 3));
    mln("elementwise-mask", base(3).list().layer(d(5)).layer(new ElementWiseMultiplicationLayer.Builder().nIn(5).nOut(5).activation(Activation.SIGMOID).build()).layer(out(3)).setInputType(in4), x6, y6, mask(1, 1, 0, 1, 1, 1, 0), null);
    mln("embedding-bias-mask", base(3).updater(new Adam(0.01)).l2(0.01).list().layer(new EmbeddingLayer.Builder().nIn(7).nOut(5).hasBias(true).biasInit(0.3).activation(Activation.SIGMOID).build()).layer(out(3)), ints(4, 7, 6, 1), y6, mask(1, 1, 1, 0, 1, 1, 1), null);
    mln("center-loss", base(3).list().layer(d(5)).layer(new CenterLossOutputLayer.Builder(LossFunctions.LossFunction.MCXENT).activation(Activation.SOFTMAX).alpha(0.1).lambda(0.05).nOut(3).build()).setInputType(in4), x6, y6);
    mln("center-loss-gradientcheck", base(3).list().layer(d(5)).layer(new CenterLossOutputLayer.Builder(LossFunctions.LossFunction.MCXENT).activation(Activation.SOFTMAX).gradientCheck(true).alpha(0.7).lambda(0.05).nOut(3).build()).setInputType(in4), x6, y6);
    mln("center-loss-mask", base(3).list().layer(d(5)).layer(new CenterLossOutputLayer.Builder(LossFunctions.LossFunction.MCXENT).activation(Activation.SOFTMAX).alpha(0.1).lambda(0.05).nOut(3).build()).setInputType(in4), x6, y6, null, mask(1, 1, 0, 1, 1, 1, 0));
    mln("autoencoder-sparse", base(3).l2(0.01).updater(new Adam(0.01)).list().layer(new AutoEncoder.Builder().nOut(5).corruptionLevel(0.0).sparsity(0.1).activation(Activation.SIGMOID).visibleBiasInit(0.2).lossFunction(LossFunctions.LossFunction.MSE).build()).layer(out(3)).setInputType(in4), x6, y6);
    mln("frozen-backprop-l2", base(3).updater(new Adam(0.01)).l2(0.01).list().layer(d(5)).layer(new FrozenLayerWithBackprop(new DenseLayer.Builder().nOut(4).updater(new Adam(0.01)).activation(Activation.TANH).build())).layer(out(3)).setInputType(in4), x6, y6);
    mln("frozen-first", base(3).updater(new Adam(0.01)).l2(0.01).list().layer(new FrozenLayer.Builder().layer(new DenseLayer.Builder().nOut(5).updater(new Adam(0.01)).activation(Activation.TANH).build()).build()).layer(d(4)).layer(out(3)).setInputType(in4), x6, y6);
    mln("masklayer", base(3).list().layer(d(5)).layer(new MaskLayer()).layer(d(4)).layer(out(3)).setInputType(in4), x6, y6, mask(1, 1, 0, 1, 1, 1, 0), null);
    mln("constraints-twice", base(3).constrainWeights(new MinMaxNormConstraint(0.3, 0.6, 0.9, 1), new NonNegativeConstraint()).constrainBias(new NonNegativeConstraint()).list().layer(d(5)).layer(out(3)).setInputType(in4), x6, y6);
    mln("constraint-unitnorm-cnn", base(3).list().layer(new ConvolutionLayer.Builder(2, 2).nOut(3).constrainWeights(new UnitNormConstraint(1, 2, 3)).build()).layer(out(3)).setInputType(InputType.convolutional(4, 4, 2)), g(4, 3, 2, 4, 4), oh(5, 3, 3));
    mln("conf-dropout-schedules", base(3).list().layer(new ConvolutionLayer.Builder(2, 2).nOut(3).dropOut(new SpatialDropout(0.6)).build()).layer(new DenseLayer.Builder().nOut(5).dropOut(new AlphaDropout(new StepSchedule(ScheduleType.EPOCH, 0.9, 0.5, 2.0))).build()).layer(new DenseLayer.Builder().nOut(5).dropOut(new GaussianDropout(new StepSchedule(ScheduleType.EPOCH, 0.1, 0.5, 2.0))).build()).layer(new DenseLayer.Builder().nOut(5).dropOut(new GaussianNoise(new StepSchedule(ScheduleType.EPOCH, 0.1, 0.5, 2.0))).build()).layer(new ConvolutionLayer.Builder(1,1).nOut(2).dropOut(new SpatialDropout(new StepSchedule(ScheduleType.EPOCH, 0.1, 0.5, 2.0))).build()).layer(out(3)).inputPreProcessor(4, new org.deeplearning4j.nn.conf.preprocessor.FeedForwardToCnnPreProcessor(5,1,1)).setInputType(InputType.convolutional(4, 4, 2)), g(4, 3, 2, 4, 4), oh(5, 3, 3), null, null, noTrain("training is random"));
    mln("selfattention-mask", base(3).list().layer(new SelfAttentionLayer.Builder().nIn(3).nOut(3).nHeads(1).projectInput(false).build()).layer(new GlobalPoolingLayer.Builder(PoolingType.AVG).build()).layer(out(3)).setInputType(InputType.recurrent(3, 5)), g(4, 3, 3, 5), oh(5, 3, 3), mask(5, 5, 2, 4), null);
    INDArray rows = mask(1, 1, 0, 1, 1, 1, 0);
    mln("loss-multilabel", base(3).list().layer(d(5)).layer(out(3, new LossMultiLabel(), Activation.SIGMOID)).setInputType(in4), x6, bin(9, 6, 3));
    mln("loss-multilabel-mask", base(3).list().layer(d(5)).layer(out(3, new LossMultiLabel(), Activation.IDENTITY)).setInputType(in4), x6, bin(10, 6, 3), null, rows);
    mln("loss-fmeasure-mask", base(3).list().layer(d(5)).layer(out(2, new LossFMeasure(0.5), Activation.SOFTMAX)).setInputType(in4), x6, oh(11, 6, 2), null, rows);
    mln("loss-fmeasure-sigmoid", base(3).list().layer(d(5)).layer(out(1, new LossFMeasure(), Activation.SIGMOID)).setInputType(in4), x6, bin(12, 6, 1));
    mln("loss-mixture-mask", base(3).list().layer(d(5)).layer(out(2 * (3 + 2), LossMixtureDensity.builder().gaussians(2).labelWidth(3).build(), Activation.IDENTITY)).setInputType(in4), x6, g(13, 6, 3), null, rows);
    System.out.println("DONE " + done.size()); for (String s : skipped) System.out.println("skipped " + s);
  }
}
