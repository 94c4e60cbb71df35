package s3

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

// roleTime is how long the usual address of a machine's role may take to respond. Without a role, nothing responds.
const roleTime = 2 * time.Second

// find returns the credentials, which are looked up when they are first needed, and their source.
func (s settings) find(transport http.RoundTripper) (c *credentials.Credentials, source string, why func() error) {
	if s.key != "" {
		source := "of the environment"
		if s.given {
			source = "of Options.AccessKey"
		}
		return credentials.NewStaticV4(s.key, s.secret, s.token), source, func() error { return nil }
	}
	if s.given && s.profile == "" {
		return credentials.NewStatic("", "", "", credentials.SignatureAnonymous), "", func() error { return nil }
	}
	f := &finder{}
	source = "of the profile " + cmp.Or(s.profile, "default")
	f.add(source, s.profile != "", &credentials.FileAWSCredentials{Profile: s.profile})
	if s.profile == "" {
		if name, given, p := role(s.region, transport); p != nil {
			f.add(name, given, p)
			source += ", or " + name
		}
	}
	return credentials.New(f), source, func() error { return f.why }
}

// role returns the provider of credentials that are not configured in a file, its name, and whether the environment
// names it. It returns nil if the environment disables it.
func role(region string, transport http.RoundTripper) (name string, given bool, _ credentials.Provider) {
	for _, v := range []string{"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI"} {
		if os.Getenv(v) != "" {
			iam := &credentials.IAM{Region: region, Client: &http.Client{Timeout: silence, Transport: transport}}
			if v == "AWS_WEB_IDENTITY_TOKEN_FILE" {
				iam.Endpoint = os.Getenv("AWS_ENDPOINT_URL_STS")
			}
			return "of " + v, true, iam
		}
	}
	if strings.EqualFold(os.Getenv("AWS_EC2_METADATA_DISABLED"), "true") {
		return "", false, nil
	}
	endpoint, wait := strings.TrimRight(os.Getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT"), "/"), roleTime
	if endpoint != "" {
		wait = silence
	}
	dialer := &net.Dialer{Timeout: wait}
	return "of this machine's role", false, &credentials.IAM{Region: region, Endpoint: endpoint,
		Client: &http.Client{Timeout: 2 * wait, Transport: slowRole{&http.Transport{DialContext: dialer.DialContext}, wait}}}
}

// slowRole is a transport for the requests of a machine's role. The first one gets a token, and minio-go gives it a
// second. If the service is busy for longer, it may refuse the others, which then have no token. So this transport has
// a limit in place of that one.
type slowRole struct {
	http.RoundTripper
	limit time.Duration
}

func (s slowRole) RoundTrip(r *http.Request) (*http.Response, error) {
	asked := r.Context()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(asked), s.limit)
	defer cancel()
	stop := context.AfterFunc(asked, func() {
		if errors.Is(asked.Err(), context.Canceled) {
			cancel()
		}
	})
	defer stop()
	answer, err := s.RoundTripper.RoundTrip(r.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	answer.Body = io.NopCloser(bytes.NewReader(text))
	return answer, err
}

// finder asks one provider after the other. If none has credentials, it does not ask again: then only public objects
// can be read.
type finder struct {
	providers []provider
	found     credentials.Provider
	none      bool
	why       error // why there are none, if the user has configured some
}

type provider struct {
	credentials.Provider
	name  string
	given bool // by the user
}

func (f *finder) add(name string, given bool, p credentials.Provider) {
	f.providers = append(f.providers, provider{p, name, given})
}

func (f *finder) RetrieveWithCredContext(cc *credentials.CredContext) (credentials.Value, error) {
	if f.found != nil { // its credentials have expired
		return f.found.RetrieveWithCredContext(cc)
	}
	f.why = nil
	for _, p := range f.providers {
		v, err := p.RetrieveWithCredContext(cc)
		if err == nil && v.AccessKeyID != "" {
			f.found = p.Provider
			return v, nil
		}
		if err != nil && p.given {
			f.why = fmt.Errorf("the credentials %s can't be had: %w", p.name, err)
		}
	}
	f.none = true
	return credentials.Value{SignerType: credentials.SignatureAnonymous}, nil
}

func (f *finder) Retrieve() (credentials.Value, error) { return f.RetrieveWithCredContext(nil) }

func (f *finder) IsExpired() bool {
	if f.found != nil {
		return f.found.IsExpired()
	}
	return !f.none
}
