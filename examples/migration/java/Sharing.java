import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.datavec.api.records.reader.impl.csv.CSVRecordReader;
import org.datavec.spark.transform.misc.StringToWritablesFunction;
import org.deeplearning4j.nn.conf.MultiLayerConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.weights.WeightInit;
import org.deeplearning4j.spark.api.TrainingMaster;
import org.deeplearning4j.spark.datavec.DataVecDataSetFunction;
import org.deeplearning4j.optimize.solvers.accumulation.encoding.threshold.AdaptiveThresholdAlgorithm;
import org.deeplearning4j.spark.impl.repartitioner.DefaultRepartitioner;
import org.deeplearning4j.spark.impl.multilayer.SparkDl4jMultiLayer;
import org.deeplearning4j.spark.parameterserver.training.SharedTrainingMaster;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;
import org.nd4j.parameterserver.distributed.conf.VoidConfiguration;

/** Trains on Spark by shared gradients. Arguments: TRAIN.csv TEST.csv MODEL.zip */
public class Sharing {
  public static void main(String[] args) throws Exception {
    SparkConf spark = new SparkConf().setAppName("sharing").setIfMissing("spark.master", "local[2]");
    JavaSparkContext sc = new JavaSparkContext(spark);

    MultiLayerConfiguration conf = new NeuralNetConfiguration.Builder()
        .seed(1)
        .updater(new Adam(0.005))
        .weightInit(WeightInit.XAVIER)
        .list()
        .layer(new DenseLayer.Builder().nIn(64).nOut(100).activation(Activation.RELU).build())
        .layer(new OutputLayer.Builder(LossFunction.MCXENT).nOut(10).activation(Activation.SOFTMAX).build())
        .build();

    VoidConfiguration network = VoidConfiguration.builder()
        .unicastPort(40123) // UDP, free on each machine
        .networkMask("127.0.0.0/8")
        .controllerAddress("127.0.0.1") // the driver
        .build();
    TrainingMaster<?, ?> master = new SharedTrainingMaster.Builder(network, 1) // examples of a DataSet
        .batchSizePerWorker(32)
        .workersPerNode(1) // with more, threads of a JVM may wait for each other for ever
        .thresholdAlgorithm(new AdaptiveThresholdAlgorithm(1e-3))
        .repartitioner(new DefaultRepartitioner(4)) // without, each minibatch is a task of its own
        .build();

    SparkDl4jMultiLayer net = new SparkDl4jMultiLayer(sc, conf, master);
    JavaRDD<DataSet> train = read(sc, args[0]);
    for (int epoch = 0; epoch < 5; epoch++) {
      net.fit(train);
    }

    System.out.println("accuracy " + net.evaluate(read(sc, args[1])).accuracy());
    net.getNetwork().save(new java.io.File(args[2]));
    master.deleteTempFiles(sc);
    sc.stop();
  }

  /** 64 columns of features, and one with the class. */
  static JavaRDD<DataSet> read(JavaSparkContext sc, String file) {
    return sc.textFile(file, 4)
        .map(new StringToWritablesFunction(new CSVRecordReader()))
        .map(new DataVecDataSetFunction(64, 10, false));
  }
}
