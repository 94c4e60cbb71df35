//go:build storage && kerberos

package hdfs

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jcmturner/gokrb5/v8/keytab"
)

// secure sets the environment of a user of the cluster, with these further settings in its configuration, and returns
// a directory that belongs to alice. There is no ticket.
func secure(t *testing.T, pairs ...string) string {
	t.Helper()
	dir := home(t)
	hadoop(t, "core-site.xml", append([]string{"hadoop.security.authentication", "kerberos",
		"dfs.namenode.kerberos.principal", "hdfs/localhost@EXAMPLE.COM"}, pairs...)...)
	t.Setenv("HADOOP_USER_NAME", "mallory") // is ignored
	t.Setenv("KRB5CCNAME", filepath.Join(t.TempDir(), "cache"))
	t.Setenv("KRB5_CLIENT_KTNAME", "")
	return dir
}

// login gets a ticket, as kinit does.
func login(t *testing.T, user string) {
	t.Helper()
	mini(t, "login", nil, "user", user, "cache", os.Getenv("KRB5CCNAME"), "expired", "false")
}

// TestKerberosRefusals: without a valid ticket, the error is one line, and nothing is written.
func TestKerberosRefusals(t *testing.T) {
	b := random(2, 1000)
	protection := []string{"dfs.data.transfer.protection", "privacy"}
	for name, c := range map[string]struct {
		prepare func(t *testing.T)
		pairs   []string // of the configuration
		words   []string
	}{
		"no ticket": {pairs: protection, words: []string{"asks for Kerberos", "no ticket", "kinit"}},
		"an old ticket": {func(t *testing.T) {
			mini(t, "login", nil, "user", "alice", "cache", os.Getenv("KRB5CCNAME"), "expired", "true")
		}, protection, []string{"alice@EXAMPLE.COM", "was good until", "kinit"}},
		"another's ticket": {func(t *testing.T) { login(t, "bob") }, protection,
			[]string{"the user bob may not", "is of alice", "ticket"}},
		"no such service": {func(t *testing.T) { login(t, "alice") }, append(protection, "dfs.namenode.kerberos.principal",
			"nn/_HOST@EXAMPLE.COM"),
			[]string{"dfs.namenode.kerberos.principal", "KDC_ERR_S_PRINCIPAL_UNKNOWN"}},
		"another service's name": {func(t *testing.T) { login(t, "alice") },
			append(protection, "dfs.namenode.kerberos.principal", "HTTP/localhost@EXAMPLE.COM"),
			[]string{"refuses the ticket", "dfs.namenode.kerberos.principal"}},
		"a Kerberos server that is gone": {func(t *testing.T) {
			login(t, "alice")
			conf := filepath.Join(t.TempDir(), "krb5.conf")
			text := "[libdefaults]\n default_realm = EXAMPLE.COM\n udp_preference_limit = 1\n[realms]\n EXAMPLE.COM = {\n  " +
				"kdc = 127.0.0.1:1\n }\n"
			if err := os.WriteFile(conf, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			t.Setenv("KRB5_CONFIG", conf)
		}, protection, []string{"Kerberos server can't be reached", "refused"}},
		"a user without Kerberos": {pairs: []string{"hadoop.security.authentication", "simple"},
			words: []string{"Kerberos", "hadoop.security.authentication"}},
		"no protection": {func(t *testing.T) { login(t, "alice") }, nil, []string{"dfs.data.transfer.protection"}},
		"an unknown protection": {func(t *testing.T) { login(t, "alice") },
			[]string{"dfs.data.transfer.protection", "secrecy"}, []string{"secrecy", "integrity"}},
		"a keytab that is none": {func(t *testing.T) { t.Setenv("KRB5_CLIENT_KTNAME", os.Getenv("KRB5_CONFIG")) },
			protection, []string{"KRB5_CLIENT_KTNAME", "krb5.conf"}},
		"an old keytab": {func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "keytab")
			kt := keytab.New()
			if err := kt.AddEntry("alice", "EXAMPLE.COM", "forgotten", time.Now(), 1, 17); err != nil {
				t.Fatal(err)
			}
			old, err := kt.Marshal()
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, old, 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv("KRB5_CLIENT_KTNAME", file)
		}, protection, []string{"KRB5_CLIENT_KTNAME", "alice@EXAMPLE.COM", "key is wrong"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := secure(t, c.pairs...)
			if c.prepare != nil {
				c.prepare(t)
			}
			oneLine(t, registered(t).Put(context.Background(), dir+"/file", bytes.NewReader(b), int64(len(b))),
				append(c.words, dir+"/file")...)
			if got := names(t, dir); got != "" {
				t.Errorf("left is %s", got)
			}
		})
	}
}

// TestKerberosKeytab: a keytab is used if there is no valid ticket.
func TestKerberosKeytab(t *testing.T) {
	dir := secure(t, "dfs.data.transfer.protection", "integrity")
	t.Setenv("KRB5_CLIENT_KTNAME", "FILE:"+filepath.Join(environment(t, "DL4GO_KDC"), "alice.keytab"))
	for _, expired := range []bool{false, true} {
		if expired {
			mini(t, "login", nil, "user", "alice", "cache", os.Getenv("KRB5CCNAME"), "expired", "true")
		}
		b := random(3, block+1)
		put(t, dir+"/file", b)
		if !bytes.Equal(get(t, dir+"/file"), b) {
			t.Error("other bytes are read")
		}
		pool := registered(t).pool
		pool.Lock()
		pool.slots = map[key]*slot{}
		pool.Unlock()
	}
	if got := mini(t, "stat", nil, "path", pathOf(t, dir)+"/file"); !strings.HasPrefix(got, "alice ") {
		t.Errorf("the file is %s, and not alice's", got)
	}
}

// TestKerberosProtection: files have the same content here and in Hadoop, with each protection of calls and of data.
func TestKerberosProtection(t *testing.T) {
	b := random(1, 2*block+777)
	same := func(t *testing.T, pairs ...string) {
		dir := secure(t, pairs...)
		login(t, "alice")
		put(t, dir+"/ours", b)
		mini(t, "write", bytes.NewReader(b), "path", pathOf(t, dir)+"/theirs")
		if mini(t, "sha256", nil, "path", pathOf(t, dir)+"/ours") != hash(b) {
			t.Error("Hadoop reads other bytes")
		}
		for _, name := range []string{"/ours", "/theirs"} {
			if !bytes.Equal(get(t, dir+name), b) {
				t.Errorf("%s: other bytes are read", name)
			}
		}
		if got := mini(t, "stat", nil, "path", pathOf(t, dir)+"/ours"); !strings.HasPrefix(got, "alice ") {
			t.Errorf("the file is %s, and not alice's", got)
		}
	}
	by := func(cipher string) func(*testing.T) {
		return func(t *testing.T) {
			was := ciphers
			ciphers = []string{cipher}
			if cipher == "aes" {
				ciphers = was // with DIGEST-MD5's own to exchange keys
			}
			defer func() { ciphers = was }()
			same(t, "dfs.data.transfer.protection", "privacy,integrity")
		}
	}
	t.Run("rpc privacy, data authentication",
		func(t *testing.T) { same(t, "dfs.data.transfer.protection", "authentication,privacy") })
	t.Run("rpc privacy, data integrity", func(t *testing.T) { same(t, "dfs.data.transfer.protection", "integrity") })
	for _, cipher := range []string{"aes", "rc4", "3des"} {
		t.Run("rpc privacy, data privacy by "+cipher, by(cipher))
	}
	mini(t, "protect", nil, "rpc", "integrity", "encrypt", "false")
	t.Run("rpc integrity", func(t *testing.T) { same(t, "dfs.data.transfer.protection", "integrity") })
	mini(t, "protect", nil, "rpc", "authentication", "encrypt", "true")
	t.Run("rpc authentication, all data encrypted", func(t *testing.T) { same(t) })
	t.Run("rpc authentication, all data encrypted by rc4", by("rc4"))
}
