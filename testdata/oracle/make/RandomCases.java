import org.deeplearning4j.nn.conf.*; import org.deeplearning4j.nn.conf.layers.*; import org.deeplearning4j.nn.conf.graph.*; import org.deeplearning4j.nn.conf.graph.rnn.*;
import org.deeplearning4j.nn.conf.layers.convolutional.*; import org.deeplearning4j.nn.conf.layers.misc.*; import org.deeplearning4j.nn.conf.layers.recurrent.*; import org.deeplearning4j.nn.conf.layers.util.*;
import org.deeplearning4j.nn.conf.layers.recurrent.LastTimeStep;
import org.deeplearning4j.nn.conf.layers.variational.*; import org.deeplearning4j.nn.conf.constraint.*; import org.deeplearning4j.nn.conf.preprocessor.*;
import org.deeplearning4j.nn.api.layers.LayerConstraint; import org.deeplearning4j.nn.conf.inputs.*; import org.deeplearning4j.nn.conf.inputs.InputType; import org.deeplearning4j.nn.graph.ComputationGraph; import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.nd4j.linalg.activations.*; import org.nd4j.linalg.activations.impl.*; import org.nd4j.linalg.lossfunctions.*; import org.nd4j.linalg.lossfunctions.impl.*; import org.nd4j.linalg.learning.config.*; import org.nd4j.linalg.schedule.*;
import org.nd4j.linalg.api.ndarray.*; import org.nd4j.linalg.factory.*; import org.deeplearning4j.nn.weights.*; import java.util.*;

/** Networks of random layers and settings, by families: RandomCases FAMILY,… FROM TO. Those whose training Deeplearning4j has a defect in are of inference only. */
public class RandomCases extends Core {
  final Random r; final String name; boolean train = true, noReg; RandomCases(String name, long seed) { this.name = name; r = new Random(seed * 7919 + 13); for (int i = 0; i < 10; i++) r.nextInt(); noReg = coin(0.45); }
  <T extends Layer> T nr(T x) { if (!noReg) train = false; return x; }
  boolean rc(double p) { return !noReg && coin(p); }
  int ri(int a, int b) { return a + r.nextInt(b - a + 1); }
  boolean coin(double p) { return r.nextDouble() < p; }
  @SafeVarargs final <T> T pick(T... x) { return x[r.nextInt(x.length)]; }
  double rd(double a, double b) { return Math.round((a + (b - a) * r.nextDouble()) * 1000) / 1000.0; }
  // ---------- pieces ----------
  ISchedule sched(double v) {
    ScheduleType t = coin(0.8) ? ScheduleType.ITERATION : ScheduleType.EPOCH;
    switch (ri(0, 8)) {
      case 0: return new StepSchedule(t, v, rd(0.3, 0.9), ri(1, 3));
      case 1: return new ExponentialSchedule(t, v, rd(0.5, 0.99));
      case 2: return new InverseSchedule(t, v, rd(0.1, 1), rd(0.3, 1.5));
      case 3: return new PolySchedule(t, v, rd(0.3, 2), ri(3, 12));
      case 4: return new SigmoidSchedule(t, v, rd(0.1, 0.9), ri(1, 5));
      case 5: { Map<Integer, Double> m = new HashMap<>(); m.put(0, v); m.put(2, v * 0.5); m.put(4, v * 1.5); return new MapSchedule(t, m); }
      case 6: return new CycleSchedule(t, v * 0.2, v, ri(6, 10), ri(1, 2), rd(0.1, 0.5));
      case 7: return new FixedSchedule(v);
      default: return new InverseSchedule(t, v, 0.5, 1);
    }
  }
  IUpdater updater() { return updater(1); }
  IUpdater updater(double f) {
    boolean s = coin(0.25); double lr = rd(0.005, 0.05) * f, big = rd(0.02, 0.2) * f;
    switch (ri(0, 10)) {
      case 0: return s ? new Sgd(sched(big)) : new Sgd(big);
      case 1: { if (coin(0.3)) return Nesterovs.builder().learningRate(big * 0.5).momentumISchedule(sched(0.5)).build(); return s ? new Nesterovs(sched(big), rd(0.3, 0.95)) : new Nesterovs(big, rd(0.3, 0.95)); }
      case 2: return s ? Adam.builder().learningRateSchedule(sched(lr)).beta1(rd(0.8, 0.95)).epsilon(1e-6).build() : new Adam(lr, rd(0.8, 0.95), rd(0.95, 0.999), pick(1e-8, 1e-3));
      case 3: return s ? AMSGrad.builder().learningRateSchedule(sched(lr)).build() : new AMSGrad(lr, rd(0.8, 0.95), rd(0.95, 0.999), 1e-6);
      case 4: return s ? new AdaMax(sched(lr)) : new AdaMax(lr, rd(0.8, 0.95), rd(0.95, 0.999), 1e-6);
      case 5: return s ? Nadam.builder().learningRateSchedule(sched(lr)).build() : new Nadam(lr, rd(0.8, 0.95), rd(0.95, 0.999), 1e-6);
      case 6: return s ? AdaGrad.builder().learningRateSchedule(sched(lr)).epsilon(1e-4).build() : new AdaGrad(lr, pick(1e-6, 1e-3));
      case 7: return new AdaDelta(rd(0.8, 0.97), pick(1e-6, 1e-4));
      case 8: return s ? RmsProp.builder().learningRateSchedule(sched(lr * 0.3)).rmsDecay(rd(0.8, 0.97)).epsilon(1e-4).build() : new RmsProp(lr * 0.3, rd(0.8, 0.97), pick(1e-8, 1e-3));
      case 9: return coin(0.3) ? new NoOp() : new Sgd(big);
      default: return new Adam(lr);
    }
  }
  IActivation act() {
    switch (ri(0, 20)) {
      case 0: return new ActivationCube(); case 1: return new ActivationELU(); case 2: return new ActivationGELU(); case 3: return new ActivationHardSigmoid(); case 4: return new ActivationHardTanH();
      case 5: return new ActivationIdentity(); case 6: return new ActivationLReLU(rd(0.01, 0.4)); case 7: return new ActivationMish(); case 8: return new ActivationRationalTanh(); case 9: return new ActivationReLU();
      case 10: return new ActivationReLU(pick(null, 2.0), pick(null, 0.3), pick(null, 0.2)); case 11: return new ActivationReLU6(); case 12: return new ActivationRectifiedTanh(); case 13: return new ActivationSELU(); case 14: return new ActivationSigmoid();
      case 15: return new ActivationSoftPlus(); case 16: return new ActivationSoftSign(); case 17: return new ActivationSwish(); case 18: return new ActivationThresholdedReLU(rd(0, 0.5)); case 19: return new ActivationSoftmax(); default: return new ActivationTanH();
    }
  }
  IActivation smooth() { return pick(new ActivationTanH(), new ActivationSigmoid(), new ActivationSoftSign(), new ActivationSwish(), new ActivationSELU(), new ActivationIdentity(), new ActivationRationalTanh()); }
  WeightInit winit() { return pick(WeightInit.XAVIER, WeightInit.XAVIER_UNIFORM, WeightInit.RELU, WeightInit.LECUN_NORMAL, WeightInit.UNIFORM, WeightInit.SIGMOID_UNIFORM, WeightInit.VAR_SCALING_NORMAL_FAN_AVG, WeightInit.LECUN_UNIFORM, WeightInit.XAVIER_LEGACY, WeightInit.NORMAL); }
  GradientNormalization gn() { return pick(GradientNormalization.values()); }
  NeuralNetConfiguration.Builder base() {
    NeuralNetConfiguration.Builder b = new NeuralNetConfiguration.Builder().seed(ri(1, 99999)).updater(updater()).activation(act()).weightInit(winit());
    if (coin(0.2)) b.biasUpdater(updater());
    if (rc(0.2)) b.l1(rd(0, 0.05)); if (rc(0.3)) b.l2(rd(0, 0.1)); if (rc(0.15)) b.l1Bias(rd(0, 0.05)); if (rc(0.15)) b.l2Bias(rd(0, 0.05));
    if (rc(0.15)) b.weightDecay(rd(0, 0.1), coin(0.5)); if (rc(0.1)) b.weightDecayBias(rd(0, 0.1), coin(0.5));
    if (coin(0.25)) { b.gradientNormalization(gn()); b.gradientNormalizationThreshold(rd(0.05, 1.5)); }
    if (coin(0.1)) b.miniBatch(false);
    if (rc(0.12)) b.constrainWeights(cons()); else if (rc(0.05)) b.constrainBias(new NonNegativeConstraint());
    if (coin(0.2)) b.biasInit(rd(-0.3, 0.3));
    return b;
  }
  LayerConstraint cons() { switch (ri(0, 3)) { case 0: return new MaxNormConstraint(rd(0.5, 2), 1); case 1: return new UnitNormConstraint(1); case 2: return new MinMaxNormConstraint(0.3, rd(0.6, 1.5), 1.0, 1); default: return new NonNegativeConstraint(); } }
  <T extends BaseLayer.Builder<T>> T over(T b) {
    if (coin(0.15)) b.updater(updater()); if (coin(0.1)) b.biasUpdater(updater()); if (rc(0.1)) b.l1(rd(0, 0.05)); if (rc(0.1)) b.l2(rd(0, 0.1)); if (rc(0.07)) b.weightDecay(rd(0, 0.1)); if (rc(0.07)) b.l2Bias(rd(0, 0.1));
    if (coin(0.1)) { b.gradientNormalization(gn()); b.gradientNormalizationThreshold(rd(0.05, 1.5)); }
    if (coin(0.1)) b.biasInit(rd(-0.2, 0.2)); if (coin(0.5)) b.activation(act()); if (coin(0.2)) b.weightInit(winit());
    return b;
  }
  INDArray w(int n) { INDArray x = u(ri(1, 9999), 1, n).addi(0.3); return x; }
  /** loss, with its activation and the kind of its labels: [ILossFunction, IActivation, kind] */
  Object[] loss(int n) {
    INDArray w = coin(0.25) ? w(n) : null;
    switch (ri(0, 22)) {
      case 0: return new Object[]{w == null ? new LossMCXENT() : new LossMCXENT(w), new ActivationSoftmax(), "onehot"};
      case 1: return new Object[]{w == null ? new LossNegativeLogLikelihood() : new LossNegativeLogLikelihood(w), new ActivationSoftmax(), "onehot"};
      case 2: return new Object[]{w == null ? new LossBinaryXENT() : new LossBinaryXENT(w), new ActivationSigmoid(), pick("binary", "unit")};
      case 3: return new Object[]{w == null ? new LossMSE() : new LossMSE(w), smooth(), "normal"};
      case 4: return new Object[]{w == null ? new LossL2() : new LossL2(w), smooth(), "normal"};
      case 5: return new Object[]{w == null ? new LossL1() : new LossL1(w), smooth(), "normal"};
      case 6: return new Object[]{w == null ? new LossMAE() : new LossMAE(w), smooth(), "normal"};
      case 7: return new Object[]{w == null ? new LossMAPE() : new LossMAPE(w), smooth(), "away"};
      case 8: return new Object[]{w == null ? new LossMSLE() : new LossMSLE(w), new ActivationSoftPlus(), "unit"};
      case 9: return new Object[]{new LossHinge(), pick(new ActivationTanH(), new ActivationIdentity()), "sign"};
      case 10: return new Object[]{new LossSquaredHinge(), pick(new ActivationTanH(), new ActivationIdentity()), "sign"};
      case 11: return new Object[]{new LossKLD(), pick(new ActivationSoftmax(), new ActivationSigmoid()), "dist"};
      case 12: return new Object[]{new LossPoisson(), new ActivationSoftPlus(), "unit"};
      case 13: return new Object[]{new LossCosineProximity(), smooth(), "normal"};
      case 14: return new Object[]{new LossWasserstein(), new ActivationIdentity(), "sign"};
      case 15: return new Object[]{w == null ? new LossSparseMCXENT() : new LossSparseMCXENT(w), new ActivationSoftmax(), "sparse"};
      case 16: return new Object[]{new LossMCXENT(rd(1e-6, 0.01), null), new ActivationSoftmax(), "dist"};
      case 17: return new Object[]{w == null ? new LossMSE() : new LossMSE(w), new ActivationSoftmax(), "dist"};
      case 18: return new Object[]{new LossMultiLabel(), new ActivationSigmoid(), "multi"};
      case 19: if (n == 2) return new Object[]{new LossFMeasure(rd(0.5, 2)), n == 2 ? new ActivationSoftmax() : new ActivationSigmoid(), n == 2 ? "onehot" : "binary"};
      case 20: case 21: return new Object[]{new LossMSE(w), new ActivationSigmoid(), "unit"};
      default: return new Object[]{new LossMCXENT(), new ActivationSoftmax(), "onehot"};
    }
  }
  /** labels of an output's shape */
  INDArray labels(long[] s, String kind, int axis) {
    long seed = ri(1, 1 << 20);
    switch (kind) {
      case "normal": return g(seed, s); case "unit": return u(seed, s); case "binary": return bin(seed, s); case "sign": return bin(seed, s).muli(2).subi(1); case "away": return g(seed, s).addi(3);
      case "multi": { INDArray b = bin(seed, s); long n = s[1]; for (int i = 0; i < s[0]; i++) { if (s.length == 2) { b.putScalar(new long[]{i, 0}, 1); b.putScalar(new long[]{i, n - 1}, 0); } } return b; }
      case "dist": { INDArray x = u(seed, s).addi(0.05); INDArray sum = x.sum(true, axis); return x.div(sum.broadcast(s)); }
      case "sparse": { long k = s[axis]; long[] z = s.clone(); z[axis] = 1; return ints(seed, (int) k, z); }
      default: { INDArray x = Nd4j.create(s); INDArray id = ints(seed, (int) s[axis], one(s, axis)); long[] idx = new long[s.length]; walk(x, id, s, axis, 0, idx); return x.dup('c'); }
    }
  }
  static long[] one(long[] s, int a) { long[] z = s.clone(); z[a] = 1; return z; }
  static void walk(INDArray x, INDArray id, long[] s, int axis, int d, long[] idx) {
    if (d == s.length) { long[] i2 = idx.clone(); i2[axis] = 0; int k = id.getInt(toInt(i2)); i2[axis] = k; x.putScalar(i2, 1); return; }
    if (d == axis) { idx[d] = 0; walk(x, id, s, axis, d + 1, idx); return; }
    for (idx[d] = 0; idx[d] < s[d]; idx[d]++) walk(x, id, s, axis, d + 1, idx);
  }
  static int[] toInt(long[] l) { int[] r = new int[l.length]; for (int i = 0; i < l.length; i++) r[i] = (int) l[i]; return r; }
  INDArray lens(int n, int t) { int[] l = new int[n]; for (int i = 0; i < n; i++) l[i] = i == 0 ? t : ri(1, t); return mask(t, l); }
  INDArray spots(int n, int t) { INDArray m = bin(ri(1, 9999), n, t); for (int i = 0; i < n; i++) m.putScalar(i, r.nextInt(t), 1); return m; }
  INDArray tmask(int n, int t) { return coin(0.7) ? lens(n, t) : spots(n, t); }
  Opt o() { Opt o = opt(); o.train = train; o.grad = train; return o; }
  void run(Sup<MultiLayerConfiguration> c, INDArray f, INDArray l, INDArray fm, INDArray lm) { mln(name, c, f, l, fm, lm, o()); }
  long[] outShape(MultiLayerConfiguration c, INDArray f) { MultiLayerNetwork n = new MultiLayerNetwork(c); n.init(); return n.output(f).shape(); }
  static boolean bad(String why) { throw new RuntimeException(why); }

  // ---------- families ----------
  static OutputLayer.Builder outb(Object[] lo, int n) { return new OutputLayer.Builder((ILossFunction) lo[0]).activation((IActivation) lo[1]).nOut(n); }
  Layer ffLayer() { return ffLayer(0); }
  Layer ffLayer(int in) {
    int n = ri(2, 6);
    switch (ri(0, 12)) {
      case 0: return new BatchNormalization.Builder().decay(rd(0.5, 0.99)).eps(pick(1e-5, 1e-3)).lockGammaBeta(coin(0.3)).gamma(rd(0.5, 1.5)).beta(rd(-0.5, 0.5)).useLogStd(coin(0.5)).build();
      case 1: return new ActivationLayer(act());
      case 2: if (in > 0) return over(new ElementWiseMultiplicationLayer.Builder().nIn(in).nOut(in)).build();
      case 3: return new AutoEncoder.Builder().nOut(n).corruptionLevel(rd(0, 0.5)).activation(act()).build();
      case 4: return new VariationalAutoencoder.Builder().nOut(n).encoderLayerSizes(ri(2, 5), ri(2, 5)).decoderLayerSizes(ri(2, 5)).activation(smooth()).pzxActivationFunction(pick(Activation.TANH, Activation.SIGMOID, Activation.IDENTITY)).reconstructionDistribution(new GaussianReconstructionDistribution(Activation.TANH)).build();
      case 5: return nr(new FrozenLayer(over(new DenseLayer.Builder().nOut(n)).build()));
      case 6: return nr(new FrozenLayerWithBackprop(new DenseLayer.Builder().nOut(n).l1(0).l2(0).activation(act()).build()));
      case 7: return over(new DenseLayer.Builder().nOut(n).hasBias(false)).build();
      case 8: case 9: return over(new DenseLayer.Builder().nOut(n).hasLayerNorm(true).hasBias(coin(0.7))).build();
      default: return over(new DenseLayer.Builder().nOut(n)).build();
    }
  }
  static int ffOut(Layer l, int in) { if (l instanceof FrozenLayer) return ffOut(((FrozenLayer) l).getLayer(), in); if (l instanceof FrozenLayerWithBackprop) return ffOut(((FrozenLayerWithBackprop) l).getUnderlying(), in); if (l instanceof BatchNormalization || l instanceof ActivationLayer) return in; return (int) ((FeedForwardLayer) l).getNOut(); }
  void mlp() {
    NeuralNetConfiguration.ListBuilder b = base().list(); int in = ri(2, 6), k = ri(1, 4), N = ri(2, 7), nout = ri(2, 4); Object[] lo = loss(nout);
    int at = in; for (int i = 0; i < k; i++) { Layer x = ffLayer(at); at = ffOut(x, at); b.layer(x); }
    if (coin(0.2)) { b.layer(new DenseLayer.Builder().nOut(nout).build()); b.layer(new LossLayer.Builder((ILossFunction) lo[0]).activation((IActivation) lo[1]).build()); train = lo[1] instanceof ActivationSoftmax && lo[0] instanceof LossMCXENT; }
    else b.layer(over(outb(lo, nout).hasBias(coin(0.9))).activation((IActivation) lo[1]).build());
    b.setInputType(InputType.feedForward(in)); INDArray f = g(ri(1, 9999), N, in), l = labels(new long[]{N, nout}, (String) lo[2], 1);
    INDArray lm = coin(0.2) ? spots(N, 1).reshape(N, 1) : coin(0.15) && !lo[2].equals("sparse") ? spots(N, nout) : null;
    run(() -> b.build(), f, l, null, lm);
  }
  void embed() {
    NeuralNetConfiguration.ListBuilder b = base().list(); int vocab = ri(3, 7), N = ri(2, 6), T = ri(2, 5), nout = ri(2, 4); Object[] lo = loss(nout);
    if (coin(0.4)) {
      b.layer(over(new EmbeddingLayer.Builder().nIn(vocab).nOut(ri(2, 5)).hasBias(coin(0.5))).build()); if (coin(0.5)) b.layer(ffLayer()); 
      b.layer(outb(lo, nout).nIn(0).build()).setInputType(InputType.feedForward(vocab));
      run(() -> b.build(), ints(ri(1, 999), vocab, N, 1), labels(new long[]{N, nout}, (String) lo[2], 1), null, null); return;
    }
    boolean infer = coin(0.4);
    b.layer(over(new EmbeddingSequenceLayer.Builder().nIn(vocab).nOut(ri(2, 5)).hasBias(coin(0.5)).inputLength(T).inferInputLength(infer)).build());
    INDArray f = coin(0.5) ? ints(ri(1, 999), vocab, N, T) : ints(ri(1, 999), vocab, N, 1, T), fm = coin(0.5) ? lens(N, T) : null; rnnTail(b, N, T, InputType.recurrent(vocab, T), f, fm, false);
  }
  BaseRecurrentLayer.Builder<?> fmt(BaseRecurrentLayer.Builder<?> b) { return b; }
  Layer rnn(boolean wrap) {
    int n = ri(2, 4); IActivation gate = pick(new ActivationSigmoid(), new ActivationHardSigmoid(), new ActivationTanH());
    Layer l;
    switch (ri(0, 6)) {
      case 0: case 1: l = over(new LSTM.Builder().nOut(n).forgetGateBiasInit(rd(0, 2)).gateActivationFunction(gate)).build(); break;
      case 2: l = over(new GravesLSTM.Builder().nOut(n).forgetGateBiasInit(rd(0, 2)).gateActivationFunction(gate)).build(); break;
      case 3: l = over(new SimpleRnn.Builder().nOut(n)).build(); break;
      case 4: if (wrap) return over(new GravesBidirectionalLSTM.Builder().nOut(n).forgetGateBiasInit(rd(0, 2)).gateActivationFunction(gate)).build();
      default: l = over(new LSTM.Builder().nOut(n).weightInitRecurrent(winit())).build();
    }
    if (wrap && coin(0.35)) return new Bidirectional(pick(Bidirectional.Mode.values()), l);
    if (wrap && coin(0.1)) return nr(new FrozenLayer(l));
    return l;
  }
  Layer seq() {
    switch (ri(0, 11)) {
      case 0: return over(new DenseLayer.Builder().nOut(ri(2, 5))).build();
      case 1: return new TimeDistributed(new DenseLayer.Builder().nOut(ri(2, 5)).activation(act()).build());
      case 2: return new ActivationLayer(act());
      case 3: return over(new Convolution1DLayer.Builder(ri(1, 3)).nOut(ri(2, 4)).convolutionMode(pick(ConvolutionMode.Same, ConvolutionMode.Causal))).build();
      case 4: train = false; return new MaskZeroLayer.Builder().setUnderlying(over(new LSTM.Builder().nOut(3)).build()).setMaskValue(0).build();
      case 5: return over(new PReLULayer.Builder().inputShape(3, 5)).build();
      default: return rnn(true);
    }
  }
  void rnnTail(NeuralNetConfiguration.ListBuilder b, int N, int T, InputType it, INDArray f, INDArray fm, boolean nwc) {
    int nout = ri(2, 4); Object[] lo = loss(nout); boolean sq = false;
    switch (ri(0, 5)) {
      case 0: { if (coin(0.5)) b.layer(new LastTimeStep(pick(new LSTM.Builder().nOut(3).build(), new SimpleRnn.Builder().nOut(3).build(), new GravesLSTM.Builder().nOut(2).build()))); else { Bidirectional bi = new Bidirectional(pick(Bidirectional.Mode.values()), new LSTM.Builder().nOut(3).build()); if (fm != null) train = false; b.layer(new LastTimeStep(bi)); } b.layer(outb(lo, nout).build()); break; }
      case 1: case 2: b.layer(new GlobalPoolingLayer.Builder(pick(PoolingType.values())).pnorm(ri(1, 4)).build()); if (coin(0.4)) b.layer(ffLayer()); b.layer(outb(lo, nout).build()); break;
      case 3: { b.layer(rnn(true)); b.layer(new LSTM.Builder().nOut(nout).build()); b.layer(new RnnLossLayer.Builder((ILossFunction) lo[0]).activation((IActivation) lo[1]).build()); sq = true; break; }
      default: b.layer(over(new RnnOutputLayer.Builder((ILossFunction) lo[0]).activation((IActivation) lo[1]).nOut(nout)).activation((IActivation) lo[1]).build()); sq = true;
    }
    b.setInputType(it); INDArray l, lm = null; final boolean s = sq;
    MultiLayerConfiguration c = b.build(); long[] os = outShape(c, f); 
    l = labels(os, (String) lo[2], sq && nwc ? 2 : 1);
    if (sq) { int t = (int) os[nwc ? 1 : 2]; if (coin(0.5)) lm = fm != null && coin(0.5) && fm.size(1) == t ? fm : tmask(N, t); else if (coin(0.1)) lm = spots(N, 1).reshape(N, 1); } else if (coin(0.2)) lm = spots(N, 1).reshape(N, 1);
    if (sq && os[nwc ? 1 : 2] != T) {} else if (f.rank() == 3 && f.size(1) > 1 && coin(0.25)) { c.setBackpropType(BackpropType.TruncatedBPTT); c.setTbpttFwdLength(ri(T, T + 4)); c.setTbpttBackLength(c.getTbpttFwdLength()); if (!sq) { c.setBackpropType(BackpropType.Standard); } }
    else if (f.rank() == 3 && f.size(1) > 1 && sq && coin(0.15)) { c.setBackpropType(BackpropType.TruncatedBPTT); c.setTbpttFwdLength(ri(2, T)); c.setTbpttBackLength(ri(1, c.getTbpttFwdLength())); if (c.getTbpttFwdLength() < T || c.getTbpttBackLength() < T) train = false; }
    run(() -> c, f, l, fm, lm);
  }
  void rnnNet() {
    NeuralNetConfiguration.ListBuilder b = base().list(); int in = ri(1, 4), N = ri(1, 5), T = ri(2, 7); boolean nwc = coin(0.25); int k = ri(1, 3);
    for (int i = 0; i < k; i++) b.layer(i == 0 ? rnn(true) : seq());
    INDArray f = nwc ? g(ri(1, 9999), N, T, in) : g(ri(1, 9999), N, in, T), fm = coin(0.5) ? tmask(N, T) : null;
    rnnTail(b, N, T, nwc ? InputType.recurrent(in, T, RNNFormat.NWC) : InputType.recurrent(in, T), f, fm, nwc);
  }
  ConvolutionMode cm() { return pick(ConvolutionMode.Truncate, ConvolutionMode.Truncate, ConvolutionMode.Same, ConvolutionMode.Strict); }
  int[] k2() { return new int[]{ri(1, 3), ri(1, 3)}; } int[] pad(ConvolutionMode m) { return m == ConvolutionMode.Same ? new int[]{0, 0} : new int[]{ri(0, 1), ri(0, 1)}; }
  int[] s2() { return coin(0.5) ? new int[]{1, 1} : new int[]{ri(1, 2), ri(1, 2)}; } int[] d2() { return coin(0.75) ? new int[]{1, 1} : new int[]{ri(1, 2), ri(1, 2)}; }
  Layer conv2(int c, int h, int w) {
    ConvolutionMode m = cm(); int[] k = k2(), p = pad(m), s = s2(), d = d2(); for (int i = 0; i < 2; i++) p[i] = Math.min(p[i], k[i] - 1);
    switch (ri(0, 18)) {
      case 0: case 1: case 2: return over(new ConvolutionLayer.Builder(k).nOut(ri(1, 4)).stride(s).padding(p).dilation(d).convolutionMode(m).hasBias(coin(0.8))).build();
      case 3: return over(new Deconvolution2D.Builder(k).nOut(ri(1, 3)).stride(s).padding(p).dilation(d).convolutionMode(m).hasBias(coin(0.8))).build();
      case 4: if (!noReg) train = false; return over(new DepthwiseConvolution2D.Builder(k).depthMultiplier(ri(1, 3)).stride(s).padding(p).dilation(d).convolutionMode(m).hasBias(coin(0.8))).build();
      case 5: if (!noReg) train = false; return over(new SeparableConvolution2D.Builder(k).nOut(ri(1, 4)).depthMultiplier(ri(1, 2)).stride(s).padding(p).dilation(d).convolutionMode(m).hasBias(coin(0.8))).build();
      case 6: case 7: return new SubsamplingLayer.Builder(pick(SubsamplingLayer.PoolingType.values()), new int[]{ri(1, 3), ri(1, 3)}).stride(s).padding(p).dilation(d).convolutionMode(m).pnorm(ri(1, 4)).eps(pick(1e-8, 1e-4)).avgPoolIncludePadInDivisor(coin(0.3)).build();
      case 8: return new Upsampling2D.Builder().size(coin(0.5) ? new int[]{ri(1, 3), ri(1, 3)} : new int[]{2, 2}).build();
      case 9: return new ZeroPaddingLayer.Builder(ri(0, 2), ri(0, 2), ri(0, 2), ri(0, 2)).build();
      case 10: return new Cropping2D.Builder(ri(0, 1), ri(0, 1), ri(0, 1), ri(0, 1)).build();
      case 11: return new SpaceToDepthLayer.Builder(2).build();
      case 12: train = false; return new LocalResponseNormalization.Builder().n(ri(1, 5)).alpha(rd(0.001, 0.5)).beta(rd(0.4, 1)).k(rd(1, 3)).build();
      case 13: case 14: return new BatchNormalization.Builder().decay(rd(0.5, 0.99)).eps(pick(1e-5, 1e-3)).lockGammaBeta(coin(0.3)).gamma(rd(0.5, 1.5)).beta(rd(-0.5, 0.5)).useLogStd(coin(0.5)).build();
      case 15: return over(new PReLULayer.Builder().inputShape(c, h, w).sharedAxes(pick(new long[]{2, 3}, new long[]{1}, new long[]{1, 2, 3}))).build();
      case 16: return new ActivationLayer(act());
      case 17: return nr(new FrozenLayer(new ConvolutionLayer.Builder(2, 2).nOut(3).build()));
      default: { train = false; return over2(k, s); }
    }
  }
  Layer over2(int[] k, int[] s) { return new LocallyConnected2D.Builder().kernelSize(k).stride(s).nOut(ri(1, 3)).activation(pick(Activation.RELU, Activation.TANH, Activation.SIGMOID, Activation.ELU)).hasBias(coin(0.7)).build(); }
  void cnn() {
    NeuralNetConfiguration.ListBuilder b = base().list(); int c = ri(1, 3), h = ri(4, 7), w = ri(4, 7), N = ri(1, 4), k = ri(1, 3), nout = ri(2, 4); boolean nhwc = coin(0.3);
    for (int i = 0; i < k; i++) b.layer(conv2(c, h, w)); 
    Object[] lo = loss(nout); boolean img = coin(0.25);
    if (img) { b.layer(new ConvolutionLayer.Builder(1, 1).nOut(nout).convolutionMode(ConvolutionMode.Same).build()); lo = pick(new Object[]{new LossMCXENT(), new ActivationSoftmax(), "onehot"}, new Object[]{new LossMSE(), smooth(), "normal"}, new Object[]{new LossBinaryXENT(), new ActivationSigmoid(), "binary"}, new Object[]{new LossMAE(), smooth(), "normal"}); if (nhwc) bad("nhwc"); b.layer(new CnnLossLayer.Builder((ILossFunction) lo[0]).activation((IActivation) lo[1]).build()); if (nhwc) train = false; }
    else { int z = ri(0, 2); if (z == 0) b.layer(new GlobalPoolingLayer.Builder(pick(PoolingType.values())).pnorm(ri(1, 3)).collapseDimensions(coin(0.8)).build()); if (z == 1) b.layer(new DenseLayer.Builder().nOut(4).build()); b.layer(over(outb(lo, nout)).activation((IActivation) lo[1]).build()); }
    InputType it = nhwc ? InputType.convolutional(h, w, c, CNN2DFormat.NHWC) : coin(0.2) ? InputType.convolutionalFlat(h, w, c) : InputType.convolutional(h, w, c);
    INDArray f = nhwc ? g(ri(1, 9999), N, h, w, c) : it.getType() == InputType.Type.CNNFlat ? g(ri(1, 9999), N, h * w * c) : g(ri(1, 9999), N, c, h, w);
    b.setInputType(it); MultiLayerConfiguration cc = b.build(); long[] os = outShape(cc, f); INDArray l = labels(os, (String) lo[2], img && nhwc ? 3 : 1), lm = null, fm = null;
    if (img && !nhwc) { int H = (int) os[2], W = (int) os[3]; switch (ri(0, 5)) { case 0: lm = spots(N, 1).reshape(N, 1, 1, 1); break; case 1: lm = bin(ri(1, 999), N, 1, H, W); break; case 2: if (!(lo[1] instanceof ActivationSoftmax)) lm = bin(ri(1, 999), N, nout, H, W); break; default: } }
    else if (!img && coin(0.2)) lm = spots(N, 1).reshape(N, 1);
    final INDArray flm = lm; run(() -> cc, f, l, fm, flm);
  }
  void cnn1() {
    NeuralNetConfiguration.ListBuilder b = base().list(); int in = ri(1, 3), N = ri(1, 4), T = ri(6, 9), k = ri(1, 3); boolean nwc = false;
    for (int i = 0; i < k; i++) { ConvolutionMode m = pick(ConvolutionMode.Truncate, ConvolutionMode.Same, ConvolutionMode.Causal); int ks = ri(1, 3);
      switch (ri(0, 9)) {
        case 0: b.layer(new Subsampling1DLayer.Builder(pick(SubsamplingLayer.PoolingType.MAX, SubsamplingLayer.PoolingType.AVG, SubsamplingLayer.PoolingType.SUM, SubsamplingLayer.PoolingType.PNORM), ri(1, 3), ri(1, 2)).pnorm(ri(1, 3)).convolutionMode(pick(ConvolutionMode.Truncate, ConvolutionMode.Same)).build()); break;
        case 1: b.layer(new ZeroPadding1DLayer.Builder(ri(0, 2), ri(0, 2)).build()); break;
        case 2: b.layer(new Cropping1D.Builder(ri(0, 1), ri(0, 1)).build()); break;
        case 3: b.layer(new Upsampling1D.Builder(ri(1, 3)).build()); break;
        case 4: train = false; b.layer(new LocallyConnected1D.Builder().kernelSize(ks).stride(ri(1, 2)).nOut(ri(1, 3)).activation(pick(Activation.RELU, Activation.TANH)).hasBias(coin(0.7)).build()); break;
        case 5: b.layer(rnn(true)); break;
        default: b.layer(over(new Convolution1DLayer.Builder(ks).nOut(ri(1, 4)).stride(ri(1, 2)).dilation(ri(1, 2)).padding(m == ConvolutionMode.Truncate ? Math.min(ks - 1, ri(0, 1)) : 0).convolutionMode(m).hasBias(coin(0.8))).build());
      } }
    rnnTail(b, N, T, InputType.recurrent(in, T), g(ri(1, 9999), N, in, T), null, nwc);
  }
  void cnn3() {
    NeuralNetConfiguration.ListBuilder b = base().list(); int c = ri(1, 2), d = ri(3, 5), h = ri(3, 5), w = ri(3, 5), N = ri(1, 3), k = ri(1, 2), nout = ri(2, 3); Object[] lo = loss(nout);
    for (int i = 0; i < k; i++) { ConvolutionMode m = pick(ConvolutionMode.Strict, ConvolutionMode.Truncate, ConvolutionMode.Same); boolean two = coin(0.4); int[] s = two ? new int[]{ri(1, 2), ri(1, 2), ri(1, 2)} : new int[]{1, 1, 1}; int[] ks = {ri(1, 3), ri(1, 2), ri(1, 3)};
      switch (ri(0, 7)) {
        case 0: b.layer(new Subsampling3DLayer.Builder(pick(Subsampling3DLayer.PoolingType.MAX, Subsampling3DLayer.PoolingType.AVG), new int[]{ri(1, 2), ri(1, 2), ri(1, 2)}, new int[]{ri(1, 2), ri(1, 2), ri(1, 2)}).convolutionMode(m).build()); break;
        case 1: b.layer(new ZeroPadding3DLayer.Builder(ri(0, 1), ri(0, 1), ri(0, 1), ri(0, 1), ri(0, 2), ri(0, 1)).build()); break;
        case 2: b.layer(new Cropping3D.Builder(ri(0, 1), ri(0, 1), ri(0, 1), ri(0, 1), ri(0, 1), ri(0, 1)).build()); break;
        case 3: b.layer(new Upsampling3D.Builder().size(new int[]{ri(1, 2), ri(1, 2), ri(1, 2)}).build()); break;
        case 4: b.layer(over(new Deconvolution3D.Builder().kernelSize(ks).stride(s).nOut(ri(1, 3)).convolutionMode(m).hasBias(coin(0.8))).build()); break;
        default: b.layer(over(new Convolution3D.Builder(ks).stride(s).nOut(ri(1, 3)).convolutionMode(m).hasBias(coin(0.8)).dataFormat(Convolution3D.DataFormat.NCDHW)).build());
      } }
    if (coin(0.5)) b.layer(new GlobalPoolingLayer.Builder(pick(PoolingType.values())).pnorm(2).build()); b.layer(outb(lo, nout).build());
    b.setInputType(InputType.convolutional3D(Convolution3D.DataFormat.NCDHW, d, h, w, c)); run(() -> b.build(), g(ri(1, 9999), N, c, d, h, w), labels(new long[]{N, nout}, (String) lo[2], 1), null, null);
  }
  // random graph of rows
  void graphFF() {
    int ni = ri(1, 3), no = ri(1, 3), N = ri(2, 5), n = ri(3, 7); ComputationGraphConfiguration.GraphBuilder gb = base().graphBuilder().allowDisconnected(true); List<String> have = new ArrayList<>(); Map<String, Integer> size = new HashMap<>(); InputType[] its = new InputType[ni]; INDArray[] f = new INDArray[ni];
    for (int i = 0; i < ni; i++) { String s = "in" + i; int z = ri(2, 5); gb.addInputs(s); its[i] = InputType.feedForward(z); f[i] = g(ri(1, 9999), N, z); have.add(s); size.put(s, z); }
    for (int i = 0; i < n; i++) { String s = pick("v", "a", "n") + i, x = have.get(r.nextInt(have.size())), y = have.get(r.nextInt(have.size())); int sx = size.get(x), sy = size.get(y), z = sx;
      switch (ri(0, 13)) {
        case 0: gb.addVertex(s, new MergeVertex(), x, y); z = sx + sy; if (x.equals(y)) continue; break;
        case 1: { String m = s + "m"; gb.addLayer(m, new DenseLayer.Builder().nOut(sx).activation(act()).build(), y); gb.addVertex(s, new ElementWiseVertex(pick(ElementWiseVertex.Op.values())), x, m); break; }
        case 2: { int from = ri(0, sx - 1), to = ri(from, sx - 1); gb.addVertex(s, new SubsetVertex(from, to), x); z = to - from + 1; break; }
        case 3: gb.addVertex(s, new ScaleVertex(rd(-1.5, 1.5)), x); break;
        case 4: gb.addVertex(s, new ShiftVertex(rd(-1, 1)), x); break;
        case 5: gb.addVertex(s, new L2NormalizeVertex(), x); break;
        case 6: { String m = s + "m"; gb.addLayer(m, new DenseLayer.Builder().nOut(sx).activation(act()).build(), y); gb.addVertex(s, new L2Vertex(), x, m); z = 1; break; }
        case 7: { String m = s + "m", st = s + "s", d = s + "d"; gb.addLayer(m, new DenseLayer.Builder().nOut(sx).activation(act()).build(), y); gb.addVertex(st, new StackVertex(), x, m); z = ri(2, 4); gb.addLayer(d, new DenseLayer.Builder().nOut(z).activation(act()).build(), st); gb.addVertex(s, new UnstackVertex(ri(0, 1), 2), d); break; }
        case 8: gb.addVertex(s, new ReshapeVertex('c', new int[]{-1, 1, sx}, null), x); { String m = s + "b"; gb.addVertex(m, new ReshapeVertex('c', new int[]{-1, sx}, null), s); s = m; } break;
        default: { boolean two = coin(0.2) && !x.equals(y); Layer l = ffLayer(two ? sx + sy : sx); gb.addLayer(s, l, two ? new String[]{x, y} : new String[]{x}); z = ffOut(l, two ? sx + sy : sx); }
      }
      have.add(s); size.put(s, z); }
    INDArray[] l = new INDArray[no], lm = new INDArray[no]; boolean any = false; String[] outs = new String[no];
    for (int i = 0; i < no; i++) { int z = ri(2, 4); Object[] lo = loss(z); outs[i] = "out" + i; String x = have.get(have.size() - 1 - Math.min(i, have.size() - 1)); gb.addLayer(outs[i], over(outb(lo, z)).activation((IActivation) lo[1]).build(), x); l[i] = labels(new long[]{N, z}, (String) lo[2], 1); if (coin(0.25)) { lm[i] = spots(N, 1).reshape(N, 1); any = true; } }
    gb.setOutputs(outs).setInputTypes(its); ComputationGraphConfiguration c = gb.build(); cg(name, () -> c, f, l, null, any ? lm : null, o());
  }
  void graphRnn() {
    int ni = ri(1, 2), N = ri(1, 4), T = ri(2, 6), no = ri(1, 2); ComputationGraphConfiguration.GraphBuilder gb = base().graphBuilder().allowDisconnected(true); InputType[] its = new InputType[ni]; INDArray[] f = new INDArray[ni], fm = new INDArray[ni]; boolean anyf = false; List<String> have = new ArrayList<>(); Map<String, Integer> size = new HashMap<>();
    for (int i = 0; i < ni; i++) { String s = "in" + i; int z = ri(1, 4); gb.addInputs(s); its[i] = InputType.recurrent(z, T); f[i] = g(ri(1, 9999), N, z, T); have.add(s); size.put(s, z); if (coin(0.4)) { fm[i] = tmask(N, T); anyf = true; } }
    int n = ri(1, 4);
    for (int i = 0; i < n; i++) { String s = pick("v", "a") + i, x = have.get(r.nextInt(have.size())), y = have.get(r.nextInt(have.size())); int z = size.get(x), sy = size.get(y);
      switch (ri(0, 10)) {
        case 0: if (x.equals(y)) continue; gb.addVertex(s, new MergeVertex(), x, y); z += sy; break;
        case 1: { String m = s + "m"; gb.addLayer(m, new LSTM.Builder().nOut(z).build(), y); gb.addVertex(s, new ElementWiseVertex(pick(ElementWiseVertex.Op.values())), x, m); break; }
        case 2: gb.addVertex(s, new ReverseTimeSeriesVertex(coin(0.5) ? "in0" : null), x); break;
        case 3: { String m = s + "m"; gb.addVertex(m, new LastTimeStepVertex(coin(0.7) ? "in" + ri(0, ni - 1) : "in0"), x); if (coin(0.5)) { gb.addLayer(s + "d", new DenseLayer.Builder().nOut(3).activation(act()).build(), m); m = s + "d"; z = 3; } gb.addVertex(s, new DuplicateToTimeSeriesVertex("in" + ri(0, ni - 1)), m); break; }
        case 4: { int from = ri(0, z - 1); gb.addVertex(s, new SubsetVertex(from, z - 1), x); z = z - from; break; }
        case 5: gb.addVertex(s, pick(new ScaleVertex(0.7), new ShiftVertex(0.3), new L2NormalizeVertex()), x); break;
        case 6: { gb.addVertex(s, new PreprocessorVertex(new ComposableInputPreProcessor(new RnnToFeedForwardPreProcessor(), new FeedForwardToRnnPreProcessor())), x); break; }
        default: { Layer l = rnn(true); gb.addLayer(s, l, x); z = nOut(l); }
      }
      have.add(s); size.put(s, z); }
    INDArray[] l = new INDArray[no], lm = new INDArray[no]; boolean any = false; String[] outs = new String[no];
    for (int i = 0; i < no; i++) { int z = ri(2, 4); Object[] lo = loss(z); outs[i] = "out" + i; String x = have.get(have.size() - 1 - Math.min(i, have.size() - 1));
      if (coin(0.6)) { gb.addLayer(outs[i], over(new RnnOutputLayer.Builder((ILossFunction) lo[0]).nOut(z)).activation((IActivation) lo[1]).build(), x); l[i] = labels(new long[]{N, z, T}, (String) lo[2], 1); if (coin(0.5)) { lm[i] = tmask(N, T); any = true; } }
      else { String p = "p" + i; if (coin(0.5)) gb.addVertex(p, new LastTimeStepVertex("in0"), x); else gb.addLayer(p, new GlobalPoolingLayer.Builder(pick(PoolingType.values())).build(), x); gb.addLayer(outs[i], outb(lo, z).build(), p); l[i] = labels(new long[]{N, z}, (String) lo[2], 1); if (coin(0.2)) { lm[i] = spots(N, 1).reshape(N, 1); any = true; } } }
    gb.setOutputs(outs).setInputTypes(its); ComputationGraphConfiguration c = gb.build(); cg(name, () -> c, f, l, anyf ? fm : null, any ? lm : null, o());
  }
  static int nOut(Layer l) { if (l instanceof Bidirectional) { Bidirectional b = (Bidirectional) l; return (int) (((FeedForwardLayer) b.getFwd()).getNOut() * (b.getMode() == Bidirectional.Mode.CONCAT ? 2 : 1)); } if (l instanceof FrozenLayer) return nOut(((FrozenLayer) l).getLayer()); return (int) ((FeedForwardLayer) l).getNOut(); }
  void graphCnn() {
    int N = ri(1, 3), c = ri(1, 3), h = ri(4, 6), w = ri(4, 6), n = ri(2, 5), no = ri(1, 2); boolean nhwc = coin(0.2); ComputationGraphConfiguration.GraphBuilder gb = base().graphBuilder().allowDisconnected(true).addInputs("in"); List<String> have = new ArrayList<>(); have.add("in"); Map<String, Integer> size = new HashMap<>(); size.put("in", c);
    for (int i = 0; i < n; i++) { String s = pick("v", "a") + i, x = have.get(r.nextInt(have.size())), y = have.get(r.nextInt(have.size())); int z = size.get(x), sy = size.get(y);
      switch (ri(0, 8)) {
        case 0: if (x.equals(y)) continue; gb.addVertex(s, new MergeVertex(), x, y); z += sy; break;
        case 1: { String m = s + "m"; gb.addLayer(m, new ConvolutionLayer.Builder(ri(1, 3), ri(1, 3)).nOut(z).convolutionMode(ConvolutionMode.Same).activation(act()).build(), y); gb.addVertex(s, new ElementWiseVertex(pick(ElementWiseVertex.Op.values())), x, m); break; }
        case 2: if (nhwc) continue; { int from = ri(0, z - 1); gb.addVertex(s, new SubsetVertex(from, z - 1), x); z = z - from; break; }
        case 3: gb.addVertex(s, pick(new ScaleVertex(0.7), new ShiftVertex(0.3), new L2NormalizeVertex(), new L2NormalizeVertex(new int[]{1}, 1e-6)), x); break;
        case 4: gb.addLayer(s, new BatchNormalization.Builder().decay(rd(0.5, 0.99)).lockGammaBeta(coin(0.3)).useLogStd(coin(0.5)).build(), x); break;
        case 5: gb.addLayer(s, new SubsamplingLayer.Builder(pick(SubsamplingLayer.PoolingType.values())).pnorm(2).kernelSize(ri(1, 3), ri(1, 3)).stride(1, 1).convolutionMode(ConvolutionMode.Same).build(), x); break;
        default: z = ri(1, 4); gb.addLayer(s, over(new ConvolutionLayer.Builder(ri(1, 3), ri(1, 3)).nOut(z).convolutionMode(ConvolutionMode.Same)).build(), x);
      }
      have.add(s); size.put(s, z); }
    INDArray[] l = new INDArray[no]; String[] outs = new String[no];
    for (int i = 0; i < no; i++) { int z = ri(2, 4); Object[] lo = loss(z); outs[i] = "out" + i; String x = have.get(have.size() - 1 - Math.min(i, have.size() - 1));
      switch (ri(0, 3)) { case 0: gb.addLayer("p" + i, new GlobalPoolingLayer.Builder(pick(PoolingType.values())).build(), x); x = "p" + i; break; case 1: gb.addLayer("p" + i, new DenseLayer.Builder().nOut(3).build(), x); x = "p" + i; break; case 2: if (!nhwc) { gb.addVertex("p" + i, new PoolHelperVertex(), x); x = "p" + i; } break; default: }
      gb.addLayer(outs[i], over(outb(lo, z)).activation((IActivation) lo[1]).build(), x); l[i] = labels(new long[]{N, z}, (String) lo[2], 1); }
    gb.setOutputs(outs).setInputTypes(nhwc ? InputType.convolutional(h, w, c, CNN2DFormat.NHWC) : InputType.convolutional(h, w, c)); ComputationGraphConfiguration cc = gb.build(); cg(name, () -> cc, a(nhwc ? g(ri(1, 9999), N, h, w, c) : g(ri(1, 9999), N, c, h, w)), l, null, null, o());
  }
  void special() {
    int N = ri(2, 5), nout = ri(2, 4); NeuralNetConfiguration.ListBuilder b = base().list(); Object[] lo = loss(nout);
    switch (ri(0, 9)) {
      case 0: { CenterLossOutputLayer.Builder cl = new CenterLossOutputLayer.Builder((ILossFunction) pick(new LossMCXENT(), new LossNegativeLogLikelihood(), new LossMSE())).nOut(nout).activation(Activation.SOFTMAX).alpha(rd(0.05, 0.9)).lambda(rd(1e-3, 0.5)).gradientCheck(coin(0.3)); b.layer(ffLayer()).layer(cl.build()).setInputType(InputType.feedForward(4)); run(() -> b.build(), g(ri(1, 999), N, 4), labels(new long[]{N, nout}, "onehot", 1), null, coin(0.2) ? spots(N, 1).reshape(N, 1) : null); return; }
      case 1: { train = false; if (!noReg) bad("reg"); b.layer(ffLayer()).layer(new org.deeplearning4j.nn.conf.ocnn.OCNNOutputLayer.Builder().hiddenLayerSize(ri(2, 5)).nu(rd(0.01, 0.4)).initialRValue(rd(0, 1)).activation(smooth()).build()).setInputType(InputType.feedForward(4)); run(() -> b.build(), g(ri(1, 999), N, 4), Nd4j.ones(N, 1), null, null); return; }
      case 2: { int c = ri(1, 3), B = ri(1, 3), gs = ri(2, 4); INDArray pri = u(ri(1, 999), B, 2).muli(3).addi(0.3); b.layer(new ConvolutionLayer.Builder(1, 1).nOut(B * (5 + c)).activation(coin(0.5) ? Activation.IDENTITY : Activation.TANH).build()).layer(new org.deeplearning4j.nn.conf.layers.objdetect.Yolo2OutputLayer.Builder().boundingBoxPriors(pri).lambdaCoord(rd(1, 6)).lambdaNoObj(rd(0.1, 1)).lossPositionScale(coin(0.3) ? (ILossFunction) new LossMAE() : new LossL2()).lossClassPredictions(coin(0.3) ? (ILossFunction) new LossMCXENT() : new LossL2()).build()).setInputType(InputType.convolutional(gs, gs, 2));
        INDArray l = Nd4j.create(N, 4 + c, gs, gs); for (int i = 0; i < N; i++) { boolean[][] used = new boolean[gs][gs]; for (int k = 0; k < ri(0, 3); k++) { double x1 = rd(0, gs - 0.5), y1 = rd(0, gs - 0.5), x2 = Math.min(gs, x1 + rd(0.2, 2)), y2 = Math.min(gs, y1 + rd(0.2, 2)); int cx = (int) Math.min(gs - 1, (x1 + x2) / 2), cy = (int) Math.min(gs - 1, (y1 + y2) / 2); if (used[cy][cx]) continue; used[cy][cx] = true; l.putScalar(new int[]{i, 0, cy, cx}, x1); l.putScalar(new int[]{i, 1, cy, cx}, y1); l.putScalar(new int[]{i, 2, cy, cx}, x2); l.putScalar(new int[]{i, 3, cy, cx}, y2); l.putScalar(new int[]{i, 4 + ri(0, c - 1), cy, cx}, 1); } } run(() -> b.build(), g(ri(1, 999), N, 2, gs, gs), l, null, null); return; }
      case 3: { train = false; b.layer(new PrimaryCapsules.Builder(ri(2, 3), ri(1, 3)).kernelSize(ri(2, 3), ri(2, 3)).stride(ri(1, 2), ri(1, 2)).hasBias(coin(0.7)).useLeakyReLU(rd(0.1, 0.3)).build()); if (coin(0.7)) b.layer(new CapsuleLayer.Builder(ri(2, 3), ri(2, 3), ri(1, 3)).build()); b.layer(new CapsuleStrengthLayer.Builder().build()).layer(outb(lo, nout).build()).setInputType(InputType.convolutional(6, 5, 2)); run(() -> b.build(), g(ri(1, 999), N, 2, 6, 5), labels(new long[]{N, nout}, (String) lo[2], 1), null, null); return; }
      case 4: case 5: { train = false; int T = ri(2, 5), h = ri(1, 3); boolean p = coin(0.7); b.layer(p ? new SelfAttentionLayer.Builder().nOut(ri(2, 5)).nHeads(h).headSize(ri(1, 3)).projectInput(true).build() : new SelfAttentionLayer.Builder().nHeads(1).projectInput(false).build()); INDArray fm = coin(0.5) ? lens(N, T) : null; rnnTail(b, N, T, InputType.recurrent(3, T), g(ri(1, 999), N, 3, T), fm, false); return; }
      case 6: { train = false; int T = ri(2, 5); b.layer(new RecurrentAttentionLayer.Builder().nOut(ri(2, 4)).nHeads(ri(1, 2)).headSize(ri(1, 3)).projectInput(true).hasBias(coin(0.6)).activation(pick(Activation.TANH, Activation.SIGMOID, Activation.RELU)).build()); rnnTail(b, N, T, InputType.recurrent(3, T), g(ri(1, 999), N, 3, T), coin(0.5) ? lens(N, T) : null, false); return; }
      case 7: { int T = ri(2, 5); b.layer(ffLayer()).layer(new RepeatVector.Builder(T).build()); rnnTail(b, N, T, InputType.feedForward(3), g(ri(1, 999), N, 3), null, false); return; }
      default: { int T = ri(3, 5); NeuralNetConfiguration.ListBuilder q = base().list(); q.layer(new ConvolutionLayer.Builder(2, 2).nIn(2).nOut(2).activation(act()).build()).layer(new LSTM.Builder().nIn(12).nOut(3).build()).layer(new RnnOutputLayer.Builder(LossFunctions.LossFunction.MSE).activation(Activation.TANH).nIn(3).nOut(2).dataFormat(RNNFormat.NCW).build()).inputPreProcessor(0, new RnnToCnnPreProcessor(4, 3, 2)).inputPreProcessor(1, new CnnToRnnPreProcessor(3, 2, 2)); run(() -> q.build(), g(ri(1, 999), N, 24, T), g(ri(1, 999), N, 2, T), null, coin(0.5) ? lens(N, T) : null); return; }
    }
  }
  public static void main(String[] a) throws Exception {
    int from = Integer.parseInt(a[1]), to = Integer.parseInt(a[2]);
    for (String fam : a[0].split(",")) for (int i = from; i < to; i++) {
      String name = fam + "-" + i; if (!ONLY.isEmpty() && !name.matches(ONLY)) continue; RandomCases x = new RandomCases(name, name.hashCode() * 31L + i);
      try { switch (fam) { case "mlp": x.mlp(); break; case "embed": x.embed(); break; case "rnn": x.rnnNet(); break; case "cnn": x.cnn(); break; case "cnn1": x.cnn1(); break; case "cnn3": x.cnn3(); break; case "gff": x.graphFF(); break; case "grnn": x.graphRnn(); break; case "gcnn": x.graphCnn(); break; case "special": x.special(); break; default: throw new Error(fam); } }
      catch (Throwable t) { skipped.add(name + ": " + t); System.out.println("BUILD " + name + ": " + t); }
      Nd4j.getMemoryManager().setCurrentWorkspace(null); Nd4j.getWorkspaceManager().destroyAllWorkspacesForCurrentThread();
    }
    System.out.println("DONE " + done.size() + " SKIPPED " + skipped.size());
  }
}
