package s3

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// Options say which server a file system uses, and with which credentials. Nothing is taken from the environment.
type Options struct {
	// Endpoint is the server's http://HOST:PORT or https://HOST:PORT. If it is empty, the server is Amazon's.
	Endpoint string
	// Region is the buckets' region. If it is empty, Amazon is asked for it; other servers are in us-east-1.
	Region string
	// AccessKey and SecretKey are the credentials; temporary ones also need SessionToken. Without them and without a
	// Profile, requests are not signed, and only public files can be read.
	AccessKey, SecretKey, SessionToken string
	// Profile is a profile of ~/.aws/credentials and ~/.aws/config, for the settings that are empty.
	Profile string
	// Authorities is a PEM file of the trusted certificate authorities. If it is empty, the system's are trusted.
	Authorities string
	// Transport makes the requests. If it is nil, the file system uses its own, without a proxy.
	Transport http.RoundTripper
}

// FileSystem accesses the objects of one account as files. [New] makes one.
type FileSystem struct {
	now       func() settings
	transport http.RoundTripper // nil: one of its own
	proxy     func(*http.Request) (*url.URL, error)

	mu      sync.Mutex
	clients map[settings]*client
	lender  *lender
}

// New makes the file system of an account. It sends no request yet: wrong options are errors of its methods. After it
// is registered under a scheme, all functions that take a path know its URLs:
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

// inWords replaces the names of settings in an error by those that the user knows: of Options or of the environment.
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
