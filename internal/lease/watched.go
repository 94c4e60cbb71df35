package lease

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dl4go/dl4go/internal/grace"
	"github.com/dl4go/dl4go/storage"
)

// prefix is the beginning of the name of a lease's file, before its token. The run with the highest token has the
// directory. The file is created only if it does not exist (storage.WriteNew), so only one of several runs gets a
// token. Only its owner writes it again, to renew the lease. It stays when the lease is released, as tokens must not be
// used twice.
const prefix = ".lease-"

// record is the content of a lease's file.
type record struct {
	Owner
	ID       string  `json:"id"`     // of the lease
	Period   float64 `json:"period"` // seconds
	Renewals int     `json:"beats"`  // files call them beats
	Ended    bool    `json:"ended,omitempty"`
}

// state is Unknown if it takes waiting to find out.
func (r record) state() State {
	if r.Ended {
		return Ended
	}
	return r.Owner.state()
}

// watched is a lease that its owner keeps renewing.
type watched struct {
	dir    string
	token  int64
	period time.Duration
	alone  bool // no other run wants it
	lost   chan struct{}
	end    func() // stops renewing
	ended  chan struct{}

	mu     sync.Mutex // one request at a time
	record record
	why    error // why it is lost; nil if it is not
}

func nameOf(token int64) string { return fmt.Sprintf("%s%06d", prefix, token) }

func (l *watched) file() string { return storage.Join(l.dir, nameOf(l.token)) }

// tokens lists the tokens of the leases in a directory.
func tokens(ctx context.Context, dir string) (all []int64, err error) {
	files, err := storage.List(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) { // S3 has no empty directories
		return nil, nil
	}
	for _, f := range files {
		base := storage.Base(f.URL)
		text, found := strings.CutPrefix(base, prefix)
		if n, err := strconv.ParseInt(text, 10, 64); found && err == nil && n > 0 && base == nameOf(n) {
			all = append(all, n)
		}
	}
	return all, err
}

// sweep removes the files of earlier leases. A file that stays does no harm.
func (l *watched) sweep(ctx context.Context, all []int64) {
	for _, n := range all {
		if n < l.token {
			storage.Remove(ctx, storage.Join(l.dir, nameOf(n)))
		}
	}
}

// live keeps renewing the lease until its context ends. After a failure it tries again sooner.
func (l *watched) live(ctx context.Context) {
	defer close(l.ended)
	for wait := l.period / 4; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		switch err := l.sign(ctx, false); {
		case errors.Is(err, ErrLost):
			return
		case err != nil:
			wait = l.period / 20
		default:
			wait = l.period / 4
		}
	}
}

// sign renews the lease or, with last, marks it as ended.
func (l *watched) sign(ctx context.Context, last bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.record.Ended {
		return nil
	}
	if err := l.verify(ctx); err != nil {
		return err
	}
	next := l.record
	next.Renewals++
	next.Ended = last
	text, err := json.Marshal(next)
	if err != nil {
		return err
	}
	if err := l.write(ctx, text); err != nil {
		l.record.Renewals++ // it may have been written in spite of the error
		return err
	}
	l.record = next
	return nil
}

func (l *watched) write(ctx context.Context, text []byte) error {
	return storage.WriteFile(ctx, l.file(), func(w io.Writer) error { _, err := w.Write(text); return err })
}

// verify looks for a higher token. If the lease's own file is gone, the lease is lost too: another run may then begin
// with any token.
func (l *watched) verify(ctx context.Context) error {
	if l.why != nil {
		return l.why
	}
	all, err := tokens(ctx, l.dir)
	if err != nil {
		return err
	}
	var last int64
	there := false
	for _, n := range all {
		last = max(last, n)
		there = there || n == l.token
	}
	switch {
	case last > l.token:
		_, r, _, _ := read(ctx, l.dir, last)
		l.why = fmt.Errorf("%s: %w: %v; this one had given no sign of life for %v", l.dir, ErrLost, r.Owner, l.period)
	case !there:
		l.why = fmt.Errorf("%s: %w, or somebody has removed its %s files", l.dir, ErrLost, prefix)
	default:
		l.sweep(ctx, all)
		return nil
	}
	close(l.lost)
	return l.why
}

func (l *watched) Token() int64          { return l.token }
func (l *watched) Lost() <-chan struct{} { return l.lost }

func (l *watched) Verify(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.verify(ctx)
}

// Release marks the run as ended. A lost lease belongs to another run, and stays unchanged.
func (l *watched) Release(ctx context.Context) error {
	l.end()
	<-l.ended
	ctx, cancel := grace.Extend(ctx, lastTime)
	defer cancel()
	if err := l.sign(ctx, true); !errors.Is(err, ErrLost) {
		return err
	}
	return nil
}

func (l *watched) Remove(ctx context.Context) error {
	if err := l.Release(ctx); err != nil {
		return err
	}
	ctx, cancel := grace.Extend(ctx, lastTime)
	defer cancel()
	if err := storage.Remove(ctx, l.file()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// lastTime is how long a lease's last requests may take after the context has ended. If they fail, another run waits
// for the period.
const lastTime = 3 * time.Second
