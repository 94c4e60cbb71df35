package s3

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// Options say whom a file system asks, and as whom. Nothing is taken from the environment.
type Options struct {
	// Endpoint is the server's http://HOST:PORT or https://HOST:PORT. If it is empty, the server is Amazon's.
	Endpoint string
	// Region is the buckets'. If it is empty, Amazon is asked; other servers are in us-east-1.
	Region string
	// AccessKey and SecretKey are the credentials, SessionToken goes with temporary ones. Without them and without a
	// Profile, requests are not signed: only files that everybody may read can be.
	AccessKey, SecretKey, SessionToken string
	// Profile is one of ~/.aws/credentials and ~/.aws/config, for the settings that are empty.
	Profile string
	// Authorities is a PEM file of those whose certificates are trusted. If it is empty, they are the system's.
	Authorities string
	// Transport makes the requests. If it is nil, the file system has one of its own, without a proxy.
	Transport http.RoundTripper
}

// FileSystem has the objects of one account as files. [New] makes one.
type FileSystem struct {
	now       func() settings
	transport http.RoundTripper // nil: one of its own
	proxy     func(*http.Request) (*url.URL, error)

	mu      sync.Mutex
	clients map[settings]*client
	lender  *lender
}

// New makes the file system of an account. It asks nobody yet: wrong options are errors of its methods. Register it
// under a scheme, and all functions that take a path know its URLs:
//
//	storage.Register("archive", s3.New(s3.Options{Endpoint: "https://a.example", AccessKey: key, SecretKey: secret}))
//	net, err := nn.Load(context.Background(), "archive://bucket/model.zip")
func New(o Options) *FileSystem {
	s := settings{endpoint: o.Endpoint, region: o.Region, bundle: o.Authorities,
		key: o.AccessKey, secret: o.SecretKey, token: o.SessionToken, profile: o.Profile, given: true}
	return &FileSystem{now: func() settings { return s }, transport: o.Transport, clients: map[settings]*client{}}
}

// fromEnvironment makes the file system of s3:// URLs, which follows the environment.
func fromEnvironment() *FileSystem {
	return &FileSystem{now: environment, proxy: http.ProxyFromEnvironment, clients: map[settings]*client{}}
}

// inWords has an error name the settings as the user knows them: those of Options or of the environment.
func (s settings) inWords(err error) error {
	if !s.given {
		return err
	}
	text := strings.NewReplacer("AWS_ENDPOINT_URL", "Options.Endpoint", "AWS_REGION", "Options.Region",
		"AWS_CA_BUNDLE", "Options.Authorities", "AWS_ACCESS_KEY_ID", "Options.AccessKey",
		"AWS_SECRET_ACCESS_KEY", "Options.SecretKey", "AWS_PROFILE", "Options.Profile")
	if f := (*failure)(nil); errors.As(err, &f) {
		return &failure{f.url, text.Replace(f.text), f.err}
	}
	return &failure{"", text.Replace(err.Error()), err}
}
