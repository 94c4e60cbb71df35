package spark

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// TestCompile checks that Spark compiles a session's queries only while a job with many rows has any.
func TestCompile(t *testing.T) {
	f := startFake(t, "s")
	f.execute = func(*protocol.ExecutePlanRequest, func(*protocol.ExecutePlanResponse) error) error {
		return status.Error(codes.InvalidArgument, "this server has no views")
	}
	e := bareEngine(t)
	c := &carrier{engine: e.sessions, catalogue: catalogue{f.open(t, f.address())}}
	mode := func(when, want string) {
		t.Helper()
		f.mu.Lock()
		defer f.mu.Unlock()
		if got := f.settings[factoryMode]; got != want {
			t.Errorf("%s: %q, wanted %q", when, got, want)
		}
	}
	begin := func() *job { return &job{carrier: c, engine: e, ctx: t.Context()} }
	query := func(limit int) *job {
		j := begin()
		j.planner().selected(&selected{engine.Query{SQL: "SELECT 1", Limit: limit}, 1})
		return j
	}
	exchange := func(rows int) *job {
		j := begin()
		j.planner().exchanged(engine.Exchanged{Parent: engine.FromPlan(e, nil, 1),
			Assignment: engine.Assignment{Order: make([]int64, rows), Ends: []int{rows}}}, inBlocks)
		return j
	}
	query(10).interpret()
	exchange(compileRows - 1).interpret()
	mode("few rows", "")

	first := query(0)
	mode("a table", compiling)
	second := exchange(compileRows)
	first.interpret()
	first.interpret()
	mode("many rows", compiling)
	second.interpret()
	mode("all are over", interpreting)

	first, second = exchange(compileRows), begin()
	for range 2 {
		if err := second.compile(); err != nil {
			t.Fatal(err)
		}
	}
	first.interpret()
	mode("again", compiling)
	f.fail(status.Error(codes.InvalidArgument, "no settings"))
	second.interpret()
	if err := begin().compile(); err == nil {
		t.Error("no error from a server that refuses")
	}
	f.fail(nil)
	third := begin()
	if err := third.compile(); err != nil {
		t.Error(err)
	}
	third.interpret()
	mode("after failures", interpreting)
}
