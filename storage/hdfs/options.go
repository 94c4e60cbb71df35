package hdfs

import (
	"cmp"
	"os"
	"path/filepath"
)

// Options say which cluster a file system uses, and as which user. Nothing is taken from the environment.
type Options struct {
	// Configuration is the directory of core-site.xml and hdfs-site.xml. If it is empty, URLs must name their name
	// node.
	Configuration string
	// User is the user if there is no Kerberos; empty means the system's user.
	User string
	// Tickets is a credentials cache of Kerberos, by default /tmp/krb5cc_UID. Keytab is a file of keys, which is used
	// if there is no ticket. Kerberos is the Kerberos configuration, by default /etc/krb5.conf.
	Tickets, Keytab, Kerberos string
}

// FileSystem accesses the files of HDFS clusters as one user. [New] makes one.
type FileSystem struct {
	now  func() Options
	pool *pool
}

// New makes the file system of a user. It sends no request yet: wrong options are errors of its methods. After it is
// registered under a scheme, all functions that take a path know its URLs:
//
//	storage.Register("archive", hdfs.New(hdfs.Options{Configuration: "/etc/archive/hadoop", User: "alice"}))
func New(o Options) *FileSystem {
	return &FileSystem{now: func() Options { return o }, pool: newPool()}
}

// fromEnvironment returns the current settings of the environment.
func fromEnvironment() Options {
	return Options{
		Configuration: cmp.Or(os.Getenv("HADOOP_CONF_DIR"), underHome(os.Getenv("HADOOP_HOME"))),
		User:          os.Getenv("HADOOP_USER_NAME"),
		Tickets:       os.Getenv("KRB5CCNAME"), Keytab: os.Getenv("KRB5_CLIENT_KTNAME"), Kerberos: os.Getenv("KRB5_CONFIG"),
	}
}

// underHome returns the configuration's directory under HADOOP_HOME; empty if there is none.
func underHome(home string) string {
	for _, d := range []string{"etc/hadoop", "conf"} {
		dir := filepath.Join(home, d)
		if st, err := os.Stat(dir); home != "" && err == nil && st.IsDir() {
			return dir
		}
	}
	return ""
}

// userName returns the user if there is no Kerberos.
func (o Options) userName() string { return cmp.Or(o.User, systemUser()) }
