package worker

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
)

type jobConfig struct{ Starts []int }

var jobStep = engine.Register("worker_test.jobtext",
	func(*engine.Task, jobConfig, engine.Rows, engine.Writer) error { return nil })

// TestJobTexts checks that broadcasts, and a step's configuration with a number for each partition, are written once
// and not once per partition.
func TestJobTexts(t *testing.T) {
	const partitions = 2000
	step := jobStep.With(jobConfig{make([]int, partitions)})
	files, sums := map[engine.BroadcastID]string{}, map[engine.BroadcastID]Sum{}
	for i := range 20 {
		id := engine.BroadcastID(fmt.Sprintf("broadcast%d", i))
		files[id], sums[id] = "./*/"+string(id), Sum{1 << 20, 0x89abcdef}
	}
	var texts JobTexts
	var want []Task
	for p := range partitions {
		other := jobStep.With(jobConfig{}) // equal each time, though made again
		task := Task{Job: "j", Threads: 1, Deadline: time.Minute, Answer: p%2 == 0, Broadcasts: files, Sums: sums,
			Heartbeat: json.RawMessage(`{"a":1}`), Output: &p, Links: []Link{{Partition: p, Index: &Range{0, int64(p)}},
				{Partition: p, Step: &step}, {Step: &other}}}
		if p == 7 {
			task.Links = task.Links[:1]
		}
		want = append(want, task)
		if err := texts.Add(task); err != nil {
			t.Fatal(err)
		}
	}
	shared, own, err := texts.Texts()
	if err != nil || len(own) != partitions {
		t.Fatalf("%d texts, %v", len(own), err)
	}
	if all := len(shared) + len(strings.Join(own, "")); all > 400*partitions {
		t.Errorf("%d partitions' tasks have %d bytes", partitions, all)
	}
	for p, text := range own {
		b, err := base64.StdEncoding.DecodeString(shared + text)
		if err != nil {
			t.Fatal(err)
		}
		var got Task
		if err := ReadJob(b, &got); err != nil {
			t.Fatal(err)
		}
		got.Steps = nil
		if !reflect.DeepEqual(got, want[p]) {
			t.Fatalf("task %d reads as %+v, wanted %+v", p, got, want[p])
		}
	}
}

func TestDamagedJobText(t *testing.T) {
	for _, text := range []string{"", "{", `{"links":[{"shared":1}]}`, `{"links":[{"shared":-1}]}`, `{} {} {}`, `{} x`} {
		if err := ReadJob([]byte(text), new(Task)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}
