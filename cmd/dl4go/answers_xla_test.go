//go:build xla

package main

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dl4go/dl4go/internal/near"
)

// array is an array of the Open Inference Protocol; in metadata it has only the shape.
type array struct {
	Name     string    `json:"name"`
	Datatype string    `json:"datatype"`
	Shape    []int     `json:"shape"`
	Data     []float32 `json:"data,omitempty"`
}

// messageOf is a message with inputs or outputs.
type messageOf struct {
	Inputs  []array `json:"inputs,omitempty"`
	Outputs []array `json:"outputs,omitempty"`
}

// sameAnswers compares the answers of two servers, given by their logs, for model m, with minibatches of different
// sizes.
func sameAnswers(t *testing.T) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, logs []string) {
		ready := askServer(t)
		say := func(log string, question *messageOf) (answer messageOf) {
			ready(ts, false, []string{log, "/v2/health/ready", "", "^200 "})
			text, err := os.ReadFile(ts.MkAbs(log))
			ts.Check(err)
			url, method, body := "http://"+string(listensAt.FindSubmatch(text)[1])+"/v2/models/m", http.MethodGet, []byte(nil)
			if question != nil {
				url, method = url+"/infer", http.MethodPost
				body, err = json.Marshal(question)
				ts.Check(err)
			}
			r, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
			ts.Check(err)
			reply, err := http.DefaultClient.Do(r)
			ts.Check(err)
			defer reply.Body.Close()
			if reply.StatusCode != http.StatusOK {
				ts.Fatalf("%s: %s", log, reply.Status)
			}
			ts.Check(json.NewDecoder(reply.Body).Decode(&answer))
			return answer
		}
		in := say(logs[0], nil).Inputs[0]
		size := 1
		for _, n := range in.Shape[1:] {
			size *= n
		}
		for _, rows := range []int{1, 7, 64} {
			in.Shape[0], in.Data = rows, make([]float32, rows*size)
			for i := range in.Data {
				in.Data[i] = float32(8 + 8*math.Sin(float64(i*i)))
			}
			question := &messageOf{Inputs: []array{in}}
			a, b := say(logs[0], question).Outputs[0], say(logs[1], question).Outputs[0]
			if len(a.Data) < rows || len(a.Data) != len(b.Data) {
				ts.Fatalf("%d rows have %d and %d outputs", rows, len(a.Data), len(b.Data))
			}
			ts.Check(near.All(a.Data, b.Data, 1e-5, 1e-4))
		}
	}
}
