package s3

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"gopkg.in/ini.v1"
)

// settings come from Options or the environment.
type settings struct {
	endpoint, region, bundle string
	key, secret, token       string
	profile                  string // "": none was named
	given                    bool   // by Options, not by the environment
}

// client sends requests to one endpoint.
type client struct {
	*minio.Client
	settings
	credentials *credentials.Credentials
	source      string       // of the credentials, for people
	none        func() error // why there are none
	repeater
}

// environment returns the current settings of the environment.
func environment() settings {
	return settings{
		endpoint: cmp.Or(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL")),
		region:   cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")),
		bundle:   os.Getenv("AWS_CA_BUNDLE"),
		key:      os.Getenv("AWS_ACCESS_KEY_ID"),
		secret:   os.Getenv("AWS_SECRET_ACCESS_KEY"),
		token:    os.Getenv("AWS_SESSION_TOKEN"),
		profile:  os.Getenv("AWS_PROFILE"),
	}
}

// connect returns the client for the current settings. It sends no request yet.
func (f *FileSystem) connect() (*client, error) {
	s := f.now()
	if (s.key == "") != (s.secret == "") {
		return nil, s.inWords(errors.New("S3: one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set: set both, or none"))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.clients[s]; c != nil {
		return c, nil
	}
	c, err := f.newClient(s)
	if err != nil {
		return nil, s.inWords(fmt.Errorf("S3: %w", err))
	}
	f.clients[s] = c
	return c, nil
}

// redirected is the number of requests that minio-go itself makes if the region is not known: the first response names
// it.
const redirected = 2

func (f *FileSystem) newClient(s settings) (*client, error) {
	profile := map[string]string{}
	if !s.given || s.profile != "" {
		var err error
		if profile, err = readProfile(s.profile); err != nil {
			return nil, err
		}
	}
	c := &client{settings: s}
	c.endpoint = cmp.Or(s.endpoint, profile["endpoint_url"])
	c.region = cmp.Or(s.region, profile["region"])
	host, secure, lookup := "s3.amazonaws.com", true, minio.BucketLookupAuto
	if c.endpoint != "" {
		u, err := url.Parse(c.endpoint)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" {
			return nil, fmt.Errorf("the endpoint %q is none: AWS_ENDPOINT_URL should be http://HOST:PORT or https://HOST:PORT",
				c.endpoint)
		}
		host, secure, lookup = u.Host, u.Scheme == "https", minio.BucketLookupPath
		c.region = cmp.Or(c.region, "us-east-1")
	} else {
		c.endpoint = "https://" + host
	}
	s.region = c.region
	transport, err := f.newTransport(s.bundle)
	if err != nil {
		return nil, err
	}
	c.credentials, c.source, c.none = s.find(transport)
	tries := 1
	if c.region == "" {
		tries = redirected
	}
	c.Client, err = minio.New(host, &minio.Options{Creds: c.credentials, Secure: secure, Region: c.region,
		BucketLookup: lookup,
		Transport:    listening{transport, &c.repeater}, MaxRetries: tries})
	return c, err
}

// readProfile reads a profile from ~/.aws/config and ~/.aws/credentials. It is an error if a configured profile is
// missing.
func readProfile(name string) (map[string]string, error) {
	home, _ := os.UserHomeDir()
	values := map[string]string{}
	found := false
	for _, f := range []struct{ variable, path, prefix string }{
		{"AWS_CONFIG_FILE", "config", "profile "},
		{"AWS_SHARED_CREDENTIALS_FILE", "credentials", ""},
	} {
		path := cmp.Or(os.Getenv(f.variable), filepath.Join(home, ".aws", f.path))
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var file *ini.File
		if err == nil {
			file, err = ini.Load(text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		section, err := file.GetSection(f.prefix + name)
		if name == "" || name == "default" {
			section, err = file.GetSection("default")
		}
		if err == nil {
			found = true
			for k, v := range section.KeysHash() {
				values[k] = v
			}
		}
	}
	if name != "" && !found {
		return nil, fmt.Errorf("AWS_PROFILE: there is no profile %s in ~/.aws/config or ~/.aws/credentials", name)
	}
	return values, nil
}
