import org.deeplearning4j.nn.conf.*; import org.deeplearning4j.nn.conf.graph.*; import org.deeplearning4j.nn.conf.layers.*; import org.deeplearning4j.nn.conf.inputs.*; import org.deeplearning4j.nn.conf.preprocessor.*;
import org.nd4j.linalg.activations.*; import org.nd4j.linalg.lossfunctions.*; import org.nd4j.linalg.learning.config.*; import org.deeplearning4j.nn.weights.*;
/** Cases of layers that make other examples, and of preprocessors in a row. */
public class PartsCases extends Core {
  static NeuralNetConfiguration.Builder base(long s) { return new NeuralNetConfiguration.Builder().seed(s).updater(new Sgd(0.1)).activation(Activation.TANH).weightInit(WeightInit.XAVIER); }
  static OutputLayer out(int n) { return new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT).activation(Activation.SOFTMAX).nOut(n).build(); }
  static ConvolutionLayer conv(int n, int k) { return new ConvolutionLayer.Builder(k, k).nOut(n).build(); }
  static SpaceToBatchLayer s2b(int[] blocks, int[][] pad) { SpaceToBatchLayer.Builder b = new SpaceToBatchLayer.Builder(blocks); if (pad != null) b.padding(pad); return b.build(); }
  static RnnOutputLayer rnnOut() { return new RnnOutputLayer.Builder(LossFunctions.LossFunction.MCXENT).activation(Activation.SOFTMAX).nIn(4).nOut(3).dataFormat(RNNFormat.NCW).build(); }
  public static void main(String[] a) throws Exception {
    int[] two = {2, 2};
    mln("s2b-dense", base(3).l2(0.01).list().layer(conv(3, 2)).layer(s2b(two, new int[][]{{1, 0}, {0, 1}})).layer(conv(2, 2)).layer(out(3)).setInputType(InputType.convolutional(6, 6, 2)), g(4, 3, 2, 6, 6), oh(5, 12, 3));
    mln("s2b-pool-mask", base(3).updater(new Adam(0.01)).list().layer(s2b(new int[]{2, 3}, null)).layer(conv(4, 2)).layer(new GlobalPoolingLayer.Builder(PoolingType.AVG).build()).layer(out(3)).setInputType(InputType.convolutional(4, 6, 2)), g(4, 2, 2, 4, 6), oh(5, 12, 3), null, mask(1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1));
    cg("s2b-graph", base(3).graphBuilder().addInputs("in").addLayer("s", s2b(two, null), "in").addLayer("c", conv(3, 2), "s").addLayer("o", out(3), "c").setOutputs("o").setInputTypes(InputType.convolutional(4, 4, 2)), a(g(4, 3, 2, 4, 4)), a(oh(5, 12, 3)));
    cg("stack-labels", base(3).graphBuilder().addInputs("x", "y").addVertex("s", new StackVertex(), "x", "y").addLayer("d", new DenseLayer.Builder().nIn(4).nOut(5).build(), "s").addLayer("o", new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT).activation(Activation.SOFTMAX).nIn(5).nOut(3).build(), "d").setOutputs("o"), a(g(4, 3, 4), g(6, 3, 4)), a(oh(5, 6, 3)));
    mln("composable-preprocessor", base(3).list().layer(new ConvolutionLayer.Builder(2, 2).nIn(1).nOut(2).build()).layer(new DenseLayer.Builder().nIn(18).nOut(6).build()).layer(new LSTM.Builder().nIn(6).nOut(4).build()).layer(rnnOut())
        
        .inputPreProcessor(0, new ComposableInputPreProcessor(new RnnToFeedForwardPreProcessor(), new FeedForwardToCnnPreProcessor(4, 4, 1)))
        .inputPreProcessor(1, new ComposableInputPreProcessor(new CnnToFeedForwardPreProcessor(3, 3, 2), new FeedForwardToRnnPreProcessor(), new RnnToFeedForwardPreProcessor())).inputPreProcessor(2, new FeedForwardToRnnPreProcessor()), g(4, 2, 16, 3), ohs(5, 2, 3, 3));
    cg("composable-graph", base(3).graphBuilder().addInputs("in").addLayer("c", new ConvolutionLayer.Builder(2, 2).nIn(1).nOut(2).build(), new ComposableInputPreProcessor(new FeedForwardToCnnPreProcessor(4, 4, 1)), "in").addLayer("r", new LSTM.Builder().nIn(18).nOut(4).build(), new ComposableInputPreProcessor(new CnnToFeedForwardPreProcessor(3, 3, 2), new FeedForwardToRnnPreProcessor()), "c").addLayer("o", rnnOut(), "r").setOutputs("o"), a(g(4, 3, 16)), a(ohs(5, 3, 3, 1)));
    System.out.println("DONE " + done.size()); for (String s : skipped) System.out.println("skipped " + s);
  }
}
