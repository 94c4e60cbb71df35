package resident

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
)

// TestLossesWarnOnce checks that each loss is one warning, whether the engine, the coordinator or both notice it, in
// any order.
func TestLossesWarnOnce(t *testing.T) {
	for events, want := range map[string]string{
		"EC": "E", "CE": "C", "ECEC": "EE", "CECE": "CC", "ECCE": "EC", // two notices are one loss
		"CCC": "CCC", "EEE": "EEE", // the other does not notice
		"LE": "E", "LELE": "EE", // the worker said why it left
	} {
		var said strings.Builder
		j := &Job{plan: Plan{Name: "test", Lost: "it is replaced",
			Log: slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelWarn}))}}
		for _, e := range events {
			switch e {
			case 'E':
				j.failed(&engine.WorkerError{Worker: "a slot", Cause: errors.New("E")})
			default:
				j.log(coordination.Lost{Reason: "C", Left: e == 'L'})
			}
		}
		got := ""
		for line := range strings.Lines(said.String()) {
			if !strings.Contains(line, `msg="test: a worker is lost; it is replaced"`) {
				t.Errorf("%s: %s", events, line)
			}
			got += string(line[len(line)-2])
		}
		if got != want {
			t.Errorf("%s: warnings %s, wanted %s", events, got, want)
		}
	}
}
