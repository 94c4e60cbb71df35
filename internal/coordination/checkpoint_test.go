package coordination

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
)

func TestCheckpointReadsBack(t *testing.T) {
	job := JobID{3}
	for _, k := range []*Checkpoint{
		{Position: 300, Epoch: 2, Open: true, Partitions: []Progress{{true, 10, 3}, {}}, Lives: []Life{{1, Peer{0, 2}, 99}},
			Params: []byte("params"), State: []byte("state")},
		{Params: []byte{}},
		{Params: []byte("params"), State: []byte("state"), Reports: []byte("reports")},
		{Params: []byte("params"), Reports: []byte{}},
	} {
		b := k.Append(nil, job)
		got, err := ReadCheckpoint(b, job)
		if err != nil || !reflect.DeepEqual(got, k) {
			t.Errorf("%+v reads back as %+v, %v", k, got, err)
		}
		var wrong *FormatError
		if _, err := ReadCheckpoint(b, JobID{}); !errors.As(err, &wrong) {
			t.Errorf("of another job: %v", err)
		}
		for i := range b {
			c := bytes.Clone(b)
			c[i] ^= 0x41
			if _, err := ReadCheckpoint(c, job); !errors.As(err, &wrong) {
				t.Errorf("byte %d changed: %v", i, err)
			}
			if _, err := ReadCheckpoint(b[:i], job); !errors.As(err, &wrong) {
				t.Errorf("cut to %d bytes: %v", i, err)
			}
		}
	}
}

// TestCheckpointOfAnother checks that a coordinator refuses a checkpoint that doesn't fit its run.
func TestCheckpointOfAnother(t *testing.T) {
	for _, k := range []*Checkpoint{
		{Partitions: []Progress{{true, 10, 3}}},
		{Partitions: []Progress{{true, 10, 11}, {}}},
	} {
		if _, err := NewCoordinator(Config{Partitions: 2}, nil, k); err == nil {
			t.Errorf("%+v is taken", k)
		}
	}
}

func TestConfig(t *testing.T) {
	short := DefaultTiming()
	short.Silence = short.Quiet / 2
	none := DefaultTiming()
	none.Step = 0
	for _, c := range []Config{{}, {Partitions: 1 << 20}, {Partitions: 1, Mode: 7}, {Partitions: 1, Min: 3},
		{Partitions: 1, Lead: -1}, {Partitions: 1, Timing: short}, {Partitions: 1, Timing: none}} {
		if _, err := NewCoordinator(c, nil, nil); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
	if _, err := NewWorker(WorkerConfig{}, nil); err == nil {
		t.Error("a worker without partitions is taken")
	}
}
