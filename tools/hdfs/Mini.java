import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAdapter;

/**
 * A real HDFS on loopback: two name nodes, of which the first is active, and two data nodes, with blocks of 1 MiB.
 *
 *   java -cp CLASSPATH Mini DIRECTORY [stay] [kerberos] [NAME=VALUE…]
 *
 * DIRECTORY gets the data, and core-site.xml and hdfs-site.xml by which clients find the name service "mini". When it
 * accepts files, the program writes DIRECTORY/ready: the addresses of the two name nodes, and the port of an HTTP
 * server by which tests ask for what goes wrong in a cluster, and for what the Hadoop client itself reads and writes.
 * Without "stay" it ends when its standard input does. With "kerberos" the cluster is a secure one, and DIRECTORY/kdc has
 * what its users need. The others are settings of the cluster.
 */
public class Mini {
    static MiniDFSCluster cluster;
    static DistributedFileSystem fs;
    static Kdc kdc; // of a secure cluster
    static final List<MiniDFSCluster.DataNodeProperties> stopped = new ArrayList<>();

    public static void main(String[] args) throws Exception {
        Path dir = Path.of(args[0]).toAbsolutePath();
        if (!Arrays.asList(args).contains("stay")) endWithInput();
        int[] ports = freePorts(3);
        Configuration conf = new Configuration();
        conf.set("hdfs.minidfs.basedir", dir.resolve("data").toString());
        conf.set("dfs.blocksize", "1048576");
        conf.set("dfs.namenode.fs-limits.min-block-size", "1024");
        conf.set("dfs.replication", "2");
        conf.set("dfs.permissions.superusergroup", "supergroup");
        conf.set("dfs.ls.limit", "50"); // long directories come in parts
        conf.set("dfs.namenode.handler.count", "4");
        conf.set("dfs.datanode.handler.count", "4");
        for (String arg : args) {
            String[] setting = arg.split("=", 2);
            if (setting.length == 2) conf.set(setting[0], setting[1]);
        }
        if (Arrays.asList(args).contains("kerberos")) {
            kdc = new Kdc(dir.resolve("kdc"), ports[2]);
            kdc.secure(conf);
        }
        MiniDFSNNTopology topology = new MiniDFSNNTopology().addNameservice(new MiniDFSNNTopology.NSConf("mini")
            .addNN(new MiniDFSNNTopology.NNConf("nn1").setIpcPort(ports[0]))
            .addNN(new MiniDFSNNTopology.NNConf("nn2").setIpcPort(ports[1])));
        cluster = new MiniDFSCluster.Builder(conf).nnTopology(topology).numDataNodes(2).build();
        cluster.waitActive();
        cluster.transitionToActive(0);
        fs = cluster.getFileSystem(0);
        fs.setPermission(new org.apache.hadoop.fs.Path("/"), new FsPermission((short) 0777));

        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", Mini::serve);
        server.start();

        site(dir.resolve("core-site.xml"), "fs.defaultFS", "hdfs://mini");
        site(dir.resolve("hdfs-site.xml"), "dfs.nameservices", "mini", "dfs.ha.namenodes.mini", "nn1,nn2",
            "dfs.namenode.rpc-address.mini.nn1", "127.0.0.1:" + ports[0],
            "dfs.namenode.rpc-address.mini.nn2", "127.0.0.1:" + ports[1],
            "dfs.client.failover.proxy.provider.mini", "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider",
            "dfs.replication", "2", "dfs.blocksize", "1048576");
        Path ready = dir.resolve("ready.new");
        Files.writeString(ready, "127.0.0.1:" + ports[0] + " 127.0.0.1:" + ports[1] + " 127.0.0.1:" + server.getAddress().getPort() + "\n");
        Files.move(ready, dir.resolve("ready"));
    }

    static void endWithInput() {
        Thread t = new Thread(() -> {
            try {
                while (System.in.read() >= 0) { }
            } catch (IOException e) { }
            Runtime.getRuntime().halt(0);
        });
        t.setDaemon(true);
        t.start();
    }

    /** freePorts gives ports below those that systems give to whoever asks for any, as nobody else is to get them meanwhile. */
    static int[] freePorts(int n) throws IOException {
        Set<Integer> ports = new LinkedHashSet<>();
        Random random = new Random();
        for (int tries = 100; ports.size() < n; tries--) {
            int port = 20000 + random.nextInt(12000);
            try (ServerSocket s = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
                ports.add(port);
            } catch (BindException e) {
                if (tries == 0) throw e;
            }
        }
        return ports.stream().mapToInt(Integer::intValue).toArray();
    }

    /**
     * heard returns when the name nodes have heard from the data nodes. A heartbeat counts as triggered before it is sent, and
     * the report of a data node's blocks follows it: both are over when the next one is begun.
     */
    static void heard() throws Exception {
        cluster.triggerHeartbeats();
        cluster.triggerHeartbeats();
    }

    static void site(Path file, String... pairs) throws IOException {
        StringBuilder b = new StringBuilder("<configuration>\n");
        for (int i = 0; i < pairs.length; i += 2)
            b.append("  <property><name>").append(pairs[i]).append("</name><value>").append(pairs[i + 1]).append("</value></property>\n");
        Files.writeString(file, b.append("</configuration>\n").toString());
    }

    /** serve answers POST /COMMAND?argument=…; what fails is status 500 with the exception. */
    static void serve(HttpExchange x) throws IOException {
        byte[] answer;
        int status = 200;
        try {
            Map<String, String> a = new HashMap<>();
            String query = x.getRequestURI().getRawQuery();
            for (String pair : query == null ? new String[0] : query.split("&")) {
                String[] kv = pair.split("=", 2);
                if (kv.length == 2) a.put(kv[0], URLDecoder.decode(kv[1], StandardCharsets.UTF_8));
            }
            answer = command(x.getRequestURI().getPath().substring(1), a, x.getRequestBody()).getBytes(StandardCharsets.UTF_8);
        } catch (Throwable e) {
            StringWriter w = new StringWriter();
            e.printStackTrace(new PrintWriter(w));
            answer = w.toString().getBytes(StandardCharsets.UTF_8);
            status = 500;
        }
        x.sendResponseHeaders(status, answer.length == 0 ? -1 : answer.length);
        x.getResponseBody().write(answer);
        x.close();
    }

    static synchronized String command(String name, Map<String, String> a, InputStream body) throws Exception {
        org.apache.hadoop.fs.Path path = a.containsKey("path") ? new org.apache.hadoop.fs.Path(a.get("path")) : null;
        switch (name) {
        case "sha256": { // of the file as the Hadoop client reads it
            MessageDigest d = MessageDigest.getInstance("SHA-256");
            byte[] b = new byte[1 << 16];
            try (FSDataInputStream in = fs.open(path)) {
                for (int n; (n = in.read(b)) >= 0; ) d.update(b, 0, n);
            }
            return HexFormat.of().formatHex(d.digest());
        }
        case "write":
            try (FSDataOutputStream out = fs.create(path, true)) {
                body.transferTo(out);
            }
            return "";
        case "stat": {
            FileStatus s = fs.getFileStatus(path);
            return s.getOwner() + " " + s.getPermission() + " " + s.getLen() + " " + s.getReplication() + " " + s.getBlockSize();
        }
        case "ls": {
            StringBuilder b = new StringBuilder();
            for (FileStatus s : fs.listStatus(path)) b.append(s.getPath().getName()).append('\n');
            return b.toString();
        }
        case "mkdir":
            fs.mkdirs(path);
            fs.setPermission(path, new FsPermission(Short.parseShort(a.get("mode"), 8)));
            fs.setOwner(path, a.get("owner"), "users");
            return "";
        case "touch": // empty files path/0000 and on
            for (int i = 0; i < Integer.parseInt(a.get("count")); i++)
                fs.create(new org.apache.hadoop.fs.Path(path, String.format("%04d", i))).close();
            return "";
        case "chmod":
            fs.setPermission(path, new FsPermission(Short.parseShort(a.get("mode"), 8)));
            return "";
        case "quota": // of names and of bytes; -1 is none
            fs.setQuota(path, quota(a.get("names")), quota(a.get("bytes")));
            return "";
        case "room": // in bytes, on each disk of the data nodes; -1 is what there is
            for (DataNode d : cluster.getDataNodes())
                try (FsDatasetSpi.FsVolumeReferences all = d.getFSDataset().getFsVolumeReferences()) {
                    for (FsVolumeSpi v : all) ((FsVolumeImpl) v).setCapacityForTesting(Long.parseLong(a.get("bytes")));
                }
            heard();
            return "";
        case "safemode":
            fs.setSafeMode(a.get("on").equals("true") ? SafeModeAction.ENTER : SafeModeAction.LEAVE);
            return "";
        case "stop-datanode": { // the name nodes hear of it if they are to; otherwise after minutes
            DatanodeID id = cluster.getDataNodes().get(0).getDatanodeId();
            stopped.add(cluster.stopDataNode(0));
            if (a.get("known").equals("true")) {
                for (int i = 0; i < 2; i++) {
                    DFSTestUtil.setDatanodeDead(NameNodeAdapter.getDatanode(cluster.getNamesystem(i), id));
                    BlockManagerTestUtil.checkHeartbeat(cluster.getNamesystem(i).getBlockManager());
                }
            }
            return "";
        }
        case "start-datanodes":
            for (MiniDFSCluster.DataNodeProperties p : stopped) cluster.restartDataNode(p, false);
            stopped.clear();
            cluster.waitActive();
            heard();
            return "";
        case "stop-namenode":
            cluster.shutdownNameNode(Integer.parseInt(a.get("node")));
            return "";
        case "start-namenode": {
            int node = Integer.parseInt(a.get("node"));
            cluster.restartNameNode(node, false);
            return "";
        }
        case "activate": {
            int node = Integer.parseInt(a.get("node"));
            if (cluster.getNameNode(1 - node) != null && cluster.getNameNode(1 - node).isActiveState()) cluster.transitionToStandby(1 - node);
            cluster.transitionToActive(node);
            fs = cluster.getFileSystem(node);
            cluster.waitActive(node);
            heard();
            for (long until = System.nanoTime() + 60_000_000_000L; cluster.getNameNode(node).isInSafeMode(); Thread.sleep(20))
                if (System.nanoTime() > until) throw new IOException("the name node does not leave safe mode");
            return "";
        }
        case "login":
            kdc.login(a.get("user"), new File(a.get("cache")), a.get("expired").equals("true"));
            return "";
        case "protect": // what the first name node says over its RPC, and what data nodes send
            cluster.getConfiguration(0).set("hadoop.rpc.protection", a.get("rpc"));
            cluster.getConfiguration(0).set("dfs.encrypt.data.transfer", a.get("encrypt"));
            if (a.get("encrypt").equals("true")) {
                java.lang.reflect.Field conf = MiniDFSCluster.DataNodeProperties.class.getDeclaredField("conf");
                conf.setAccessible(true);
                for (int i = 0; i < 2; i++) {
                    MiniDFSCluster.DataNodeProperties p = cluster.stopDataNode(0);
                    ((Configuration) conf.get(p)).set("dfs.encrypt.data.transfer", "true");
                    cluster.restartDataNode(p, false);
                }
            }
            cluster.restartNameNode(0, false);
            return command("activate", Map.of("node", "0"), body);
        case "standby":
            cluster.transitionToStandby(Integer.parseInt(a.get("node")));
            return "";
        }
        throw new IllegalArgumentException("there is no command " + name);
    }

    static long quota(String s) { return s.equals("-1") ? HdfsConstants.QUOTA_RESET : Long.parseLong(s); }
}
