import org.deeplearning4j.nn.conf.*;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.*;
import org.deeplearning4j.nn.conf.layers.convolutional.*;
import org.deeplearning4j.nn.weights.WeightInit;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.config.*;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;
import org.nd4j.linalg.factory.Nd4j;

/** Cases of convolutional layers, pooling and data formats. */
public class ConvolutionalCases extends Core {
  static NeuralNetConfiguration.ListBuilder b() { return new NeuralNetConfiguration.Builder().seed(7).updater(new Nesterovs(0.05, 0.9)).activation(Activation.TANH).weightInit(WeightInit.XAVIER).list(); }
  static NeuralNetConfiguration.ListBuilder bl2() { return new NeuralNetConfiguration.Builder().seed(7).updater(new Adam(0.01)).l2(0.05).l1Bias(0.02).activation(Activation.TANH).weightInit(WeightInit.XAVIER).list(); }
  static OutputLayer out() { return new OutputLayer.Builder(LossFunction.MCXENT).activation(Activation.SOFTMAX).nOut(3).build(); }
  static GlobalPoolingLayer gp(PoolingType t) { return new GlobalPoolingLayer.Builder(t).build(); }
  static ConvolutionLayer conv(int n, int k, ConvolutionMode m) { return new ConvolutionLayer.Builder(k, k).nOut(n).convolutionMode(m).build(); }
  static Convolution1DLayer.Builder c1(int n, int k) { return new Convolution1DLayer.Builder(k).nOut(n); }
  static INDArray im(long s, int n, int c, int h, int w) { return g(s, n, c, h, w); }
  interface Fn { void run(); }
  static void tr(String name, Fn f) { try { f.run(); } catch (Throwable t) { System.out.println("BUILD FAIL " + name + " " + t); } }
  static NeuralNetConfiguration.ListBuilder net(Layer... l) { return net(b(), l); }
  static NeuralNetConfiguration.ListBuilder net(NeuralNetConfiguration.ListBuilder b, Layer... l) { for (Layer x : l) b.layer(x); return b; }
  // 2D images
  static void i2(String name, int c, int h, int w, Layer... l) { tr(name, () -> mln(name, net(l).layer(out()).setInputType(InputType.convolutional(h, w, c)), im(name.hashCode(), 2, c, h, w), oh(5, 2, 3))); }
  static void i2l2(String name, int c, int h, int w, Layer... l) { tr(name, () -> mln(name, net(bl2(), l).layer(out()).setInputType(InputType.convolutional(h, w, c)), im(name.hashCode(), 2, c, h, w), oh(5, 2, 3))); }
  static void nhwc(String name, int c, int h, int w, Layer... l) { tr(name, () -> mln(name, net(l).layer(out()).setInputType(InputType.convolutional(h, w, c, CNN2DFormat.NHWC)), im(name.hashCode(), 2, h, w, c), oh(5, 2, 3))); }
  static void r1(String name, int n, int t, Layer... l) { tr(name, () -> mln(name, net(l).layer(gp(PoolingType.AVG)).layer(out()).setInputType(InputType.recurrent(n, t)), g(name.hashCode(), 3, n, t), oh(5, 3, 3))); }
  static void r1m(String name, int n, int t, INDArray m, Layer... l) { tr(name, () -> mln(name, net(l).layer(gp(PoolingType.AVG)).layer(out()).setInputType(InputType.recurrent(n, t)), g(name.hashCode(), 3, n, t), oh(5, 3, 3), m, null)); }
  static void nwc(String name, int n, int t, Layer... l) { tr(name, () -> mln(name, net(l).layer(gp(PoolingType.AVG)).layer(out()).setInputType(InputType.recurrent(n, t, RNNFormat.NWC)), g(name.hashCode(), 3, t, n), oh(5, 3, 3))); }
  static void i3(String name, int c, int d, int h, int w, Layer... l) { tr(name, () -> mln(name, net(l).layer(out()).setInputType(InputType.convolutional3D(Convolution3D.DataFormat.NCDHW, d, h, w, c)), g(name.hashCode(), 2, c, d, h, w), oh(5, 2, 3))); }
  static void i3l(String name, int c, int d, int h, int w, Layer... l) { tr(name, () -> mln(name, net(l).layer(out()).setInputType(InputType.convolutional3D(Convolution3D.DataFormat.NDHWC, d, h, w, c)), g(name.hashCode(), 2, d, h, w, c), oh(5, 2, 3))); }
  public static void main(String[] a) throws Exception {
    i2("zeropad-asym", 2, 4, 5, new ZeroPaddingLayer.Builder(1, 0, 2, 3).build());
    i2("crop-asym", 2, 6, 7, conv(2, 2, ConvolutionMode.Truncate), new Cropping2D.Builder(1, 0, 2, 1).build());
    i2("up2-asym", 2, 3, 4, conv(2, 2, ConvolutionMode.Truncate), new Upsampling2D.Builder().size(new int[]{3, 2}).build());
    i2("s2d", 2, 4, 6, conv(2, 3, ConvolutionMode.Same), new SpaceToDepthLayer.Builder(2).build());
    nhwc("s2d-nhwc", 2, 4, 6, conv(2, 3, ConvolutionMode.Same), new SpaceToDepthLayer.Builder(2, CNN2DFormat.NHWC).build());
    tr("s2b", () -> mln("s2b", net(conv(2, 3, ConvolutionMode.Same), new SpaceToBatchLayer.Builder(new int[]{2, 2}, new int[][]{{1, 1}, {0, 2}}).build(), new CnnLossLayer.Builder(LossFunction.MSE).activation(Activation.TANH).build()).setInputType(InputType.convolutional(4, 6, 2)), im(9, 2, 2, 4, 6), im(10, 8, 2, 3, 4)));
    for (PoolingType t : PoolingType.values()) {
      i2("gp-cnn-" + t, 2, 5, 4, conv(3, 2, ConvolutionMode.Truncate), gp(t));
      i2("gp-cnn-nocollapse-" + t, 2, 5, 4, conv(3, 2, ConvolutionMode.Truncate), new GlobalPoolingLayer.Builder(t).collapseDimensions(false).build());
      i2("gp-cnn-p3-" + t, 2, 5, 4, conv(3, 2, ConvolutionMode.Truncate), new GlobalPoolingLayer.Builder(t).pnorm(3).build());
      nhwc("gp-nhwc-" + t, 2, 5, 4, conv(3, 2, ConvolutionMode.Truncate), gp(t));
      INDArray m = mask(6, 6, 4, 2);
      tr("gp-rnn", () -> mln("gp-rnn-mask-" + t, net(c1(4, 3).convolutionMode(ConvolutionMode.Same).build(), gp(t)).layer(out()).setInputType(InputType.recurrent(3, 6)), g(4, 3, 3, 6), oh(5, 3, 3), m, null));
      tr("gp-rnn", () -> mln("gp-rnn-nomask-" + t, net(c1(4, 3).build(), gp(t)).layer(out()).setInputType(InputType.recurrent(3, 6)), g(4, 3, 3, 6), oh(5, 3, 3), null, null));
      tr("gp-rnn", () -> mln("gp-rnn-nocollapse-" + t, net(c1(4, 3).build(), new GlobalPoolingLayer.Builder(t).collapseDimensions(false).build()).layer(out()).setInputType(InputType.recurrent(3, 6)), g(4, 3, 3, 6), oh(5, 3, 3), null, null));
      for (int k = 0; k < 4; k++) {
        INDArray x = g(5, 2, 2, 4, 5);
        INDArray cm = k == 0 ? arr(new float[]{1, 1, 1, 0, 1, 1, 0, 0}, 2, 1, 4, 1) : k == 1 ? arr(new float[]{1, 1, 1, 1, 0, 1, 1, 0, 0, 0}, 2, 1, 1, 5) : k == 2 ? ones(2, 1, 4, 5) : ones(2, 2, 4, 5);
        if (k >= 2) { cm.putScalar(new int[]{0, 0, 1, 2}, 0); cm.putScalar(new int[]{1, 0, 3, 4}, 0); }
        final int kk = k;
        tr("gp-cnnmask", () -> mln("gp-cnnmask" + kk + "-" + t, net(new ActivationLayer(Activation.TANH), gp(t)).layer(out()).setInputType(InputType.convolutional(4, 5, 2)), x, oh(5, 2, 3), cm, null));
        if (t == PoolingType.AVG) tr("conv-cnnmask", () -> mln("conv-cnnmask" + kk, net(conv(2, 3, ConvolutionMode.Same), new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.MAX, new int[]{2, 2}, new int[]{2, 1}).convolutionMode(ConvolutionMode.Same).build(), gp(t)).layer(out()).setInputType(InputType.convolutional(4, 5, 2)), x, oh(5, 2, 3), cm, null));
      }
    }
    i2("gp-dims-23", 2, 5, 4, conv(3, 2, ConvolutionMode.Truncate), new GlobalPoolingLayer.Builder(PoolingType.MAX).poolingDimensions(2, 3).build());
    tr("cl", () -> mln("cnnloss-softmax", net(conv(3, 3, ConvolutionMode.Same), new CnnLossLayer.Builder(LossFunction.MCXENT).activation(Activation.SOFTMAX).build()).setInputType(InputType.convolutional(4, 5, 2)), im(1, 3, 2, 4, 5), ohc(2, 3, 3, 4, 5)));
    tr("cl", () -> mln("cnnloss-nhwc", net(conv(3, 3, ConvolutionMode.Same), new CnnLossLayer.Builder(LossFunction.MCXENT).activation(Activation.SOFTMAX).build()).setInputType(InputType.convolutional(4, 5, 2, CNN2DFormat.NHWC)), im(1, 3, 4, 5, 2), im(2, 3, 4, 5, 3)));
    INDArray[] lms = {arr(new float[]{1, 0, 1}, 3, 1), arr(new float[]{1, 0, 1}, 3, 1, 1, 1), bin(8, 3, 1, 4, 5), bin(8, 3, 3, 4, 5), bin(8, 3, 1, 4, 1), bin(8, 3, 1, 1, 5)};
    for (int k = 0; k < lms.length; k++) { final int kk = k; tr("cl", () -> mln("cnnloss-mask" + kk, net(conv(3, 3, ConvolutionMode.Same), new CnnLossLayer.Builder(LossFunction.MSE).activation(Activation.SIGMOID).build()).setInputType(InputType.convolutional(4, 5, 2)), im(1, 3, 2, 4, 5), im(2, 3, 3, 4, 5), null, lms[kk])); }
    i2("lrn-params", 6, 4, 4, new LocalResponseNormalization.Builder().n(3).alpha(0.3).beta(0.6).k(1.5).build());
    i2("lrn-even", 6, 4, 4, new LocalResponseNormalization.Builder().n(4).alpha(0.3).build());
    nhwc("lrn-nhwc", 6, 4, 3, new LocalResponseNormalization.Builder().n(3).alpha(0.3).build());
    for (ConvolutionMode m : new ConvolutionMode[]{ConvolutionMode.Strict, ConvolutionMode.Truncate, ConvolutionMode.Same}) {
      i2("deconv-pad-" + m, 2, 4, 5, new Deconvolution2D.Builder(3, 2).nOut(3).stride(2, 3).padding(P(m, 1, 0)).convolutionMode(m).build());
      i2("deconv-dil-" + m, 2, 4, 5, new Deconvolution2D.Builder(3, 2).nOut(3).stride(1, 2).dilation(2, 2).convolutionMode(m).build());
      i2("deconv-s1-" + m, 2, 4, 5, new Deconvolution2D.Builder(2, 3).nOut(3).stride(1, 1).convolutionMode(m).hasBias(false).build());
      i2("depth-" + m, 3, 7, 9, new DepthwiseConvolution2D.Builder(3, 3).depthMultiplier(2).stride(2, 2).padding(P(m, 1, 1)).convolutionMode(m).build());
      i2("sep-" + m, 3, 7, 9, new SeparableConvolution2D.Builder(3, 3).depthMultiplier(2).nOut(4).stride(2, 2).padding(P(m, 1, 1)).convolutionMode(m).build());
      r1("c1-" + m, 3, 9, c1(4, 3).stride(2).padding(P(m, 1)[0]).convolutionMode(m).build());
      r1("c1-dil-" + m, 3, 9, c1(4, 3).dilation(2).convolutionMode(m).hasBias(false).build());
      r1("p1-" + m, 3, 9, c1(4, 3).build(), new Subsampling1DLayer.Builder(SubsamplingLayer.PoolingType.AVG, 3, 2).convolutionMode(m).build());
      i3("c3-" + m, 2, 5, 7, 5, new Convolution3D.Builder(3, 3, 3).stride(2, 2, 2).padding(P(m, 1, 1, 1)).nOut(3).convolutionMode(m).build(), gp(PoolingType.AVG));
      i3("c3-dil-" + m, 2, 5, 6, 7, new Convolution3D.Builder(2, 2, 3).dilation(2, 1, 2).nOut(3).convolutionMode(m).hasBias(false).build(), gp(PoolingType.AVG));
      i3("d3-" + m, 2, 3, 2, 3, new Deconvolution3D.Builder().kernelSize(3, 2, 2).stride(2, 2, 1).padding(P(m, 1, 0, 0)).nOut(3).convolutionMode(m).build(), gp(PoolingType.AVG));
      for (Subsampling3DLayer.PoolingType t : Subsampling3DLayer.PoolingType.values()) i3("p3-" + t + "-" + m, 2, 5, 5, 7, new Subsampling3DLayer.Builder(t, new int[]{3, 3, 3}, new int[]{2, 2, 2}, P(m, 1, 1, 1)).convolutionMode(m).build(), gp(PoolingType.AVG));
    }
    i2l2("deconv-l2", 2, 4, 5, new Deconvolution2D.Builder(3, 2).nOut(3).build());
    i2l2("sep-l2", 3, 5, 5, new SeparableConvolution2D.Builder(3, 2).nOut(4).build());
    i2("depth-dil", 3, 7, 9, new DepthwiseConvolution2D.Builder(3, 2).depthMultiplier(3).dilation(2, 2).hasBias(false).build());
    i2("sep-dil", 3, 7, 9, new SeparableConvolution2D.Builder(3, 2).nOut(5).dilation(2, 2).hasBias(false).build());
    r1("c1-causal", 3, 9, c1(4, 3).dilation(2).convolutionMode(ConvolutionMode.Causal).build());
    r1("c1-causal-stride", 3, 9, c1(4, 3).stride(2).convolutionMode(ConvolutionMode.Causal).build());
    r1("p1-pnorm", 3, 9, c1(4, 3).build(), new Subsampling1DLayer.Builder(SubsamplingLayer.PoolingType.PNORM, 3, 2).pnorm(3).build());
    r1("p1-sum", 3, 9, c1(4, 3).build(), new Subsampling1DLayer.Builder(SubsamplingLayer.PoolingType.SUM, 3, 2).build());
    INDArray m9 = mask(9, 9, 5, 2);
    r1m("c1-mask-same", 3, 9, m9, c1(4, 3).convolutionMode(ConvolutionMode.Same).build());
    r1m("c1-mask-trunc", 3, 9, m9, c1(4, 3).stride(2).build(), c1(4, 2).build());
    r1m("c1-mask-causal", 3, 9, m9, c1(4, 3).convolutionMode(ConvolutionMode.Causal).build());
    r1m("p1-mask", 3, 9, m9, c1(4, 3).convolutionMode(ConvolutionMode.Same).build(), new Subsampling1DLayer.Builder(SubsamplingLayer.PoolingType.MAX, 3, 2).build());
    r1m("pad1-mask", 3, 9, m9, c1(4, 3).convolutionMode(ConvolutionMode.Same).build(), new ZeroPadding1DLayer.Builder(1, 2).build());
    r1m("crop1-mask", 3, 9, m9, c1(4, 3).convolutionMode(ConvolutionMode.Same).build(), new Cropping1D.Builder(1, 2).build());
    r1m("up1-mask", 3, 9, m9, c1(4, 3).convolutionMode(ConvolutionMode.Same).build(), new Upsampling1D.Builder(2).build());
    r1("pad1", 3, 6, c1(4, 3).build(), new ZeroPadding1DLayer.Builder(1, 2).build());
    r1("crop1", 3, 9, c1(4, 3).build(), new Cropping1D.Builder(1, 2).build());
    r1("up1", 3, 6, c1(4, 3).build(), new Upsampling1D.Builder(3).build());
    r1("lc1", 3, 7, new LocallyConnected1D.Builder().kernelSize(3).stride(2).nIn(3).nOut(4).build());
    r1("lc1-same", 3, 7, new LocallyConnected1D.Builder().kernelSize(3).stride(1).convolutionMode(ConvolutionMode.Same).activation(Activation.SIGMOID).nIn(3).nOut(4).build());
    r1("lc1-nobias", 3, 7, new LocallyConnected1D.Builder().kernelSize(2).dilation(2).convolutionMode(ConvolutionMode.Truncate).padding(1).hasBias(false).nIn(3).nOut(4).build());
    i2("lc2", 2, 5, 6, new LocallyConnected2D.Builder().kernelSize(3, 2).stride(2, 2).nIn(2).nOut(3).build());
    i2("lc2-same", 2, 5, 6, new LocallyConnected2D.Builder().kernelSize(3, 2).stride(2, 1).convolutionMode(ConvolutionMode.Same).activation(Activation.RELU).nIn(2).nOut(3).build());
    i2("lc2-nobias", 2, 5, 6, new LocallyConnected2D.Builder().kernelSize(2, 2).dilation(2, 2).convolutionMode(ConvolutionMode.Truncate).padding(1, 1).hasBias(false).nIn(2).nOut(3).build());
    nhwc("lc2-nhwc", 2, 5, 6, new LocallyConnected2D.Builder().kernelSize(3, 2).nIn(2).nOut(3).build());
    i3("pad3", 2, 2, 3, 3, new ZeroPadding3DLayer.Builder(1, 0, 2, 1, 0, 1).build(), gp(PoolingType.AVG));
    i3("crop3", 2, 5, 4, 6, new Convolution3D.Builder(1, 2, 1).nOut(2).build(), new Cropping3D.Builder(1, 0, 1, 1, 2, 1).build(), gp(PoolingType.AVG));
    i3("up3", 2, 2, 3, 2, new Convolution3D.Builder(1, 2, 1).nOut(2).build(), new Upsampling3D.Builder().size(new int[]{2, 3, 1}).build(), gp(PoolingType.AVG));
    for (PoolingType t : PoolingType.values()) i3("gp3-" + t, 2, 3, 3, 2, new Convolution3D.Builder(2, 2, 1).nOut(3).build(), gp(t));
    i3l("c3-ndhwc", 2, 5, 7, 6, new Convolution3D.Builder(3, 3, 3).dataFormat(Convolution3D.DataFormat.NDHWC).nOut(3).build(), new GlobalPoolingLayer.Builder(PoolingType.AVG).poolingDimensions(1, 2, 3).build());
    i3l("x"+"c3-ndhwc", 2, 5, 7, 6, new Convolution3D.Builder(3, 3, 3).dataFormat(Convolution3D.DataFormat.NDHWC).nOut(3).build());
    i3l("p3-ndhwc", 2, 5, 7, 6, new Convolution3D.Builder(3, 3, 3).dataFormat(Convolution3D.DataFormat.NDHWC).nOut(3).build(), new Subsampling3DLayer.Builder(Subsampling3DLayer.PoolingType.MAX, new int[]{2, 2, 2}, new int[]{1, 2, 1}).dataFormat(Convolution3D.DataFormat.NDHWC).build(), new GlobalPoolingLayer.Builder(PoolingType.AVG).poolingDimensions(1, 2, 3).build());
    i3l("x"+"p3-ndhwc", 2, 5, 7, 6, new Convolution3D.Builder(3, 3, 3).dataFormat(Convolution3D.DataFormat.NDHWC).nOut(3).build(), new Subsampling3DLayer.Builder(Subsampling3DLayer.PoolingType.MAX, new int[]{2, 2, 2}, new int[]{1, 2, 1}).dataFormat(Convolution3D.DataFormat.NDHWC).build());
    i3l("d3-ndhwc", 2, 2, 3, 2, new Deconvolution3D.Builder().kernelSize(2, 2, 2).dataFormat(Convolution3D.DataFormat.NDHWC).nOut(3).build(), new GlobalPoolingLayer.Builder(PoolingType.AVG).poolingDimensions(1, 2, 3).build());
    i3l("x"+"d3-ndhwc", 2, 2, 3, 2, new Deconvolution3D.Builder().kernelSize(2, 2, 2).dataFormat(Convolution3D.DataFormat.NDHWC).nOut(3).build());
    i3l("up3-ndhwc", 2, 2, 3, 2, new Convolution3D.Builder(1, 2, 1).dataFormat(Convolution3D.DataFormat.NDHWC).nOut(2).build(), new Upsampling3D.Builder(Convolution3D.DataFormat.NDHWC, 2).build(), new GlobalPoolingLayer.Builder(PoolingType.AVG).poolingDimensions(1, 2, 3).build());
    i3l("x"+"up3-ndhwc", 2, 2, 3, 2, new Convolution3D.Builder(1, 2, 1).dataFormat(Convolution3D.DataFormat.NDHWC).nOut(2).build(), new Upsampling3D.Builder(Convolution3D.DataFormat.NDHWC, 2).build());
    tr("cnn3dloss", () -> mln("cnn3dloss", net(new Convolution3D.Builder(2, 2, 1).nOut(3).build(), new Cnn3DLossLayer.Builder(Convolution3D.DataFormat.NCDHW).lossFunction(LossFunction.MSE).activation(Activation.TANH).build()).setInputType(InputType.convolutional3D(Convolution3D.DataFormat.NCDHW, 3, 3, 2, 2)), g(1, 2, 2, 3, 3, 2), g(2, 2, 3, 2, 2, 2)));
    for (ConvolutionMode m : new ConvolutionMode[]{ConvolutionMode.Truncate, ConvolutionMode.Same}) {
      nhwc("nhwc-conv-" + m, 2, 6, 5, conv(3, 3, m), new BatchNormalization.Builder().useLogStd(false).build(), new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.MAX, new int[]{2, 2}, new int[]{2, 1}).convolutionMode(m).build());
      nhwc("nhwc-deconv-" + m, 2, 4, 3, new Deconvolution2D.Builder(3, 2).nOut(3).stride(2, 1).convolutionMode(m).build());
      nhwc("nhwc-depth-" + m, 3, 6, 5, new DepthwiseConvolution2D.Builder(3, 2).depthMultiplier(2).convolutionMode(m).build());
      nhwc("nhwc-sep-" + m, 3, 6, 5, new SeparableConvolution2D.Builder(3, 2).depthMultiplier(2).nOut(4).convolutionMode(m).build());
      nwc("nwc-c1-" + m, 3, 7, c1(4, 3).convolutionMode(m).build());
      nwc("nwc-c1-fmt-" + m, 3, 7, c1(4, 3).convolutionMode(m).rnnDataFormat(RNNFormat.NWC).build());
    }
    nhwc("nhwc-shapes", 2, 6, 5, new ZeroPaddingLayer.Builder(1, 0, 2, 1).build(), conv(2, 2, ConvolutionMode.Truncate), new Cropping2D.Builder(1, 0, 0, 1).build(), new Upsampling2D.Builder(2).build(), new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.AVG, new int[]{2, 2}).build());
    nhwc("nhwc-pool-pnorm", 2, 6, 5, conv(2, 2, ConvolutionMode.Truncate), new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.PNORM, new int[]{2, 2}).pnorm(3).build(), new BatchNormalization.Builder().lockGammaBeta(true).build());
    nhwc("nhwc-batchnorm-first", 2, 3, 4, new BatchNormalization(), conv(2, 2, ConvolutionMode.Truncate));
    nhwc("nhwc-dense", 2, 3, 4, new DenseLayer.Builder().nOut(4).build());
    tr("flat", () -> mln("flat-conv", net(conv(2, 2, ConvolutionMode.Truncate), new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.MAX, new int[]{2, 2}).build()).layer(out()).setInputType(InputType.convolutionalFlat(4, 5, 2)), g(3, 2, 40), oh(5, 2, 3)));
    nwc("nwc-pool", 3, 7, c1(4, 3).rnnDataFormat(RNNFormat.NWC).build(), new Subsampling1DLayer.Builder(SubsamplingLayer.PoolingType.MAX, 2, 1).build());
    nwc("nwc-pad", 3, 7, c1(4, 3).rnnDataFormat(RNNFormat.NWC).build(), new ZeroPadding1DLayer.Builder(1).build());
    report("skipped.txt");
  }
  static int[] P(ConvolutionMode m, int... p) { return m == ConvolutionMode.Same ? new int[p.length] : p; }
  static INDArray ones(int... s) { return Nd4j.ones(s); }
}
