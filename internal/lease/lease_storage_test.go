//go:build storage

package lease

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dl4go/dl4go/storage"
	_ "github.com/dl4go/dl4go/storage/hdfs"
	_ "github.com/dl4go/dl4go/storage/s3"
)

// TestURLs uses real servers. Of many processes that ask at once, one gets the lease. A live owner keeps it. A dead
// owner loses it to one other process.
func TestURLs(t *testing.T) {
	some := false
	for scheme, variable := range map[string]string{"s3": "DL4GO_S3", "hdfs": "DL4GO_HDFS"} {
		root := os.Getenv(variable)
		if root == "" {
			continue
		}
		some = true
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			dir := storage.Join(root, fmt.Sprintf("lease-%08x", rand.Uint32()))
			if err := storage.MkdirAll(context.Background(), dir); err != nil {
				t.Fatal(err)
			}
			var before *watched
			for range 2 {
				l := oneHas(t, dir)
				if before != nil {
					if l.Token() <= before.Token() {
						t.Errorf("the token is %d after %d", l.Token(), before.Token())
					}
					if err := before.Verify(context.Background()); !errors.Is(err, ErrLost) ||
						strings.Contains(err.Error(), "removed") {
						t.Errorf("it has lost it: %v", err)
					}
				}
				if err := l.Verify(context.Background()); err != nil {
					t.Error(err)
				}
				l.die()
				before = l
			}
			// After an owner has released the lease, nothing waits.
			l := oneHas(t, dir)
			if err := l.Release(context.Background()); err != nil {
				t.Fatal(err)
			}
			next, err := Take(t.Context(), dir,
				Options{Period: time.Hour, Waiting: func(o Owner, _ time.Duration) { t.Errorf("it waits for %v", o) }})
			if err != nil {
				t.Fatal(err)
			}
			if err := next.Release(context.Background()); err != nil {
				t.Error(err)
			}
			if files, err := storage.List(context.Background(), dir); err != nil || len(files) != 1 {
				t.Errorf("there are %v, %v", files, err)
			}
		})
	}
	if !some {
		t.Error("there are no URLs: make test-storage")
	}
}

// oneHas has four processes ask at once, and returns the lease of the one that has it in the end. On a busy machine an
// owner may be silent for its period: then it has lost the lease to the next one, and knows that.
func oneHas(t *testing.T, dir string) *watched {
	t.Helper()
	var all sync.WaitGroup
	var mu sync.Mutex
	var taken []*watched
	for range 4 {
		all.Go(func() {
			l, err := watch(t.Context(), dir, Options{Period: 2 * time.Second})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				taken = append(taken, l)
			case !errors.Is(err, ErrInUse) || strings.Contains(err.Error(), "\n"):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(taken) == 0 {
		t.Fatal("nobody has it")
	}
	slices.SortFunc(taken, func(a, b *watched) int { return cmp.Compare(a.Token(), b.Token()) })
	last := len(taken) - 1
	for _, l := range taken[:last] {
		if err := l.Verify(context.Background()); !errors.Is(err, ErrLost) || l.Token() == taken[last].Token() {
			t.Errorf("two have it: with token %d, %v, and with token %d", l.Token(), err, taken[last].Token())
		}
	}
	return taken[last]
}
