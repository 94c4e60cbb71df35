import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;

/**
 * A real YARN on loopback: a resource manager and two node managers, in one process.
 *
 *   java -cp CLASSPATH Yarn DIRECTORY MEMORY
 *
 * Each node has MEMORY MiB and four cores for containers. DIRECTORY gets the nodes' files, and conf/yarn-site.xml and
 * conf/core-site.xml, by which clients find the resource manager. The cluster accepts applications once
 * DIRECTORY/ready exists. It ends with its process.
 */
public class Yarn {
    public static void main(String[] args) throws Exception {
        Path dir = Path.of(args[0]).toAbsolutePath();
        Configuration conf = new YarnConfiguration();
        conf.set("fs.defaultFS", "file:///");
        conf.set("yarn.nodemanager.resource.memory-mb", args[1]);
        conf.set("yarn.nodemanager.resource.cpu-vcores", "4");
        conf.set("yarn.scheduler.minimum-allocation-mb", "64");
        conf.set("yarn.scheduler.maximum-allocation-mb", args[1]);
        conf.set("yarn.minicluster.yarn.nodemanager.resource.memory-mb", args[1]);
        // Containers are told from other processes by their memory in real clusters; here the machine is shared.
        conf.set("yarn.nodemanager.pmem-check-enabled", "false");
        conf.set("yarn.nodemanager.vmem-check-enabled", "false");
        // A disk that is nearly full is as good as any other for a test.
        conf.set("yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "100");
        conf.set("yarn.nodemanager.disk-health-checker.min-free-space-per-disk-mb", "0");
        conf.set("yarn.nodemanager.delete.debug-delay-sec", "0");
        conf.set("yarn.scheduler.capacity.maximum-am-resource-percent", "0.9");
        conf.set("yarn.scheduler.capacity.root.queues", "default");
        conf.set("yarn.scheduler.capacity.root.default.capacity", "100");
        conf.set("yarn.resourcemanager.webapp.address", "127.0.0.1:0");
        System.setProperty("test.build.data", dir.toString());

        MiniYARNCluster cluster = new MiniYARNCluster("yarn", 2, 1, 1);
        cluster.init(conf);
        cluster.start();
        if (!cluster.waitForNodeManagersToConnect(120_000)) throw new Exception("the node managers do not come");

        Files.createDirectories(dir.resolve("conf"));
        try (var out = Files.newOutputStream(dir.resolve("conf/yarn-site.xml"))) {
            cluster.getConfig().writeXml(out);
        }
        Configuration core = new Configuration(false);
        core.set("fs.defaultFS", "file:///");
        try (var out = Files.newOutputStream(dir.resolve("conf/core-site.xml"))) {
            core.writeXml(out);
        }
        Files.writeString(dir.resolve("new"), "");
        Files.move(dir.resolve("new"), dir.resolve("ready"));
        Thread.currentThread().join();
    }
}
