package livepage

import (
	"sync"
	"time"

	"github.com/dl4go/dl4go/stats"
)

// feed renders the sections of a run's page once for all browsers that watch it, and not at all if none does.
type feed struct {
	now func() stats.Run

	mu       sync.Mutex
	sections []stats.Section
	rendered time.Time
	took     time.Duration
}

// Sections are rendered at most once a second, and in at most a fiftieth of one processor's time.
const (
	leastWait  = time.Second
	restFactor = 50
)

// current returns sections that are fresh enough, and the time until they should be asked for again.
func (f *feed) current() (sections []stats.Section, again time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if wait := f.wait(); wait > 0 {
		return f.sections, wait
	}
	f.render()
	return f.sections, f.wait()
}

// last returns the sections of a run that has ended.
func (f *feed) last() []stats.Section {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.render()
	return f.sections
}

func (f *feed) wait() time.Duration {
	if f.sections == nil {
		return 0
	}
	return max(leastWait, restFactor*f.took) - time.Since(f.rendered)
}

func (f *feed) render() {
	begin := time.Now()
	run := f.now()
	f.sections = run.Sections()
	f.rendered = time.Now()
	f.took = f.rendered.Sub(begin)
}
