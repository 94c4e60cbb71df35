package lease

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dl4go/dl4go/storage"
)

// period is the lease period of the tests. They use synctest's clock, so it passes at once.
const period = time.Minute

// taken takes a lease that is renewed in a file, even for a local directory.
func taken(t *testing.T, dir string, o Options) *watched {
	t.Helper()
	o.Period = period
	l, err := watch(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// die stops renewing the lease, as the end of the process does.
func (l *watched) die() {
	l.end()
	<-l.ended
}

// TestOwnerThatLivesKeepsIt checks that a process that asks for a directory learns within a quarter of the period who
// owns it. The owner keeps it for as long as it wants.
func TestOwnerThatLivesKeepsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		owner := taken(t, dir, Options{})
		owner.mu.Lock()
		who := owner.record.Owner
		owner.mu.Unlock()
		for range 5 {
			time.Sleep(7 * time.Second)
			begun, told := time.Now(), Owner{}
			_, err := watch(t.Context(), dir, Options{Period: time.Second, Waiting: func(o Owner, most time.Duration) {
				if told = o; most != period {
					t.Errorf("it is to wait %v at most", most)
				}
			}})
			for _, want := range []string{dir, fmt.Sprint("process ", os.Getpid()), who.Host, who.String(), "1m0s after"} {
				if !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), want) {
					t.Errorf("%v says nothing of %q", err, want)
				}
			}
			if took := time.Since(begun); took > period/3 || told.String() != who.String() {
				t.Errorf("it took %v; waited for was %v", took, told)
			}
		}
		if err := owner.Verify(context.Background()); err != nil {
			t.Error(err)
		}
		if err := owner.Release(context.Background()); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		next := taken(t, dir, Options{})
		defer next.die()
		if took := time.Since(begun); took > 0 || next.Token() != 2 {
			t.Errorf("after a release it takes %v, and the token is %d", took, next.Token())
		}
		if left := names(t, dir); left != ".lease-000002" {
			t.Errorf("there are %s", left)
		}
	})
}

// TestOwnerThatDiesLosesIt checks that after a period without a renewal, one of the waiting processes gets the
// directory. If the first owner was only suspended, it notices that it has lost the lease and can't take it back.
func TestOwnerThatDiesLosesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		first := taken(t, dir, Options{After: 41})
		if first.Token() != 42 {
			t.Errorf("the token is %d", first.Token())
		}
		time.Sleep(10 * period)
		first.die()
		begun := time.Now()
		var all sync.WaitGroup
		var mu sync.Mutex
		var second *watched
		refused := 0
		for range 4 {
			all.Go(func() {
				l, err := watch(t.Context(), dir, Options{Period: period})
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil && second == nil:
					second = l
				case err == nil:
					t.Error("two have it")
				case errors.Is(err, ErrInUse):
					refused++
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		if took := time.Since(begun); second == nil || refused != 3 || took < period || took > 2*period {
			t.Fatalf("%v has it after %v, %d don't", second, took, refused)
		}
		defer second.die()
		if second.Token() != 43 {
			t.Errorf("the second token is %d", second.Token())
		}
		select {
		case <-first.Lost():
			t.Error("nobody has looked yet")
		default:
		}
		for _, err := range []error{first.sign(context.Background(), false), first.Verify(context.Background())} {
			if !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), fmt.Sprint("process ", os.Getpid())) {
				t.Errorf("the first has lost it: %v", err)
			}
		}
		<-first.Lost()
		if err := first.Release(context.Background()); err != nil {
			t.Error(err)
		}
		// A renewal may have been on its way all the time.
		if err := storage.WriteFile(context.Background(), first.file(),
			func(w io.Writer) error { _, err := io.WriteString(w, "{}"); return err }); err != nil {
			t.Fatal(err)
		}
		if err := second.Verify(context.Background()); err != nil {
			t.Error(err)
		}
		if _, err := watch(t.Context(), dir, Options{}); !errors.Is(err, ErrInUse) {
			t.Errorf("what is left of the first frees it: %v", err)
		}
		if left := names(t, dir); left != ".lease-000043" {
			t.Errorf("there are %s", left)
		}
	})
}

// stalling is a file system of a directory on this machine. After it has opened a lease's file, stall is called.
type stalling struct {
	dir   string
	stall func() error
}

func (s stalling) path(url string) string {
	_, path, _ := strings.Cut(url, "://")
	return filepath.Join(s.dir, path)
}

func (s stalling) Open(ctx context.Context, url string) (storage.File, error) {
	f, err := storage.Open(ctx, s.path(url))
	if err != nil || !strings.HasPrefix(storage.Base(url), prefix) {
		return f, err
	}
	if err := s.stall(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (s stalling) Put(ctx context.Context, url string, content io.Reader, _ int64) error {
	return storage.WriteFile(ctx, s.path(url), func(w io.Writer) error { _, err := io.Copy(w, content); return err })
}

func (s stalling) PutNew(ctx context.Context, url string, content []byte) error {
	return storage.WriteNew(ctx, s.path(url), content)
}

func (s stalling) List(ctx context.Context, url string) ([]storage.Entry, error) {
	all, err := storage.List(ctx, s.path(url))
	for i, e := range all {
		all[i].URL = storage.Join(url, storage.Base(e.URL))
	}
	return all, err
}

func (s stalling) CheckWritable(context.Context, string) error { return nil }

func (s stalling) Remove(ctx context.Context, url string) error {
	return storage.Remove(ctx, s.path(url))
}

// TestProcessThatStandsStill checks that a process that asks for a directory, and stands still for longer than the
// period after it has looked, does not take the directory from an owner that was alive meanwhile. Nor do looks that
// fail for a while end the waiting.
func TestProcessThatStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		dir := t.TempDir()
		scheme := "stalling-" + strings.ToLower(rand.Text()) // one is registered for the life of the process
		storage.Register(scheme, stalling{dir, func() error {
			switch looks++; looks {
			case 2:
				time.Sleep(3 * period)
			case 4, 5, 6, 7:
				return errors.New("it was replaced while it was read")
			}
			return nil
		}})
		owner := taken(t, dir, Options{})
		defer owner.die()
		time.Sleep(time.Second) // the looks are after the owner's renewals
		if _, err := watch(t.Context(), scheme+"://", Options{Period: period}); !errors.Is(err, ErrInUse) || looks != 3 {
			t.Errorf("after %d looks: %v", looks, err)
		}
		owner.die()
		next, err := watch(t.Context(), scheme+"://", Options{Period: period})
		if err != nil {
			t.Fatal(err)
		}
		defer next.die()
	})
}

// TestHalfTaken checks that a process that was killed while taking the lease delays the others by at most a period.
func TestHalfTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		if err := storage.WriteNew(context.Background(), filepath.Join(dir, ".lease-000007"), nil); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), period/2)
		defer cancel()
		if _, err := watch(ctx, dir, Options{Period: period}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the waiting has ended with %v", err)
		}
		l := taken(t, dir, Options{})
		defer l.die()
		if l.Token() != 8 {
			t.Errorf("the token is %d", l.Token())
		}
		// The answer got lost: the file is there, and is this process's own.
		if mine, err := l.take(context.Background()); !mine || err != nil {
			t.Errorf("%v, %v", mine, err)
		}
		// The file of another process is not.
		other := &watched{dir: dir, token: l.token}
		if mine, err := other.take(context.Background()); mine || err != nil {
			t.Errorf("%v, %v", mine, err)
		}
		// A process that looked before the last two owners came is not first, although its file exists.
		late := &watched{dir: dir, token: 5}
		if mine, err := late.take(context.Background()); mine || err != nil {
			t.Errorf("%v, %v", mine, err)
		}
		if left := names(t, dir); left != ".lease-000008" {
			t.Errorf("there are %s", left)
		}
	})
}

// TestFilesRemovedByHand checks that a lease is lost if its files are removed, since the owner is then unknown.
func TestFilesRemovedByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		l := taken(t, dir, Options{})
		defer l.die()
		if err := os.Remove(l.file()); err != nil {
			t.Fatal(err)
		}
		<-l.Lost()
		if err := l.Verify(context.Background()); !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "removed") {
			t.Error(err)
		}
	})
}

// TestTroubleThatPasses checks that an owner whose renewals fail for a while keeps the lease as long as no other
// process takes it.
func TestTroubleThatPasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "dir")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		l := taken(t, dir, Options{})
		defer l.die()
		if err := errors.Join(os.Rename(dir, dir+"2"), os.WriteFile(dir, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2*period + time.Second) // between two attempts
		if err := l.Verify(context.Background()); err == nil || errors.Is(err, ErrLost) {
			t.Errorf("where it can't be found out: %v", err)
		}
		if err := errors.Join(os.Remove(dir), os.Rename(dir+"2", dir)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(period / 2)
		if err := l.Verify(context.Background()); err != nil {
			t.Error(err)
		}
		if _, err := watch(t.Context(), dir, Options{Period: period}); !errors.Is(err, ErrInUse) {
			t.Errorf("it is alive again: %v", err)
		}
	})
}

// TestLocalDirectory checks that a lock protects a local directory.
func TestLocalDirectory(t *testing.T) {
	dir := t.TempDir()
	first, err := Take(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Take(t.Context(), dir, Options{}); !errors.Is(err, ErrInUse) ||
		!strings.Contains(err.Error(), fmt.Sprint("process ", os.Getpid())) {
		t.Errorf("it has an owner: %v", err)
	}
	if err := errors.Join(first.Verify(context.Background()), first.Release(context.Background())); err != nil {
		t.Error(err)
	}
	second, err := Take(t.Context(), dir, Options{After: first.Token()})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Release(context.Background())
	if second.Token() <= first.Token() {
		t.Errorf("tokens are %d and %d", first.Token(), second.Token())
	}
	if _, err := Take(t.Context(), filepath.Join(dir, "none"), Options{}); err == nil {
		t.Error("there is no directory")
	}
	if _, err := Take(t.Context(), dir, Options{Period: -1}); err == nil {
		t.Error("a lease of less than nothing")
	}
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}
