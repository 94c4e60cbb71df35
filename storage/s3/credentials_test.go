package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dl4go/dl4go/internal/need"
	"github.com/dl4go/dl4go/storage"
)

// TestCredentials: each source of credentials is used as its documentation says, and in the documented order, and the
// server receives its key and token. The services are fakes on loopback.
func TestCredentials(t *testing.T) {
	if runtime.GOOS == "windows" {
		need.From(t, errors.New("the program that gives credentials is a shell script"), "run the tests on Linux")
	}
	const identity, container = "an identity's token", "a container's token"
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	until := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	role := func(w http.ResponseWriter, name string) {
		fmt.Fprintf(w,
			`{"Code":"Success","AccessKeyId":"%s-key","SecretAccessKey":"secret","Token":"%[1]s-token","Expiration":"%s"}`, name,
			until)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /sts/", func(w http.ResponseWriter, r *http.Request) { // AssumeRoleWithWebIdentity
		if r.FormValue("Action") != "AssumeRoleWithWebIdentity" || r.FormValue("WebIdentityToken") != identity ||
			r.FormValue("RoleArn") != "arn:aws:iam::1:role/train" {
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w,
				`<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>the role is for others</Message></Error></ErrorResponse>`)
			return
		}
		fmt.Fprintf(w,
			`<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials>`+
				`<AccessKeyId>identity-key</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>identity-token</SessionToken><Expiration>%s</Expiration>`+
				`</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`, until)
	})
	mux.HandleFunc("GET /container", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != container {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		role(w, "container")
	})
	mux.HandleFunc("PUT /latest/api/token", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "session") })
	mux.HandleFunc("GET /latest/meta-data/iam/security-credentials/{role...}",
		func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Header.Get("X-aws-ec2-metadata-token") != "session":
				w.WriteHeader(http.StatusUnauthorized)
			case r.PathValue("role") == "":
				io.WriteString(w, "machine\n")
			default:
				role(w, r.PathValue("role"))
			}
		})
	fakes := httptest.NewServer(mux)
	defer fakes.Close()
	var who string // asks S3
	s3 := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, signed, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
		who, _, _ = strings.Cut(signed, "/")
		who += " " + r.Header.Get("X-Amz-Security-Token")
		if who == " " {
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>no</Message></Error>")
			return
		}
		w.Header().Set("ETag", `"x"`)
		w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
		io.WriteString(w, "text")
	}))
	defer s3.Close()

	keys := func(name string) string {
		return "aws_access_key_id=" + name + "-key\naws_secret_access_key=secret\naws_session_token=" + name + "-token\n"
	}
	file("credentials", "[default]\n"+keys("default")+"[work]\n"+keys("work"))
	file("config", "[profile program]\ncredential_process = sh "+
		file("program",
			`echo '{"Version":1,"AccessKeyId":"program-key","SecretAccessKey":"secret","SessionToken":"program-token","Expiration":"`+until+`"}'`)+"\n")
	environment := []string{"AWS_ACCESS_KEY_ID", "environment-key", "AWS_SECRET_ACCESS_KEY", "secret", "AWS_SESSION_TOKEN",
		"environment-token"}
	files := []string{"AWS_SHARED_CREDENTIALS_FILE", filepath.Join(dir, "credentials"), "AWS_CONFIG_FILE",
		filepath.Join(dir, "config")}
	web := []string{"AWS_WEB_IDENTITY_TOKEN_FILE", file("identity", identity), "AWS_ROLE_ARN", "arn:aws:iam::1:role/train",
		"AWS_ENDPOINT_URL_STS", fakes.URL + "/sts/"}
	pod := []string{"AWS_CONTAINER_CREDENTIALS_FULL_URI", fakes.URL + "/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN",
		container}
	machine := []string{"AWS_EC2_METADATA_SERVICE_ENDPOINT", fakes.URL}
	with := func(all ...[]string) (joined []string) {
		for _, one := range all {
			joined = append(joined, one...)
		}
		return joined
	}
	region := 0
	for name, c := range map[string]struct {
		env  []string
		want string   // the expected access key
		says []string // parts of the error
	}{
		"environment": {with(environment, files, web), "environment-key environment-token", nil},
		"default":     {with(files, web), "default-key default-token", nil},
		"profile":     {with(files, pod, []string{"AWS_PROFILE", "work"}), "work-key work-token", nil},
		"program":     {with(files, machine, []string{"AWS_PROFILE", "program"}), "program-key program-token", nil},
		"identity":    {with(web, machine), "identity-key identity-token", nil},
		"container":   {with(pod, machine), "container-key container-token", nil},
		"machine":     {machine, "machine-key machine-token", nil},
		"disabled": {with(machine, []string{"AWS_EC2_METADATA_DISABLED", "true"}), " ",
			[]string{"there are no credentials"}},
		"another's role": {with(web, []string{"AWS_ROLE_ARN", "arn:aws:iam::1:role/rule"}), " ",
			[]string{"AWS_WEB_IDENTITY_TOKEN_FILE", "the role is for others"}},
		"a wrong token": {with(pod, []string{"AWS_CONTAINER_AUTHORIZATION_TOKEN", "wrong"}), " ",
			[]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "401"}},
		"no such token": {with(web, []string{"AWS_WEB_IDENTITY_TOKEN_FILE", filepath.Join(dir, "none")}), " ",
			[]string{"AWS_WEB_IDENTITY_TOKEN_FILE", "none"}},
		"no such STS": {with(web, []string{"AWS_ENDPOINT_URL_STS", "http://127.0.0.1:1"}), " ",
			[]string{"AWS_WEB_IDENTITY_TOKEN_FILE", "refused"}},
		"half a profile": {with(files, machine, []string{"AWS_PROFILE", "half", "AWS_CONFIG_FILE",
			file("half", "[profile half]\naws_access_key_id=x\n")}), " ", []string{"half", "aws_secret_access_key"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, v := range os.Environ() {
				if n, _, _ := strings.Cut(v, "="); strings.HasPrefix(n, "AWS_") {
					t.Setenv(n, "")
				}
			}
			region++
			for k, v := range map[string]string{"HOME": filepath.Join(dir, "nobody"), "AWS_ENDPOINT_URL_S3": s3.URL,
				"AWS_REGION": fmt.Sprint("eu-fake-", region)} {
				t.Setenv(k, v)
			}
			for i := 0; i < len(c.env); i += 2 {
				t.Setenv(c.env[i], c.env[i+1])
			}
			b, err := storage.ReadFile(context.Background(), "s3://bucket/key")
			if who != c.want || len(c.says) == 0 && (string(b) != "text" || err != nil) {
				t.Errorf("asked %q, not %q: %v", who, c.want, err)
			}
			for _, w := range c.says {
				if err == nil || !strings.Contains(err.Error(), w) || strings.Contains(err.Error(), "\n") {
					t.Errorf("the error lacks %q: %v", w, err)
				}
			}
			t.Log(err)
		})
	}
}

// service answers requests in this process.
type service func(*http.Request) (*http.Response, error)

func (s service) RoundTrip(r *http.Request) (*http.Response, error) { return s(r) }

// TestSlowRole: a service that takes longer than a second for the token is waited for, up to a limit, and as long as
// the caller wants.
func TestSlowRole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ask := func(ctx context.Context, takes time.Duration) (string, error) {
			late := func(r *http.Request) (*http.Response, error) {
				select {
				case <-time.After(takes):
					return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("token")), Request: r}, nil
				case <-r.Context().Done():
					return nil, r.Context().Err()
				}
			}
			ctx, end := context.WithTimeout(ctx, time.Second)
			defer end()
			r, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://service.invalid/latest/api/token", nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := (&http.Client{Transport: slowRole{service(late), time.Minute}}).Do(r)
			if err != nil {
				return "", err
			}
			text, err := io.ReadAll(answer.Body)
			return string(text), err
		}
		if text, err := ask(t.Context(), 30*time.Second); text != "token" || err != nil {
			t.Errorf("after 30 s: %q, %v", text, err)
		}
		if _, err := ask(t.Context(), 2*time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after 2 minutes: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		begun := time.Now()
		if _, err := ask(ctx, 30*time.Second); !errors.Is(err, context.Canceled) || time.Since(begun) > 0 {
			t.Errorf("cancelled: %v, after %v", err, time.Since(begun))
		}
	})
}
