package livepage

import (
	"context"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/usage"
)

// Show opens a server of pages, and shows its URL. flag is the one that the address has. Errors name flags.
func Show(out *console.Output, flag string, o Options, pages Pages) (*Server, error) {
	s, err := Open(o, pages)
	if errors.Is(err, ErrExposed) {
		return nil, usage.Errorf("--%s %w; give --ui-cert and --ui-key, or allow it with --ui-insecure", flag, err)
	}
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	out.Line("%-10s %s", "live page", out.Strong(s.URL()))
	out.Emit("ui", console.Event{"url": s.URL(), "watchURL": s.WatchURL()})
	return s, nil
}

// ShowRuns serves the pages of a directory's finished runs until the context ends. Its address is that of --listen.
func ShowRuns(ctx context.Context, out *console.Output, o Options, dir string) error {
	a := &Archive{Dir: dir}
	runs, err := a.Check(ctx)
	if err != nil {
		return err
	}
	s, err := Show(out, "listen", o, a)
	if err != nil {
		return err
	}
	defer s.Close()
	out.Line("%s of %s; Ctrl-C ends it", progress.Plural(runs, "file"), dir)
	<-ctx.Done()
	return nil
}
