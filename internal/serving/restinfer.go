package serving

import (
	"bytes"
	"encoding/json"
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
	body, err := bodyOf(r)
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

// bodyOf reads the body of a request, into a buffer that grows at most once for a usual body.
func bodyOf(r *http.Request) ([]byte, error) {
	const most = 64 << 10 // a client may announce more than it sends
	b := bytes.NewBuffer(make([]byte, 0, min(max(r.ContentLength, 0), most)+bytes.MinRead))
	_, err := b.ReadFrom(r.Body)
	return b.Bytes(), err
}

// readInfer parses a body: JSON, followed by binary inputs if the header tells the length of the JSON.
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
		return nil, q, badf("the request is not an inference request in JSON: %w", misfit(err))
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

// fromJSON parses numbers, in one list or in nested ones. The text is valid JSON.
func fromJSON(name, datatype string, text []byte) ([]float32, error) {
	if sizeOf(datatype) == 0 {
		_, err := fromBytes(name, datatype, nil)
		return nil, err
	}
	var out []float32
	if n := bytes.Count(text, []byte{','}); n > 0 {
		out = make([]float32, 0, n+1)
	}
	for begin := 0; begin < len(text); {
		end := begin
		for end < len(text) && !between(text[end]) {
			end++
		}
		if end > begin {
			x, ok := jsonNumber(string(text[begin:end]), datatype == "BOOL")
			if !ok {
				return nil, badf("input %q: the data is not a list of numbers, as %s wants", name, datatype)
			}
			out = append(out, x)
		}
		begin = end + 1
	}
	return out, nil
}

// between reports whether a byte may stand between the numbers of lists.
func between(c byte) bool {
	switch c {
	case ',', '[', ']', ' ', '\n', '\t', '\r':
		return true
	}
	return false
}

// jsonNumber parses a number in JSON or, with bools, true or false. The text is not empty.
func jsonNumber(text string, bools bool) (float32, bool) {
	switch {
	case bools && text == "true":
		return 1, true
	case bools && text == "false":
		return 0, true
	}
	if c := text[0]; c != '-' && (c < '0' || c > '9') { // ParseFloat accepts more than JSON
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return float32(x), err == nil
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
