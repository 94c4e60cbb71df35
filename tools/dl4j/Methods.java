import java.lang.reflect.*;
import java.util.*;
import java.util.stream.*;

/**
 * Lists the public constructors and methods of the classes of Deeplearning4j on Spark that docs/dl4j must have, a line each:
 * CLASS NAME(TYPES OF PARAMETERS). So the list of internal/lint is made:
 *
 * tools/dl4j.sh sh -c 'java -cp "$DL4GO_DL4J_SPARK" tools/dl4j/Methods.java' >internal/lint/testdata/dl4j-methods.txt
 */
class Methods {
  static final String SPARK = "org.deeplearning4j.spark.", VOID = "org.nd4j.parameterserver.distributed.conf.VoidConfiguration";
  static final String[] CLASSES = {
      SPARK + "impl.multilayer.SparkDl4jMultiLayer", SPARK + "impl.graph.SparkComputationGraph", SPARK + "impl.SparkListenable",
      SPARK + "impl.paramavg.ParameterAveragingTrainingMaster", SPARK + "impl.paramavg.ParameterAveragingTrainingMaster$Builder",
      SPARK + "parameterserver.training.SharedTrainingMaster", SPARK + "parameterserver.training.SharedTrainingMaster$Builder",
      VOID, VOID + "$VoidConfigurationBuilder",
      SPARK + "api.stats.SparkTrainingStats", SPARK + "api.stats.CommonSparkTrainingStats",
      SPARK + "impl.paramavg.stats.ParameterAveragingTrainingMasterStats",
      SPARK + "impl.paramavg.stats.ParameterAveragingTrainingWorkerStats",
      SPARK + "earlystopping.SparkEarlyStoppingTrainer", SPARK + "earlystopping.SparkEarlyStoppingGraphTrainer",
      SPARK + "earlystopping.SparkDataSetLossCalculator", SPARK + "earlystopping.SparkLossCalculatorComputationGraph",
  };

  public static void main(String[] args) throws Exception {
    for (String name : CLASSES) {
      Class<?> c = Class.forName(name, false, ClassLoader.getSystemClassLoader());
      SortedSet<String> lines = new TreeSet<>();
      if (!Modifier.isAbstract(c.getModifiers())) {
        for (Constructor<?> made : c.getConstructors()) {
          lines.add("new" + types(made));
        }
      }
      for (Method m : c.getMethods()) { // not those of every Java object, nor what a compiler adds
        boolean own = m.getDeclaringClass().getName().matches("org\\.(deeplearning4j|nd4j)\\..*");
        if (own && !m.isSynthetic() && !m.getName().matches("equals|hashCode|toString|clone")) {
          lines.add(m.getName() + types(m));
        }
      }
      for (Field f : c.getFields()) { // the keys of SparkTrainingStats
        if (c.getSimpleName().endsWith("Stats") && f.getType() == String.class && Modifier.isStatic(f.getModifiers()) && !f.getName().startsWith("FILENAME")
            && !f.getName().startsWith("DEFAULT")) {
          lines.add("key " + f.get(null));
        }
      }
      for (String line : lines) {
        System.out.println(name.substring(name.lastIndexOf('.') + 1) + " " + line);
      }
    }
  }

  static String types(Executable e) {
    return Arrays.stream(e.getParameterTypes()).map(Class::getSimpleName).collect(Collectors.joining(", ", "(", ")"));
  }
}
