import java.io.File;
import org.datavec.api.records.reader.RecordReader;
import org.datavec.api.records.reader.impl.csv.CSVRecordReader;
import org.datavec.api.split.FileSplit;
import org.deeplearning4j.datasets.datavec.RecordReaderDataSetIterator;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;

/** Opens models, whoever wrote them. Arguments: TEST.csv MODEL.zip… */
public class Open {
  public static void main(String[] args) throws Exception {
    for (int i = 1; i < args.length; i++) {
      MultiLayerNetwork net = MultiLayerNetwork.load(new File(args[i]), true);
      RecordReader test = new CSVRecordReader();
      test.initialize(new FileSplit(new File(args[0])));
      System.out.println("accuracy " + net.evaluate(new RecordReaderDataSetIterator(test, 64, 64, 10)).accuracy());
    }
  }
}
