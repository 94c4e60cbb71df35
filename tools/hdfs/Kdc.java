import java.io.File;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.kerby.kerberos.kerb.client.KrbClient;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;
import org.apache.kerby.kerberos.kerb.type.KerberosTime;
import org.apache.kerby.kerberos.kerb.type.ticket.TgtTicket;

/** A Kerberos key distribution centre on loopback, Apache Kerby, and what makes a cluster's configuration a secure one. */
class Kdc {
    static final String REALM = "EXAMPLE.COM", SERVICE = "hdfs/localhost@" + REALM;
    final SimpleKdcServer server;
    final Path dir;

    /** The directory gets krb5.conf, the keytab of the services, and those of the users alice and bob. */
    Kdc(Path dir, int port) throws Exception {
        this.dir = dir;
        Files.createDirectories(dir);
        System.setProperty("sun.security.krb5.rcache", "none"); // services of one process and one name take each other's requests for repeated
        server = new SimpleKdcServer();
        server.setWorkDir(dir.toFile());
        server.setKdcRealm(REALM);
        server.setKdcHost("127.0.0.1");
        server.setKdcTcpPort(port);
        server.setAllowUdp(false);
        server.init();
        server.start();
        Path conf = dir.resolve("krb5.conf");
        Files.writeString(conf, "[libdefaults]\n default_realm = " + REALM + "\n udp_preference_limit = 1\n dns_lookup_kdc = false\n"
            + " rdns = false\n[realms]\n " + REALM + " = {\n  kdc = 127.0.0.1:" + port + "\n }\n");
        System.setProperty("java.security.krb5.conf", conf.toString());
        server.createAndExportPrincipals(keytab("service"), SERVICE, "HTTP/localhost@" + REALM);
        server.createAndExportPrincipals(keytab("alice"), "alice@" + REALM);
        server.createAndExportPrincipals(keytab("bob"), "bob@" + REALM);
    }

    File keytab(String of) { return dir.resolve(of + ".keytab").toFile(); }

    void secure(Configuration conf) throws Exception {
        conf.set("hadoop.security.authentication", "kerberos");
        conf.set("hadoop.security.authorization", "true");
        conf.set("hadoop.rpc.protection", "authentication,integrity,privacy");
        conf.set("dfs.data.transfer.protection", "authentication,integrity,privacy");
        conf.set("dfs.encrypt.data.transfer.cipher.suites", "AES/CTR/NoPadding");
        conf.set("dfs.block.access.token.enable", "true");
        conf.set("ignore.secure.ports.for.testing", "true");
        conf.set("hadoop.kerberos.min.seconds.before.relogin", "1"); // data nodes whose call was refused tell of blocks only after it
        for (String of : new String[]{"namenode", "datanode", "web.authentication"}) {
            conf.set("dfs." + of + ".kerberos.principal", of.startsWith("web") ? "HTTP/localhost@" + REALM : SERVICE);
            conf.set("dfs." + of + (of.startsWith("web") ? ".kerberos.keytab" : ".keytab.file"), keytab("service").toString());
        }
        UserGroupInformation.setConfiguration(conf);
        UserGroupInformation.loginUserFromKeytab(SERVICE, keytab("service").toString());
    }

    /** login writes a credentials cache with a ticket of the user's, which may have expired an hour ago. */
    void login(String user, File cache, boolean expired) throws Exception {
        KrbClient client = server.getKrbClient();
        TgtTicket t = client.requestTgt(user + "@" + REALM, keytab(user));
        if (expired) t.getEncKdcRepPart().setEndTime(new KerberosTime(System.currentTimeMillis() - 3_600_000));
        client.storeTicket(t, cache);
    }
}
