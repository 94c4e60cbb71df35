package mlflow

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"github.com/dl4go/dl4go/internal/onnx"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
	"github.com/dl4go/dl4go/train"
)

// model is the run's model in MLflow's form: a directory with MLmodel, an input example, the model zip and, if ONNX
// can express it, the model as ONNX, which MLflow's pyfunc runs.
type model struct {
	path            string // of the model zip
	inputs, outputs []*tensor.Dense
	sent            map[string]bool
	onnx            []byte
}

// modelDir is the directory of the artifact.
const modelDir = "model"

// describe takes an example for the signature; without an example, the model has no signature.
func describe(p train.Progress) *model {
	m := &model{path: p.Model, sent: map[string]bool{}}
	if e, err := p.Example(); err == nil && e.Examples() > 0 {
		m.inputs, m.outputs = e.Features, e.Labels
	}
	return m
}

// send sends the files that the server lacks.
func (m *model) send(ctx context.Context, r *recording) error {
	if m.onnx == nil {
		m.onnx = m.asONNX(ctx)
	}
	if len(m.onnx) > 0 {
		if err := m.put(ctx, r, "model.onnx", bytes.NewReader(m.onnx), int64(len(m.onnx))); err != nil {
			return err
		}
	}
	if example := m.example(); example != nil {
		for name, text := range map[string]string{"input_example.json": string(example),
			"serving_input_example.json": `{"inputs":` + string(example) + "}"} {
			if err := m.put(ctx, r, name, strings.NewReader(text), int64(len(text))); err != nil {
				return err
			}
		}
	}
	in, err := storage.Open(ctx, m.path)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := m.put(ctx, r, "model.zip", in, in.Size()); err != nil {
		return err
	}
	text := m.mlmodel(r)
	if err := m.put(ctx, r, "MLmodel", strings.NewReader(text), int64(len(text))); err != nil {
		return err
	}
	return r.logged(ctx, m)
}

// asONNX returns the model as ONNX; empty if that is not possible.
func (m *model) asONNX(ctx context.Context) []byte {
	net, err := nn.LoadNetwork(ctx, m.path)
	if err != nil {
		return []byte{}
	}
	defer net.Close()
	var o onnx.Options
	for _, x := range m.inputs {
		o.InputShapes = append(o.InputShapes, x.Shape[1:])
	}
	var b bytes.Buffer
	if err := onnx.Write(&b, net, o); err != nil {
		return []byte{}
	}
	return b.Bytes()
}

// put sends a file of the model, unless the server has it.
func (m *model) put(ctx context.Context, r *recording, name string, content io.Reader, size int64) error {
	if m.sent[name] {
		return nil
	}
	if err := r.artifact(ctx, modelDir+"/"+name, content, size); err != nil {
		return fmt.Errorf("the model's %s: %w", name, err)
	}
	m.sent[name] = true
	return nil
}

// artifact stores a file of the run: through the server, or at the server's artifact location.
func (r *recording) artifact(ctx context.Context, name string, content io.Reader, size int64) error {
	at, err := url.Parse(r.artifacts)
	if err != nil {
		return fmt.Errorf("the server's artifact location: %w", err)
	}
	content = &counted{content, r.progress}
	switch at.Scheme {
	case "mlflow-artifacts":
		path := "api/2.0/mlflow-artifacts/artifacts" + at.Path + "/" + name
		_, err = r.send(ctx, "PUT", path, nil, content, size)
		return err
	case "", "file", "s3", "hdfs":
		to := storage.Join(r.artifacts, name)
		if err := storage.MkdirAll(ctx, to[:strings.LastIndex(to, "/")]); err != nil {
			return err
		}
		return storage.WriteFile(ctx, to, func(w io.Writer) error { _, err := io.Copy(w, content); return err })
	}
	return fmt.Errorf("the server keeps artifacts at %s, where dl4go can't write; start it with --serve-artifacts",
		at.Scheme)
}

// counted is a reader that reports each piece that is read.
type counted struct {
	io.Reader
	read func()
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.read()
	return n, err
}

// logged reports the model to the server, so that its page shows the model.
func (r *recording) logged(ctx context.Context, m *model) error {
	flavors := map[string]any{"dl4go": map[string]string{"data": "model.zip"}}
	if len(m.onnx) > 0 {
		flavors["onnx"] = map[string]string{"data": "model.onnx"}
	}
	text, err := json.Marshal([]any{map[string]any{"run_id": r.id, "artifact_path": modelDir, "flavors": flavors,
		"utc_time_created": now().Format(created), "model_uuid": r.uuid()}})
	if err != nil {
		return err
	}
	return r.call(ctx, "POST", "runs/set-tag", nil, map[string]any{"run_id": r.id, "key": "mlflow.log-model.history",
		"value": string(text)}, nil)
}

// created is MLflow's format of times.
const created = "2006-01-02 15:04:05.000000"

func now() time.Time { return time.Now().UTC() }

// uuid returns the model's UUID, which is always the same for a run.
func (r *recording) uuid() string {
	sum := sha256.Sum256([]byte("model of " + r.id))
	return hex.EncodeToString(sum[:16])
}

// mlmodel returns the text of MLmodel, which is YAML. Its strings are in JSON's form, which YAML allows.
func (m *model) mlmodel(r *recording) string {
	var b strings.Builder
	fmt.Fprintf(&b, "artifact_path: %s\nflavors:\n", modelDir)
	if len(m.onnx) > 0 {
		b.WriteString("  onnx:\n    data: model.onnx\n    providers: [CPUExecutionProvider]\n" +
			"  python_function:\n    data: model.onnx\n    loader_module: mlflow.onnx\n")
	}
	fmt.Fprintf(&b, "  dl4go:\n    data: model.zip\n    dl4go_version: %s\n", quote(version()))
	fmt.Fprintf(&b, "model_uuid: %s\nrun_id: %s\nutc_time_created: %s\n", r.uuid(), quote(r.id),
		quote(now().Format(created)))
	if m.inputs == nil {
		return b.String()
	}
	fmt.Fprintf(&b, "saved_input_example_info:\n  artifact_path: input_example.json\n  type: ndarray\n"+
		"  serving_input_path: serving_input_example.json\nsignature:\n  inputs: %s\n", quote(signature(m.inputs)))
	if len(m.outputs) > 0 {
		fmt.Fprintf(&b, "  outputs: %s\n", quote(signature(m.outputs)))
	}
	b.WriteString("  params: null\n")
	return b.String()
}

func quote(text string) string {
	b, _ := json.Marshal(text) // a string always has a JSON form
	return string(b)
}

// version returns the version of this program.
func version() string {
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" {
		return b.Main.Version
	}
	return "unknown"
}

// signature describes tensors with an open first dimension. If there are several, they have the names of ONNX's
// inputs.
func signature(all []*tensor.Dense) string {
	type spec struct {
		Type string `json:"dtype"`
		Dims []int  `json:"shape"`
	}
	type column struct {
		Name string `json:"name,omitempty"`
		Type string `json:"type"`
		Spec spec   `json:"tensor-spec"`
	}
	var list []column
	for i, x := range all {
		c := column{Type: "tensor", Spec: spec{"float32", append([]int{-1}, x.Shape[1:]...)}}
		if len(all) > 1 {
			c.Name = fmt.Sprintf("input%d", i)
		}
		list = append(list, c)
	}
	b, _ := json.Marshal(list)
	return string(b)
}

// example returns the input example; nil if there is none.
func (m *model) example() []byte {
	if m.inputs == nil {
		return nil
	}
	var all any = nested(m.inputs[0].Data, m.inputs[0].Shape)
	if len(m.inputs) > 1 {
		byName := map[string]any{}
		for i, x := range m.inputs {
			byName[fmt.Sprintf("input%d", i)] = nested(x.Data, x.Shape)
		}
		all = byName
	}
	b, err := json.Marshal(all)
	if err != nil { // a value is not finite
		return nil
	}
	return b
}

// nested returns an array as nested lists for JSON.
func nested(data []float32, shape []int) any {
	if len(shape) <= 1 {
		return data
	}
	rows, size := make([]any, shape[0]), len(data)/max(1, shape[0])
	for i := range rows {
		rows[i] = nested(data[i*size:(i+1)*size], shape[1:])
	}
	return rows
}
