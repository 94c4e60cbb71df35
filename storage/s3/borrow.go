package s3

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dl4go/dl4go/storage"
)

// borrowed reads an object by the URL of a loan. No error contains the URL: whoever has it can read the object.
type borrowed struct {
	ctx context.Context // of all requests
	storage.Loan
	from *FileSystem
	body io.ReadCloser
	at   int64
	end  int64 // of the bytes that are wanted
}

// lender is the client for loans.
type lender struct {
	http.Client
	repeater
}

// borrower returns the client for loans. Only one of its settings is this machine's: the certificate authorities that
// it trusts.
func (f *FileSystem) borrower() (*lender, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lender != nil {
		return f.lender, nil
	}
	transport, err := f.newTransport(f.now().bundle)
	if err != nil {
		return nil, err
	}
	l := new(lender)
	l.Transport = listening{transport, &l.repeater}
	l.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	f.lender = l
	return l, nil
}

// Borrow requests the object. If a connection breaks, reading continues on a new one.
func (f *FileSystem) Borrow(ctx context.Context, l storage.Loan) (io.ReadCloser, error) {
	b := &borrowed{ctx: ctx, Loan: l, from: f, end: l.Size}
	if err := b.ask(); err != nil {
		return nil, err
	}
	return b, nil
}

func (b *borrowed) Close() error { return b.body.Close() }

func (b *borrowed) Read(p []byte) (int, error) {
	for broke := 0; ; broke++ {
		n, err := b.body.Read(p[:min(int64(len(p)), b.end-b.at)])
		b.at += int64(n)
		switch {
		case n > 0:
			return n, nil
		case b.at == b.end:
			return 0, io.EOF
		case err == nil:
			return 0, nil
		case broke == retries:
			return 0, b.failed("%s", b.reason(err))
		}
		b.body.Close()
		if err := b.ask(); err != nil {
			return 0, err
		}
	}
}

// Seek goes on at a place of the object, counted from its beginning.
func (b *borrowed) Seek(offset int64, whence int) (int64, error) {
	if whence != io.SeekStart || offset < 0 || offset > b.Size {
		return b.at, b.failed("there is no place %d in it", offset)
	}
	if offset == b.at {
		return offset, nil
	}
	b.body.Close()
	if b.at, b.body = offset, http.NoBody; offset == b.Size {
		return offset, nil
	}
	return offset, b.ask()
}

// ask requests the bytes that have not been read yet, and repeats the request if the server is busy or does not
// respond.
func (b *borrowed) ask() error {
	c, err := b.from.borrower()
	if err != nil {
		return b.failed("%v", err)
	}
	return c.asking(b.ctx, func() (bool, error) { return b.get(c) })
}

func (b *borrowed) get(c *lender) (again bool, _ error) {
	r, err := http.NewRequestWithContext(b.ctx, http.MethodGet, b.Terms, nil)
	if err != nil {
		return false, b.failed("the loan has no URL")
	}
	r.Header.Set("If-Match", `"`+b.Version+`"`)
	part := b.at > 0 || b.end < b.Size
	if part {
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", b.at, b.end-1))
	}
	answer, err := c.Do(r)
	if err != nil {
		return passes(err), b.failed("%s", b.reason(err))
	}
	whole := answer.StatusCode == http.StatusOK && !part || answer.StatusCode == http.StatusPartialContent && part
	if whole && answer.ContentLength == b.end-b.at && strings.Trim(answer.Header.Get("ETag"), `"`) == b.Version {
		b.body = answer.Body
		return false, nil
	}
	defer answer.Body.Close()
	if whole {
		return false, b.lapsed("it was changed after it was listed")
	}
	var said struct{ Code, Message string }
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	_ = xml.Unmarshal(text, &said) // the response may come from a proxy
	switch {
	case answer.StatusCode == http.StatusPreconditionFailed:
		return false, b.lapsed("it was changed after it was listed")
	case answer.StatusCode == http.StatusNotFound:
		return false, b.lapsed("it was removed after it was listed")
	case !b.Until.IsZero() && time.Now().After(b.Until),
		strings.Contains(strings.ToLower(said.Code+said.Message), "expired"):
		return false, b.lapsed("the time is over for which it was lent, until " + b.Until.UTC().Format(time.RFC3339))
	}
	return answer.StatusCode >= 500 || busy(answer.StatusCode),
		b.failed("it answers %s", strings.TrimSpace(answer.Status+" "+said.Code+" "+said.Message))
}

func (b *borrowed) lapsed(why string) error {
	return &failure{b.URL, why, storage.ErrLapsed}
}

func (b *borrowed) failed(format string, args ...any) error {
	host := "its server"
	if u, err := url.Parse(b.Terms); err == nil {
		host = u.Scheme + "://" + u.Host
	}
	text := fmt.Sprintf("can't read it from %s: %s", host, fmt.Sprintf(format, args...))
	return &failure{b.URL, strings.Join(strings.Fields(text), " "), nil}
}

// reason returns why there was no response, without the URL.
func (b *borrowed) reason(err error) string {
	if asked := (*url.Error)(nil); errors.As(err, &asked) {
		err = asked.Err
	}
	return strings.ReplaceAll(noAnswer(err), b.Terms, b.URL)
}
