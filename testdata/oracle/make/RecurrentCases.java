import org.deeplearning4j.nn.conf.*;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.*;
import org.deeplearning4j.nn.conf.layers.misc.*;
import org.deeplearning4j.nn.conf.layers.recurrent.*;
import org.deeplearning4j.nn.conf.layers.util.MaskZeroLayer;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.config.*;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;
/** Cases of recurrent layers; made as those of Cases. */
class RecurrentCases extends Core {
  static NeuralNetConfiguration.ListBuilder l(RNNFormat f, Layer... ls) {
    NeuralNetConfiguration.ListBuilder b = new NeuralNetConfiguration.Builder().seed(7).updater(new Adam(0.05)).activation(Activation.TANH).list();
    for (Layer x : ls) b.layer(x);
    return f == null ? b : b.setInputType(InputType.recurrent(3, 5, f));
  }
  static RnnOutputLayer out(int n) { return new RnnOutputLayer.Builder(LossFunction.MCXENT).nOut(n).activation(Activation.SOFTMAX).build(); }
  static OutputLayer last(int n) { return new OutputLayer.Builder(LossFunction.MCXENT).nOut(n).activation(Activation.SOFTMAX).build(); }
  static LSTM lstm(int n) { return new LSTM.Builder().nOut(n).build(); }
  public static void main(String[] a) throws Exception {
    INDArray x = g(1, 4, 3, 5), y = ohs(2, 4, 2, 5), m = mask(5, 5, 3, 1, 4), xw = x.permute(0, 2, 1).dup('c'), yw = y.permute(0, 2, 1).dup('c'), yl = oh(3, 4, 2);
    RNNFormat C = RNNFormat.NCW, W = RNNFormat.NWC;
    mln("rnn-lstm-nwc", l(W, lstm(4), out(2)), xw, yw);
    mln("rnn-graves-nwc-mask", l(W, new GravesLSTM.Builder().nOut(4).build(), out(2)), xw, yw, m, m);
    mln("rnn-gbi-mask", l(C, new GravesBidirectionalLSTM.Builder().nOut(4).build(), out(2)), x, y, m, m);
    mln("rnn-gbi", l(C, new GravesBidirectionalLSTM.Builder().nOut(4).build(), out(2)), x, y);
    mln("rnn-bi-mul", l(C, new Bidirectional(Bidirectional.Mode.MUL, lstm(4)), out(2)), x, y);
    mln("rnn-bi-avg-nwc", l(W, new Bidirectional(Bidirectional.Mode.AVERAGE, new GravesLSTM.Builder().nOut(4).build()), out(2)), xw, yw);
    mln("rnn-bi-concat-nwc", l(W, new Bidirectional(Bidirectional.Mode.CONCAT, lstm(4)), out(2)), xw, yw);
    mln("rnn-bi-rnn-mask", l(C, new Bidirectional(Bidirectional.Mode.CONCAT, new SimpleRnn.Builder().nOut(4).build()), out(2)), x, y, m, m);
    mln("rnn-last-mask", l(C, new LastTimeStep(lstm(4)), last(2)), x, yl, m, null);
    mln("rnn-last-rnn-nwc", l(W, new LastTimeStep(new SimpleRnn.Builder().nOut(4).build()), last(2)), xw, yl, m, null);
    mln("rnn-td", l(C, new TimeDistributed(new DenseLayer.Builder().nOut(4).build()), lstm(3), out(2)), x, y);
    INDArray z = x.dup(); z.tensorAlongDimension(1, 1, 2).assign(0.5);
    mln("rnn-maskzero", l(C, new MaskZeroLayer(lstm(4), 0.5), out(2)), z, y);
    mln("rnn-dense-nwc", l(W, lstm(4), new DenseLayer.Builder().nOut(5).build(), new SimpleRnn.Builder().nOut(3).build(), out(2)), xw, yw, m, m);
    mln("rnn-ff-in", new NeuralNetConfiguration.Builder().seed(7).updater(new Adam(0.05)).list().layer(lstm(4)).layer(out(2)).setInputType(InputType.feedForward(3)), g(4, 4, 3), ohs(5, 4, 2, 1));
    mln("rnn-outmask", l(C, lstm(4), new RnnOutputLayer.Builder(LossFunction.XENT).nOut(2).activation(Activation.SIGMOID).build()), x, bin(8, 4, 2, 5), null, bin(9, 4, 2, 5));
    mln("rnn-hardsigmoid", l(C, new LSTM.Builder().nOut(4).gateActivationFunction(Activation.HARDSIGMOID).activation(Activation.SOFTSIGN).forgetGateBiasInit(0.5).build(), out(2)), x, y);
    mln("rnn-dropout-l2", l(C, new LSTM.Builder().nOut(4).l2(0.01).biasUpdater(new Sgd(0.1)).build(), out(2)), x, y);
    mln("rnn-tbptt-mask", new NeuralNetConfiguration.Builder().seed(7).updater(new Sgd(0.1)).list().layer(lstm(4)).layer(out(2)).setInputType(InputType.recurrent(3)).backpropType(BackpropType.TruncatedBPTT).tBPTTForwardLength(2).tBPTTBackwardLength(2), x, y, m, m);
    mln("rnn-null-format", l(null, new Bidirectional(Bidirectional.Mode.ADD, new LSTM.Builder().nIn(3).nOut(2).build()), new RnnOutputLayer.Builder(LossFunction.MCXENT).nIn(2).nOut(2).activation(Activation.SOFTMAX).build()), x, y);
    mln("rnn-repeat-nwc", new NeuralNetConfiguration.Builder().seed(7).updater(new Adam(0.05)).list().layer(new DenseLayer.Builder().nOut(3).build()).layer(new RepeatVector.Builder(5).dataFormat(W).build()).layer(lstm(4)).layer(out(2)).setInputType(InputType.feedForward(3)), g(4, 4, 3), yw);
  }
}
