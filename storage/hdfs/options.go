package hdfs

import (
	"cmp"
	"os"
	"path/filepath"
)

// Options say whom a file system asks, and as whom. Nothing is taken from the environment.
type Options struct {
	// Configuration is the directory of core-site.xml and hdfs-site.xml. If it is empty, URLs have to name their name
	// node.
	Configuration string
	// User is the user if there is no Kerberos. If it is empty, it is the system's.
	User string
	// Tickets is a credentials cache of Kerberos, by default /tmp/krb5cc_UID. Keytab is a file of keys, for when there is
	// no ticket. Kerberos is its configuration, by default /etc/krb5.conf.
	Tickets, Keytab, Kerberos string
}

// FileSystem has the files of HDFS clusters as one user. [New] makes one.
type FileSystem struct {
	now  func() Options
	pool *pool
}

// New makes the file system of a user. It asks nobody yet: wrong options are errors of its methods. Register it under a
// scheme, and all functions that take a path know its URLs:
//
//	storage.Register("archive", hdfs.New(hdfs.Options{Configuration: "/etc/archive/hadoop", User: "alice"}))
func New(o Options) *FileSystem {
	return &FileSystem{now: func() Options { return o }, pool: newPool()}
}

// fromEnvironment has the environment's present settings.
func fromEnvironment() Options {
	return Options{
		Configuration: cmp.Or(os.Getenv("HADOOP_CONF_DIR"), underHome(os.Getenv("HADOOP_HOME"))),
		User:          os.Getenv("HADOOP_USER_NAME"),
		Tickets:       os.Getenv("KRB5CCNAME"), Keytab: os.Getenv("KRB5_CLIENT_KTNAME"), Kerberos: os.Getenv("KRB5_CONFIG"),
	}
}

// underHome is the configuration's directory under HADOOP_HOME; empty if there is none.
func underHome(home string) string {
	for _, d := range []string{"etc/hadoop", "conf"} {
		dir := filepath.Join(home, d)
		if st, err := os.Stat(dir); home != "" && err == nil && st.IsDir() {
			return dir
		}
	}
	return ""
}

// userName is the user if there is no Kerberos.
func (o Options) userName() string { return cmp.Or(o.User, systemUser()) }
