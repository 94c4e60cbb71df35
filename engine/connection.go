package engine

// Connection has the settings of a connection to a cluster's server that are not part of the master string. Engines on
// this machine ignore it.
type Connection struct {
	// CAFile has the certificates, as PEM, of the authorities to trust instead of the machine's.
	CAFile string
	// CertFile and KeyFile are this client's certificate and key, as PEM, for servers that ask for one.
	CertFile, KeyFile string
	// ServerName is the name in the server's certificate, if it is not the host's.
	ServerName string
	// TokenFile has the token, if the master string has none. Without either, the token comes from the environment
	// variable of the cluster's own clients: SPARK_CONNECT_AUTHENTICATE_TOKEN.
	TokenFile string
	// Insecure allows a connection without TLS to another machine. A token is never sent over one.
	Insecure bool
}

// Progress is the progress of a job.
type Progress struct {
	Tasks   int // number of tasks of the stages that have begun
	Done    int // number of these tasks that are done
	Running int // number of these tasks that are running now

	// Sent and ToSend are bytes of the driver's rows, which may have to go to a cluster before tasks begin.
	Sent, ToSend int64
}
