package lease

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/dl4go/dl4go/internal/grace"
	"github.com/dl4go/dl4go/storage"
)

// watch takes the lease once it is free.
func watch(ctx context.Context, dir string, o Options) (*watched, error) {
	for again := false; ; again = true {
		if again { // another run was quicker
			select {
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			case <-time.After(o.Period / 100):
			}
		}
		var last int64
		if !o.New {
			var err error
			if last, err = highest(ctx, dir, o.After); err != nil {
				return nil, err
			}
		}
		if last > 0 {
			free, err := awaitEnd(ctx, dir, last, o)
			if err != nil {
				return nil, err
			} else if !free {
				continue
			}
		}
		l := &watched{dir: dir, token: max(last, o.After) + 1, period: o.Period, alone: o.New, lost: make(chan struct{}),
			ended:  make(chan struct{}),
			record: record{Owner: thisProcess(), ID: rand.Text(), Period: o.Period.Seconds()}}
		if taken, err := l.take(ctx); err != nil {
			return nil, err
		} else if !taken {
			continue
		}
		ctx, end := context.WithCancel(context.Background())
		l.end = end
		go l.live(ctx)
		return l, nil
	}
}

// awaitEnd watches a token's owner until its lease is free. It returns false if another token is the highest now. Of
// the time between two looks, no more than twice the usual time counts as silence of the owner. If this process or the
// server stood still, the owner may have renewed its lease meanwhile.
func awaitEnd(ctx context.Context, dir string, token int64, o Options) (free bool, err error) {
	var first string
	var silent time.Duration
	seen, begun, failures := time.Now(), false, 0
	for wait := o.Period; ; {
		text, r, _, err := read(ctx, dir, token)
		period := time.Duration(r.Period * float64(time.Second))
		if period <= 0 {
			period = o.Period
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return false, nil
		case err != nil: // it may have been replaced during the read
			failures++
			if failures >= 3 && (errors.Is(err, fs.ErrPermission) || time.Since(seen) >= wait/2) {
				return false, err
			}
		case r.state() == Ended:
			return true, nil
		case !begun:
			first, begun = text, true
			if o.Waiting != nil {
				o.Waiting(r.Owner, period)
			}
		case text != first:
			return false,
				fmt.Errorf("%s: %w: %v, and is alive; the directory is free when that run has ended, or %v after it has died",
					dir, ErrInUse, r.Owner, period)
		default:
			if silent += min(time.Since(seen), period/10); silent >= period {
				return true, nil
			}
		}
		if err == nil {
			seen, failures, wait = time.Now(), 0, period
		}
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-time.After(wait / 20):
		}
	}
}

// take makes the lease's file. It returns false if another run was first.
func (l *watched) take(ctx context.Context) (bool, error) {
	text, err := json.Marshal(l.record)
	if err != nil {
		return false, err
	}
	name := l.file()
	if l.alone {
		return true, l.write(ctx, text)
	}
	err = storage.WriteNew(ctx, name, text)
	if errors.Is(err, fs.ErrExist) {
		// An earlier request may have written this text, with its answer lost.
		if there, e := storage.ReadFile(ctx, name); e != nil || string(there) != string(text) {
			return false, nil
		}
	} else if err != nil {
		return false, err
	}
	all, err := tokens(ctx, l.dir)
	if err != nil {
		l.giveUp(ctx)
		return false, err
	}
	for _, n := range all {
		if n > l.token { // its owner has removed the file that this run had seen
			if err := storage.Remove(ctx, name); !errors.Is(err, fs.ErrNotExist) {
				return false, err
			}
			return false, nil // its owner has already removed it
		}
	}
	l.sweep(ctx, all)
	storage.Sweep(ctx, l.dir, prefix)
	return true, nil
}

// giveUp removes the lease's file. If that fails, another run waits for the period.
func (l *watched) giveUp(ctx context.Context) {
	ctx, cancel := grace.Extend(ctx, lastTime)
	defer cancel()
	storage.Remove(ctx, l.file())
}

// highest returns the highest token, or 0 if there is none.
func highest(ctx context.Context, dir string, after int64) (last int64, err error) {
	all, err := tokens(ctx, dir)
	if err != nil {
		return 0, err
	}
	for _, n := range all {
		last = max(last, n)
	}
	if last < after { // a server that keeps files on a disk may not list a file that is being replaced
		if there, err := storage.Exists(ctx, storage.Join(dir, nameOf(after))); err != nil {
			return 0, err
		} else if there {
			last = after
		}
	}
	return last, nil
}
