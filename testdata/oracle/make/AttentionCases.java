import org.deeplearning4j.nn.conf.*; import org.deeplearning4j.nn.conf.layers.*; import org.deeplearning4j.nn.conf.graph.*;
import org.deeplearning4j.nn.conf.inputs.*; import org.nd4j.linalg.activations.*; import org.nd4j.linalg.lossfunctions.*; import org.nd4j.linalg.learning.config.*;
import org.nd4j.linalg.api.ndarray.*; import org.nd4j.linalg.factory.*; import org.deeplearning4j.nn.weights.*; import java.util.*;
public class AttentionCases extends Core {
  static NeuralNetConfiguration.Builder base(long s) { return new NeuralNetConfiguration.Builder().seed(s).updater(new Adam(0.01)).activation(Activation.TANH).weightInit(WeightInit.XAVIER); }
  static OutputLayer out(int n) { return new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT).activation(Activation.SOFTMAX).nOut(n).build(); }
  static GlobalPoolingLayer pool() { return new GlobalPoolingLayer.Builder(PoolingType.AVG).build(); }
  static AttentionVertex att(boolean p, int q, int k, int v, int o, int h, int s) { return new AttentionVertex.Builder().nInQueries(q).nInKeys(k).nInValues(v).nOut(o).nHeads(h).headSize(s).projectInput(p).build(); }
  static RecurrentAttentionLayer.Builder rec() { return new RecurrentAttentionLayer.Builder(); }
  /** LearnedSelfAttentionLayer cannot be run, only made and saved. */
  static void made(String name, MultiLayerConfiguration c) throws Exception {
    org.deeplearning4j.nn.multilayer.MultiLayerNetwork net = new org.deeplearning4j.nn.multilayer.MultiLayerNetwork(c); net.init(); java.io.File d = dir(name);
    text(new java.io.File(d, "conf.json"), net.getLayerWiseConfigurations().toJson()); org.deeplearning4j.util.ModelSerializer.writeModel(net, new java.io.File(d, "model.zip"), true);
    System.out.println(name + net.paramTable().keySet()); done.add(name);
  }
  public static void main(String[] a) throws Exception {
    InputType r35 = InputType.recurrent(3, 5), r24 = InputType.recurrent(2, 4);
    cg("attention-vertex", base(3).graphBuilder().addInputs("q", "kv").addVertex("att", att(true, 3, 2, 2, 4, 2, 3), "q", "kv", "kv").addLayer("pool", pool(), "att").addLayer("out", out(3), "pool").setOutputs("out").setInputTypes(r35, r24), a(g(4, 3, 3, 5), g(5, 3, 2, 4)), a(oh(5, 3, 3)));
    cg("attention-vertex-mask", () -> base(3).l2(0.01).graphBuilder().addInputs("q", "k", "v").addVertex("att", att(true, 3, 2, 3, 4, 2, 2), "q", "k", "v").addLayer("pool", pool(), "att").addLayer("out", out(3), "pool").setOutputs("out").setInputTypes(r35, r24, InputType.recurrent(3, 4)).build(), a(g(4, 3, 3, 5), g(5, 3, 2, 4), g(6, 3, 3, 4)), a(oh(5, 3, 3)), a(mask(5, 5, 2, 4), mask(4, 4, 3, 2), mask(4, 3, 4, 4)), null);
    cg("attention-vertex-plain", base(3).updater(new Sgd(0.1)).graphBuilder().addInputs("in").addVertex("att", att(false, 3, 3, 3, 3, 1, 0), "in", "in", "in").addLayer("pool", pool(), "att").addLayer("out", out(3), "pool").setOutputs("out").setInputTypes(r35), a(g(4, 3, 3, 5)), a(oh(5, 3, 3)));
    cg("attention-frozen", base(3).updater(new Sgd(0.1)).graphBuilder().addInputs("q", "kv").addVertex("att", new FrozenVertex(att(true, 3, 2, 2, 4, 2, 3)), "q", "kv", "kv").addLayer("pool", pool(), "att").addLayer("out", out(3), "pool").setOutputs("out").setInputTypes(r35, r24), a(g(4, 3, 3, 5), g(5, 3, 2, 4)), a(oh(5, 3, 3)));
    mln("recurrent-attention-mask", base(3).list().layer(rec().nOut(4).nHeads(2).hasBias(false).activation(Activation.SOFTMAX).build()).layer(new RnnOutputLayer.Builder(LossFunctions.LossFunction.MCXENT).activation(Activation.SOFTMAX).nOut(3).build()).setInputType(r35), g(4, 3, 3, 5), ohs(5, 3, 3, 5), mask(5, 5, 2, 4), mask(5, 5, 2, 4));
    mln("recurrent-attention-plain", base(3).list().layer(rec().nIn(3).nOut(3).nHeads(1).projectInput(false).activation(Activation.SIGMOID).build()).layer(pool()).layer(out(3)).setInputType(r35), g(4, 3, 3, 5), oh(5, 3, 3));
    made("learned-attention", base(3).list().layer(new LearnedSelfAttentionLayer.Builder().nOut(4).nHeads(2).headSize(3).nQueries(2).projectInput(true).build()).layer(pool()).layer(out(3)).setInputType(r35).build());
    made("learned-attention-plain", base(3).list().layer(new LearnedSelfAttentionLayer.Builder().nHeads(1).nQueries(4).projectInput(false).build()).layer(pool()).layer(out(3)).setInputType(r35).build());
    System.out.println("DONE " + done.size()); for (String s : skipped) System.out.println("skipped " + s);
  }
}
