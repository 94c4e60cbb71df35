package distributed

import (
	"context"
	"fmt"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
)

// OpenOptions are the settings of opening data for an engine.
type OpenOptions struct {
	source.Options
	// Count counts the examples when the data is opened. Those of a query are persisted at Level, unless that is
	// engine.None or empty.
	Count bool
	Level engine.StorageLevel
	// Partitions and PartitionRows are as in QueryOptions, for a query.
	Partitions, PartitionRows int
	// Busy, unless nil, is called when the workers begin a piece of work, with a description of it. The function that it
	// returns is called when the work is done.
	Busy func(what string) (done func())
}

// busy reports work that takes a while.
func (o OpenOptions) busy(what string) (done func()) {
	if o.Busy == nil {
		return func() {}
	}
	return o.Busy(what)
}

// EngineKind is a [source.Kind] whose data an engine opens, such as a query. Its Open fails, and says which engine is
// needed.
type EngineKind interface {
	source.Kind
	// OpenOn opens data on an engine. The result may be a [Spreader] and an io.Closer, which is closed before the
	// engine.
	OpenOn(ctx context.Context, e engine.Engine, n source.Name, o OpenOptions) (source.Source, error)
}

// NeedsEngine reports whether only an engine can open the named data, because its kind is an [EngineKind].
func NeedsEngine(n source.Name) bool {
	k, _ := source.KindOf(n.Kind)
	_, ok := k.(EngineKind)
	return ok
}

// OnCluster reports whether a cluster's workers read the named data instead of the driver.
func OnCluster(n source.Name) bool {
	k, _ := source.KindOf(n.Kind)
	reader, ok := k.(source.FileReader)
	return NeedsEngine(n) || ok && reader.ByWorkers(n)
}

// ByWorkers is [OnCluster] for data that may go through a pipeline. The pipeline then runs on the workers.
func ByWorkers(n source.Name, o source.Options) bool {
	if o.Preparation == nil {
		return OnCluster(n) || source.ArraysByWorkers(n, o) || source.PlainByWorkers(n, o)
	}
	return NeedsEngine(n) || RawByWorkers(n)
}

// Open opens data for an engine. On a cluster, the workers look through files of the cluster's own storage (see
// OnCluster). Any other data is opened in this process, as source.OpenName does.
func Open(ctx context.Context, e engine.Engine, n source.Name, o OpenOptions) (source.Source, error) {
	_, err := engine.TablesOf(e)
	if cluster := err == nil; !NeedsEngine(n) && !(cluster && ByWorkers(n, o.Options)) {
		return source.OpenName(ctx, n, o.Options)
	}
	s, err := openOn(ctx, e, n, o)
	if err == nil {
		err = source.CheckClasses(s, o.As)
	}
	if err != nil {
		return nil, fmt.Errorf("data source %s: %w", n, err)
	}
	return s, nil
}

func openOn(ctx context.Context, e engine.Engine, n source.Name, o OpenOptions) (source.Source, error) {
	if err := n.Check(o.Options); err != nil {
		return nil, err
	}
	if err := source.CheckPipeline(n, o.Options); err != nil {
		return nil, err
	}
	if o.Preparation != nil {
		return openPrepared(ctx, e, n, o)
	}
	if source.ArraysByWorkers(n, o.Options) {
		return openArrays(ctx, e, n, o)
	}
	if source.PlainByWorkers(n, o.Options) {
		return openPlain(ctx, e, n, o)
	}
	switch k, _ := source.KindOf(n.Kind); k := k.(type) {
	case EngineKind:
		return k.OpenOn(ctx, e, n, o)
	case source.FileReader:
		return openFiles(ctx, e, k, n, o)
	}
	return nil, fmt.Errorf("no engine opens it")
}
