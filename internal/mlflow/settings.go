// Package mlflow sends runs to an MLflow tracking server, through its REST interface.
package mlflow

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// Settings say to which server and how runs are sent.
type Settings struct {
	Server     *url.URL // http or https
	Experiment string
	RunName    string // empty: the run's title
	// Token is sent as a bearer token. Without a token, User and Password are sent, if there is a User.
	Token, User, Password string
	// Client sends the requests.
	Client *http.Client
}

// defaultTimeout is the time limit of a request, the same as that of MLflow's own clients.
const defaultTimeout = 120 * time.Second

// FromEnvironment takes the settings from MLflow's variables: MLFLOW_TRACKING_URI, MLFLOW_TRACKING_TOKEN,
// MLFLOW_TRACKING_USERNAME and _PASSWORD, MLFLOW_TRACKING_INSECURE_TLS, MLFLOW_TRACKING_SERVER_CERT_PATH,
// MLFLOW_TRACKING_CLIENT_CERT_PATH, MLFLOW_HTTP_REQUEST_TIMEOUT, MLFLOW_RUN_NAME and, if experiment is empty,
// MLFLOW_EXPERIMENT_NAME. get is os.Getenv.
func FromEnvironment(experiment string, get func(string) string) (Settings, error) {
	s := Settings{Experiment: experiment, RunName: get("MLFLOW_RUN_NAME"), Token: get("MLFLOW_TRACKING_TOKEN"),
		User: get("MLFLOW_TRACKING_USERNAME"), Password: get("MLFLOW_TRACKING_PASSWORD")}
	if s.Experiment == "" {
		s.Experiment = get("MLFLOW_EXPERIMENT_NAME")
	}
	if s.Experiment == "" {
		s.Experiment = "Default"
	}
	text := get("MLFLOW_TRACKING_URI")
	if text == "" {
		return s, errors.New("MLFLOW_TRACKING_URI is not set; set it to the server's URL, such as http://127.0.0.1:5000")
	}
	var err error
	if s.Server, err = url.Parse(text); err != nil || s.Server.Scheme != "http" && s.Server.Scheme != "https" ||
		s.Server.Host == "" {
		return s, errors.New("MLFLOW_TRACKING_URI is not an http or https URL of a tracking server; " +
			"start one with mlflow server, and set its URL")
	}
	if u := s.Server.User; u != nil { // errors must not show it
		s.User = u.Username()
		s.Password, _ = u.Password()
		s.Server.User = nil
	}
	s.Client, err = client(get)
	return s, err
}

// client makes an HTTP client according to the variables.
func client(get func(string) string) (*http.Client, error) {
	c := &http.Client{Timeout: defaultTimeout}
	if text := get("MLFLOW_HTTP_REQUEST_TIMEOUT"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 24*3600 {
			return nil, fmt.Errorf("MLFLOW_HTTP_REQUEST_TIMEOUT=%s: it must be a number of seconds from 1 to 86400", text)
		}
		c.Timeout = time.Duration(n) * time.Second
	}
	conf := &tls.Config{}
	switch insecure := get("MLFLOW_TRACKING_INSECURE_TLS"); strings.ToLower(insecure) {
	case "", "false", "0":
	case "true", "1":
		conf.InsecureSkipVerify = true
	default:
		return nil, fmt.Errorf("MLFLOW_TRACKING_INSECURE_TLS=%s: it must be true or false", insecure)
	}
	if path := get("MLFLOW_TRACKING_SERVER_CERT_PATH"); path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("MLFLOW_TRACKING_SERVER_CERT_PATH: %w", err)
		}
		conf.RootCAs = x509.NewCertPool()
		if !conf.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("MLFLOW_TRACKING_SERVER_CERT_PATH: %s has no certificate in PEM", path)
		}
	}
	if path := get("MLFLOW_TRACKING_CLIENT_CERT_PATH"); path != "" { // certificate and key in one file
		pair, err := tls.LoadX509KeyPair(path, path)
		if err != nil {
			return nil, fmt.Errorf("MLFLOW_TRACKING_CLIENT_CERT_PATH: %s: %w", path, err)
		}
		conf.Certificates = []tls.Certificate{pair}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = conf
	c.Transport = transport
	return c, nil
}
