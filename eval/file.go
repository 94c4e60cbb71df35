package eval

import (
	"context"
	"fmt"
	"io"
	"reflect"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/storage"
)

// Save writes e to a file, in Deeplearning4j's JSON (toJson). The path may be a URL: see package storage. An exact
// ROC's JSON has its curves, but not its examples. [Write] is the same for a stream.
func Save(ctx context.Context, path string, e Evaluator) error {
	return storage.WriteFile(ctx, path, func(w io.Writer) error { return Write(w, e) })
}

// Load reads a file that Save or Deeplearning4j's toJson wrote: an evaluation of the kind E, such as *Evaluation or
// *ROC, or of any kind if E is Evaluator. If the file has another kind, the error names both. The path may be a URL.
func Load[E Evaluator](ctx context.Context, path string) (E, error) {
	var none E
	b, err := storage.ReadFile(ctx, path)
	if err != nil {
		return none, err
	}
	any, err := Unmarshal(b)
	if err != nil {
		return none, dl4j.In(err, path, "")
	}
	e, ok := any.(E)
	if !ok {
		return none, fmt.Errorf("%s holds an evaluation of the kind %s: %s was asked for", path,
			kindOf(reflect.TypeOf(any)), kindOf(reflect.TypeFor[E]()))
	}
	return e, nil
}

func kindOf(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}
