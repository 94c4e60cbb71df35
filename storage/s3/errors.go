package s3

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"syscall"

	"github.com/minio/minio-go/v7"
)

// failure is a one-line error about a request, with advice.
type failure struct {
	url, text string
	err       error
}

func (f *failure) Error() string {
	if f.url == "" {
		return f.text
	}
	return f.url + ": " + f.text
}

func (f *failure) Unwrap() error { return f.err }

// explain turns an error of a request into words for people. do is the operation on the object.
func (c *client) explain(do string, o object, err error) error {
	if err == nil {
		return nil
	}
	say := func(is error, format string, args ...any) error {
		return c.inWords(&failure{o.url, strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "), is})
	}
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) || answer.Code == "" {
		return c.unanswered(do, o, err)
	}
	if full(answer) {
		return say(err, "%s has no room for it (%s %s): have its disk or the quota made larger, or remove something",
			c.endpoint, answer.Code, answer.Message)
	}
	switch answer.Code {
	case minio.NoSuchKey, "NotFound":
		return &fs.PathError{Op: do, Path: o.url, Err: fs.ErrNotExist}
	case minio.NoSuchBucket:
		return say(fs.ErrNotExist, "there is no bucket %s at %s: make it, or correct the name or AWS_ENDPOINT_URL",
			o.bucket, c.endpoint)
	case "InvalidAccessKeyId", "XAdminUserNotFound": // versitygw's name for it
		return say(fs.ErrPermission,
			"%s does not know the access key %s: the credentials %s are wrong, or are for another server", c.endpoint,
			c.accessKey(), c.source)
	case "SignatureDoesNotMatch":
		return say(fs.ErrPermission, "the secret that goes with the access key %s is wrong: correct the credentials %s",
			c.accessKey(), c.source)
	case "ExpiredToken", "ExpiredTokenException", "InvalidToken", "TokenRefreshRequired":
		return say(fs.ErrPermission, "the credentials %s have expired, or their session token is wrong: get new ones",
			c.source)
	case minio.AccessDenied, "AllAccessDisabled", "AccountProblem", "MethodNotAllowed":
		if key := c.accessKey(); key != "" {
			return say(fs.ErrPermission,
				"%s refuses to let the access key %s %s it: allow it in the bucket's or the user's policy", c.endpoint, key, do)
		}
		if why := c.none(); why != nil {
			return say(fs.ErrPermission, "access is denied: %v", why)
		}
		return say(fs.ErrPermission,
			"access is denied, and there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE")
	case minio.PreconditionFailed:
		return say(err, "%v", errChanged)
	case "RequestTimeTooSkewed":
		return say(err, "the clock of this machine is not that of %s: set it", c.endpoint)
	case "PermanentRedirect", minio.AuthorizationHeaderMalformed, minio.InvalidRegion, "IncorrectEndpoint",
		"IllegalLocationConstraintException":
		return say(err, "the bucket %s is in another region than %s: set AWS_REGION (%s)", o.bucket, c.region, answer.Message)
	}
	return say(err, "can't %s it: %s answers %s: %s", do, c.endpoint, answer.Code, answer.Message)
}

// unanswered is explain for requests without a response of S3.
func (c *client) unanswered(do string, o object, err error) error {
	if errors.Is(err, errChanged) {
		return &failure{o.url, errChanged.Error(), err}
	}
	return c.inWords(&failure{o.url, strings.Join(strings.Fields(fmt.Sprintf("can't %s it from %s: %s", do, c.endpoint,
		noAnswer(err))), " "), err})
}

// noAnswer explains why a server did not respond.
func noAnswer(err error) string {
	var (
		op        *net.OpError
		dns       *net.DNSError
		authority x509.UnknownAuthorityError
		timeout   interface{ Timeout() bool }
	)
	what := err.Error()
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		what = "the connection is refused: does a server run there, and is AWS_ENDPOINT_URL right?"
	case errors.As(err, &dns):
		what = "its name is not known: is AWS_ENDPOINT_URL right, and is there a network?"
	case errors.As(err, &authority):
		what = "its certificate is of an authority that is not known: AWS_CA_BUNDLE names a file of authorities"
	case noTLS(err):
		what = "it does not speak TLS: AWS_ENDPOINT_URL should begin with http://"
	case errors.As(err, &timeout) && timeout.Timeout():
		what = "it does not answer in time"
	case strings.Contains(what, "closed by foreign host"), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, net.ErrClosed), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		what = "it ended the connection"
	case errors.As(err, &op):
		what = op.Err.Error()
	}
	return what
}

// full reports whether the server's disk is full or a quota is used up.
func full(answer minio.ErrorResponse) bool {
	switch answer.Code {
	case "QuotaExceeded", "InsufficientStorage", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded",
		"InsufficientCapacity":
		return true
	}
	return answer.StatusCode == http.StatusInsufficientStorage
}

func noTLS(err error) bool { return strings.Contains(err.Error(), "HTTP response to HTTPS client") }

// accessKey returns the access key of the credentials; "" if there are none.
func (c *client) accessKey() string {
	v, err := c.credentials.GetWithContext(c.CredContext())
	if err != nil {
		return ""
	}
	return v.AccessKeyID
}
