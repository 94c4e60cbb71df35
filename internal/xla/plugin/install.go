package plugin

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Index is Python's package index.
const Index = "https://pypi.org/simple"

// Source says where to get wheels.
type Source struct {
	Index string // URL of a package index ("simple"); empty: Index
	Proxy string // URL of an HTTP proxy; empty: the environment's
	Local string // a directory with the wheels; with it, nothing is downloaded
	// Progress, if not nil, is called with each wheel.
	Progress func(w Wheel, number, of int)

	wheels []Wheel // of a test; nil: those of the kind
}

// Install downloads a plugin, checks the hashes of its files, and unpacks them. It replaces an older installation,
// which is kept until the new one is complete.
func Install(ctx context.Context, kind string, s Source) (Installed, error) {
	wheels := s.wheels
	if wheels == nil {
		wheels = Wheels(kind)
	}
	if len(wheels) == 0 {
		return Installed{}, fmt.Errorf("there is no plugin %q; there are %s", kind, strings.Join(Kinds(), ", "))
	}
	dir, err := Dir()
	if err != nil {
		return Installed{}, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Installed{}, err
	}
	fresh, err := os.MkdirTemp(dir, ".new-"+kind+"-")
	if err != nil {
		return Installed{}, err
	}
	defer os.RemoveAll(fresh)
	client, err := s.client()
	if err != nil {
		return Installed{}, err
	}
	for i, w := range wheels {
		if s.Progress != nil {
			s.Progress(w, i+1, len(wheels))
		}
		if err := s.unpack(ctx, client, w, fresh); err != nil {
			return Installed{}, fmt.Errorf("%s: %w", w.File, err)
		}
	}
	if err := replaced(fresh, filepath.Join(dir, kind)); err != nil {
		return Installed{}, err
	}
	return Find(kind, "")
}

// replaced replaces a directory by another one.
func replaced(fresh, at string) error {
	old := fresh + "-old"
	if err := os.Rename(at, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Rename(fresh, at); err != nil {
		return errors.Join(err, os.Rename(old, at))
	}
	return os.RemoveAll(old)
}

// unpack gets one wheel and unpacks it.
func (s Source) unpack(ctx context.Context, client *http.Client, w Wheel, to string) error {
	file := filepath.Join(s.Local, w.File)
	if s.Local == "" {
		file = filepath.Join(to, ".wheel")
		if err := s.download(ctx, client, w, file); err != nil {
			return err
		}
		defer os.Remove(file)
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	size, err := io.Copy(h, f)
	if err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != w.SHA256 {
		return fmt.Errorf("its SHA-256 is %s, not %s: the file is damaged or not the one that dl4go was made for",
			got, w.SHA256)
	}
	z, err := zip.NewReader(f, size)
	if err != nil {
		return err
	}
	for _, part := range z.File {
		if err := extract(part, to); err != nil {
			return err
		}
	}
	return nil
}

// extract writes a file of a wheel below a directory.
func extract(part *zip.File, to string) error {
	if !filepath.IsLocal(part.Name) {
		return fmt.Errorf("it has a file %q, which is outside", part.Name)
	}
	if part.FileInfo().IsDir() {
		return nil
	}
	path := filepath.Join(to, filepath.FromSlash(part.Name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	r, err := part.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644|part.Mode().Perm()&0o111)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

func (s Source) client() (*http.Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = time.Minute
	if s.Proxy != "" {
		proxy, err := url.Parse(s.Proxy)
		if err != nil || proxy.Host == "" {
			return nil, fmt.Errorf("%q is not a URL of a proxy, such as http://proxy:3128", s.Proxy)
		}
		transport.Proxy = http.ProxyURL(proxy)
	}
	return &http.Client{Transport: transport}, nil
}

// download fetches a wheel from the index. It fails if no data arrives for a minute.
func (s Source) download(ctx context.Context, client *http.Client, w Wheel, to string) error {
	index := s.Index
	if index == "" {
		index = Index
	}
	page := strings.TrimSuffix(index, "/") + "/" + w.Project + "/"
	body, err := get(ctx, client, page)
	if err != nil {
		return err
	}
	const maxPage = 16 << 20
	text, err := io.ReadAll(io.LimitReader(body, maxPage))
	_ = body.Close()
	if err != nil {
		return err
	}
	from, err := link(page, string(text), w.File)
	if err != nil {
		return err
	}
	if body, err = get(ctx, client, from); err != nil {
		return err
	}
	defer body.Close()
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	const maxWheel = 4 << 30
	_, err = io.Copy(f, io.LimitReader(body, maxWheel))
	return errors.Join(err, f.Close())
}

// live is the body of a response. It is abandoned when no data arrives for a minute.
type live struct {
	io.ReadCloser
	timer  *time.Timer
	cancel context.CancelFunc
}

const patience = time.Minute

func (l *live) Read(b []byte) (int, error) {
	l.timer.Reset(patience)
	return l.ReadCloser.Read(b)
}

func (l *live) Close() error {
	l.timer.Stop()
	l.cancel()
	return l.ReadCloser.Close()
}

func get(ctx context.Context, client *http.Client, from string) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancel(ctx)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		cancel()
		return nil, err
	}
	r.Header.Set("Accept", "text/html")
	a, err := client.Do(r)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("%w; without a network copy the wheels to a directory and give --from DIRECTORY", err)
	}
	body := &live{a.Body, time.AfterFunc(patience, cancel), cancel}
	if a.StatusCode != http.StatusOK {
		_ = body.Close()
		return nil, fmt.Errorf("%s answers %s", from, a.Status)
	}
	return body, nil
}

// link finds a file's URL in a page of the index.
func link(page, text, file string) (string, error) {
	for _, m := range regexp.MustCompile(`href="([^"]+)"`).FindAllStringSubmatch(text, -1) {
		address := strings.ReplaceAll(m[1], "&amp;", "&")
		base, err := url.Parse(page)
		if err != nil {
			return "", err
		}
		u, err := base.Parse(address)
		if err != nil || filepath.Base(u.Path) != file {
			continue
		}
		u.Fragment = ""
		return u.String(), nil
	}
	return "", fmt.Errorf("%s does not have it", page)
}
