package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/normalizer"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/registry"
)

// sources are the kinds of data.
var sources = []string{"digits", "idx", "csv", "libsvm", "dl4j", "sql"}

// openData opens what a flag names as data, by the names of a schema; nil takes it by position. Without a
// workplace, all of it is this machine's.
func openData(ctx context.Context, w *workplace, flag, spec string, as *data.Schema) (source.Source, error) {
	if err := checkSource(w, flag, spec); err != nil {
		return nil, err
	}
	kind, rest, _ := strings.Cut(spec, ":")
	if fromStdin(spec) {
		return nil, usagef("--%s %s: standard input can be read once, and this goes through the data more than once: name a file", flag, spec)
	}
	var s source.Source
	var err error
	switch {
	case kind == "sql":
		s, err = openQuery(ctx, w, rest, as)
	case kind == "dl4j" && w.cluster():
		s, err = openClusterFiles(ctx, w, rest)
	case kind == "libsvm" && clusterLibSVM(w, rest):
		s, err = openClusterLibSVM(ctx, w, rest, as)
	default:
		s, err = unlessOver(ctx, func() (source.Source, error) { return source.OpenAs(ctx, spec, as) })
	}
	if err == nil {
		if e := as.SameClasses(s.Info().LabelNames); e != nil {
			err = &source.MismatchError{Err: fmt.Errorf("data source %s: %w", spec, e)}
		}
	}
	if err != nil {
		return nil, explainData(flag, err)
	}
	return s, nil
}

// checkSource refuses what is no kind of data, and a query where there is no cluster.
func checkSource(w *workplace, flag, spec string) error {
	kind, _, _ := strings.Cut(spec, ":")
	if !slices.Contains(sources, kind) {
		return usagef("--%s %q: data is digits, digits:train, digits:test, idx:IMAGES,LABELS, "+
			"csv:FILE?label=COLUMN&classes=N, libsvm:FILE?features=N&classes=N, dl4j:FILE-OR-DIRECTORY or sql:QUERY%s", flag, spec, meant(spec, kind))
	}
	if kind == "sql" && !w.cluster() {
		on := "this command reads data on this machine"
		if w != nil {
			on = "--master " + w.flags.master + " has no tables"
		}
		return usagef("--%s: sql: is a query for a Spark cluster, --master sc://HOST:PORT: %s", flag, on)
	}
	return nil
}

// unlessOver opens data on this machine, unless ctx ends before. Then nobody waits for what is still read: the program ends.
func unlessOver(ctx context.Context, open func() (source.Source, error)) (source.Source, error) {
	type opened struct {
		source.Source
		err error
	}
	done := make(chan opened, 1)
	go func() {
		s, err := open()
		done <- opened{s, err}
	}()
	select {
	case o := <-done:
		return o.Source, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// meant names the source that a text may have meant: a file by its ending, or a kind that is spelled like it.
func meant(spec, kind string) string {
	file, _, _ := strings.Cut(spec, "?")
	switch strings.ToLower(path.Ext(file)) {
	case ".bin":
		return "; did you mean dl4j:" + spec + "?"
	case ".csv", ".tsv":
		return "; did you mean csv:" + spec + "?"
	case ".libsvm", ".svm":
		return "; did you mean libsvm:" + spec + "?"
	}
	if info, err := os.Stat(spec); err == nil && info.IsDir() {
		return "; did you mean dl4j:" + spec + "?"
	}
	return registry.SuggestWord(kind, sources)
}

// explainData makes a mistake in the command line of a text that names no data.
func explainData(flag string, err error) error {
	err = fmt.Errorf("--%s: %w", flag, err)
	var wrong *source.SpecError
	if other := (*source.MismatchError)(nil); errors.As(err, &other) {
		return fmt.Errorf("%w; --by-position takes columns and classes by position", err)
	}
	if errors.As(err, &wrong) {
		return &usageError{err}
	}
	return err
}

// examine checks that data fits the network, before anything is done with it: of saved DataSets every file is read and
// looked through for numbers that are not finite; tables were when they were opened, and their examples are alike.
func examine(ctx context.Context, flag string, s source.Source, net *network, norm normalizer.Normalizer, labels bool) error {
	if c, ok := s.(interface {
		examine(flag string, net *network, norm normalizer.Normalizer, labels bool) error
	}); ok {
		return c.examine(flag, net, norm, labels)
	}
	objects := 1
	saved, ok := s.(*source.Saved)
	if ok {
		objects = saved.Objects()
	}
	for i := range objects {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		place := s.Info().Name
		if ok {
			place = saved.Paths()[i]
		}
		m, err := s.Object(i)
		if err != nil {
			return fmt.Errorf("--%s: %w", flag, err)
		}
		if err := examineObject(m, net, norm, labels); err != nil {
			return fmt.Errorf("--%s: %s: %w", flag, place, err)
		}
	}
	return nil
}

func examineObject(m *data.MultiDataSet, net *network, norm normalizer.Normalizer, labels bool) error {
	if err := m.CheckFinite(); err != nil {
		return err
	}
	if labels && len(m.Labels) == 0 {
		return fmt.Errorf("there are no labels")
	}
	if !labels {
		m.Labels, m.LabelMasks = nil, nil
	}
	if norm != nil {
		if err := norm.Transform(m); err != nil {
			return err
		}
	}
	if err := net.Check(m); err != nil {
		return fmt.Errorf("the data does not fit the network %s: %w", net.title, err)
	}
	return nil
}
