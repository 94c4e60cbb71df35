package serving

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"strconv"
)

// lengthHeader has the length of a body's JSON; the binary tensors follow it.
const lengthHeader = "Inference-Header-Content-Length"

// inferRequest is the JSON of an inference request.
type inferRequest struct {
	ID         string     `json:"id"`
	Parameters parameters `json:"parameters"`
	Inputs     []struct {
		Name       string          `json:"name"`
		Shape      []int64         `json:"shape"`
		Datatype   string          `json:"datatype"`
		Parameters parameters      `json:"parameters"`
		Data       json.RawMessage `json:"data"`
	} `json:"inputs"`
	Outputs []struct {
		Name       string     `json:"name"`
		Parameters parameters `json:"parameters"`
	} `json:"outputs"`
}

// parameters are the parameters of the binary extension.
type parameters struct {
	BinarySize   *int64 `json:"binary_data_size"`
	BinaryData   *bool  `json:"binary_data"`
	BinaryOutput bool   `json:"binary_data_output"`
}

// inferOutput is an output in the JSON of a reply.
type inferOutput struct {
	Name       string         `json:"name"`
	Shape      []int64        `json:"shape"`
	Datatype   string         `json:"datatype"`
	Parameters map[string]any `json:"parameters,omitempty"`
	Data       []float32      `json:"data,omitempty"`
}

type inferReply struct {
	ModelName    string        `json:"model_name"`
	ModelVersion string        `json:"model_version"`
	ID           string        `json:"id,omitempty"`
	Outputs      []inferOutput `json:"outputs"`
}

// infer handles POST …/infer.
func (s *rest) infer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		fail(w, err)
		return
	}
	in, question, err := readInfer(r.Header.Get(lengthHeader), body)
	if err != nil {
		fail(w, err)
		return
	}
	question.Model, question.Version = r.PathValue("model"), r.PathValue("version")
	reply, err := s.Infer(r.Context(), question)
	if err != nil {
		fail(w, err)
		return
	}
	if err := writeInfer(w, in, reply); err != nil {
		fail(w, err)
	}
}

// readInfer reads a body: JSON, followed by the binary inputs if the header has the length of the JSON.
func readInfer(header string, body []byte) (*inferRequest, Question, error) {
	var q Question
	text, rest := body, []byte(nil)
	if header != "" {
		n, err := strconv.Atoi(header)
		if err != nil || n < 0 || n > len(body) {
			return nil, q, badf("%s is %q, and the body has %d bytes", lengthHeader, header, len(body))
		}
		text, rest = body[:n], body[n:]
	}
	in := &inferRequest{}
	if err := json.Unmarshal(text, in); err != nil {
		return nil, q, badf("the request is no inference request in JSON: %w", err)
	}
	for _, t := range in.Inputs {
		x := Tensor{Name: t.Name, Shape: t.Shape}
		var err error
		if size := t.Parameters.BinarySize; size != nil {
			if *size < 0 || *size > int64(len(rest)) {
				return nil, q, badf("input %q: binary_data_size is %d, and %d bytes are left", t.Name, *size, len(rest))
			}
			x.Data, err = fromBytes(t.Name, t.Datatype, rest[:*size])
			rest = rest[*size:]
		} else {
			x.Data, err = fromJSON(t.Name, t.Datatype, t.Data)
		}
		if err != nil {
			return nil, q, err
		}
		q.Inputs = append(q.Inputs, x)
	}
	if len(rest) > 0 {
		return nil, q, badf("%d bytes follow the inputs; set binary_data_size of each", len(rest))
	}
	for _, o := range in.Outputs {
		q.Outputs = append(q.Outputs, o.Name)
	}
	return in, q, nil
}

// fromJSON reads numbers, in a flat or a nested list.
func fromJSON(name, datatype string, text []byte) ([]float32, error) {
	if sizeOf(datatype) == 0 {
		_, err := fromBytes(name, datatype, nil)
		return nil, err
	}
	var out []float32
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return out, nil
		}
		switch v := token.(type) {
		case json.Delim:
			if v == '[' || v == ']' {
				continue
			}
		case float64:
			out = append(out, float32(v))
			continue
		case bool:
			x := float32(0)
			if v {
				x = 1
			}
			out = append(out, x)
			continue
		}
		return nil, badf("input %q: the data is no list of numbers", name)
	}
}

// writeInfer writes a reply: JSON, followed by the outputs that were requested in binary form.
func writeInfer(w http.ResponseWriter, in *inferRequest, reply *Reply) error {
	binary := map[string]bool{}
	for _, o := range in.Outputs {
		binary[o.Name] = in.Parameters.BinaryOutput
		if o.Parameters.BinaryData != nil {
			binary[o.Name] = *o.Parameters.BinaryData
		}
	}
	out := inferReply{ModelName: reply.Model, ModelVersion: reply.Version, ID: in.ID}
	var raw []byte
	for _, t := range reply.Outputs {
		o := inferOutput{Name: t.Name, Shape: t.Shape, Datatype: "FP32"}
		if asked, named := binary[t.Name]; asked || !named && in.Parameters.BinaryOutput {
			o.Parameters = map[string]any{"binary_data_size": 4 * len(t.Data)}
			raw = toBytes(raw, t.Data)
		} else {
			for _, v := range t.Data {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
					return badf("output %q has %v, which JSON can't say; ask for binary data", t.Name, v)
				}
			}
			o.Data = t.Data
		}
		out.Outputs = append(out.Outputs, o)
	}
	text, err := json.Marshal(out)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	if raw != nil {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set(lengthHeader, strconv.Itoa(len(text)))
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(text)+len(raw)))
	_, _ = w.Write(append(text, raw...)) // the client is gone
	return nil
}
