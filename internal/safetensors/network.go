// Package safetensors writes the parameters of networks as safetensors files, and reads such files.
//
// Each parameter is a tensor with its name and shape in the summary: 0_W or dense_W. The header's metadata has the
// configuration, so that a file of [Write] is a complete network: see [Read]. The parameters of another file can be
// set in an existing network: see [ReadInto].
package safetensors

import (
	"encoding/base64"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/tensor"
)

// The keys of the metadata. All values are texts; normalizer is Base64.
const (
	formatKey        = "format" // "dl4go"
	configurationKey = "configuration"
	normalizerKey    = "normalizer"
	schemaKey        = "schema"
	pipelineKey      = "pipeline"
	labelsKey        = "labels"
)

// stateName is the tensor of the updaters' state, in the order of Deeplearning4j's files.
const stateName = "updaterState"

// Write writes a network: the parameters, the updaters' state, and in the metadata the configuration with iteration
// and epoch, the normalizer, the names and the pipeline.
func Write(w io.Writer, network nn.AnyNetwork) error {
	net := network.Base()
	metadata, err := metadataOf(net)
	if err != nil {
		return err
	}
	var arrays []array
	for _, p := range net.ParamTable() {
		data := net.Params()[p.Offset : p.Offset+p.Size]
		arrays = append(arrays, array{p.Key, p.Shape, func(i int) float32 { return data[placeOf(p, i)] }})
	}
	if state := net.UpdaterState(); len(state) > 0 {
		arrays = append(arrays, array{stateName, tensor.Shape{len(state)}, func(i int) float32 { return state[i] }})
	}
	return write(w, metadata, arrays)
}

// placeOf returns the place of element i, in C order, of a parameter.
func placeOf(p nn.ParamInfo, i int) int {
	if p.Order != 'f' {
		return i
	}
	place, stride := 0, p.Size
	for k := len(p.Shape) - 1; k >= 0; k-- {
		stride /= p.Shape[k]
		place += i % p.Shape[k] * stride
		i /= p.Shape[k]
	}
	return place
}

func metadataOf(net *nn.Network) (map[string]string, error) {
	text, err := net.Configuration()
	if err != nil {
		return nil, err
	}
	m := map[string]string{formatKey: "dl4go", configurationKey: string(text)}
	if b := net.Normalizer(); b != nil {
		m[normalizerKey] = base64.StdEncoding.EncodeToString(b)
	}
	if s := net.Schema(); s != nil {
		text, err := s.JSON()
		if err != nil {
			return nil, err
		}
		m[schemaKey] = string(text)
	}
	if steps, labels := net.Pipeline(); steps != nil {
		m[pipelineKey], m[labelsKey] = string(steps), string(labels)
	}
	return m, nil
}

// ErrNoConfiguration is the error of [Read] for a file that another program wrote.
var ErrNoConfiguration = errors.New("the file has parameters, but no configuration of a network")

// Read reads a file of [Write]. For another file the error is [ErrNoConfiguration], in a [dl4j.FormatError]. Other
// errors about the content are also FormatErrors.
func Read(r io.ReaderAt, size int64) (*nn.Network, error) {
	f, err := open(r, size)
	if err != nil {
		return nil, err
	}
	text, ok := f.metadata[configurationKey]
	if !ok {
		return nil, &dl4j.FormatError{Offset: 8, Err: ErrNoConfiguration}
	}
	held := 0
	for _, e := range f.entries {
		if e.name != stateName {
			held += e.shape.Size()
		}
	}
	// The configuration may ask for any number of parameters. Memory is allocated only for those that the file has.
	small, err := nn.Bind([]byte(text), make([]float32, held))
	if err != nil {
		return nil, f.inMetadata(configurationKey, err)
	}
	defer small.Close()
	if err := f.parameters(small); err != nil {
		return nil, err
	}
	net, err := nn.Replica([]byte(text))
	if err != nil {
		return nil, f.inMetadata(configurationKey, err)
	}
	if err := net.SetParams(small.Params()); err != nil {
		return nil, f.inMetadata(configurationKey, err)
	}
	if err := f.state(net); err != nil {
		return nil, err
	}
	return net, f.attach(net)
}

// ReadInto sets the parameters of a network from a file of any program, if the tensors' names and shapes fit. The
// updaters' state is set if the file has it. After an error the network is unchanged.
func ReadInto(network nn.AnyNetwork, r io.ReaderAt, size int64) error {
	net := network.Base()
	f, err := open(r, size)
	if err != nil {
		return err
	}
	whole := net.Copy()
	defer whole.Close()
	if err := f.parameters(whole); err != nil {
		return err
	}
	if err := f.state(whole); err != nil {
		return err
	}
	return net.Adopt(whole.Params(), whole.UpdaterState())
}

func (f *file) inMetadata(key string, err error) error {
	return &dl4j.FormatError{Offset: -1, At: "__metadata__." + key, Err: err}
}

// parameters reads the parameters into a network's vector.
func (f *file) parameters(net *nn.Network) error {
	table := net.ParamTable()
	left := map[string]bool{}
	for _, e := range f.entries {
		if e.name != stateName {
			left[e.name] = true
		}
	}
	for _, p := range table {
		i := slices.IndexFunc(f.entries, func(e entry) bool { return e.name == p.Key })
		if i < 0 {
			return failed(8, "there is no tensor %q, a parameter of the network; the tensors are %s", p.Key, f.names())
		}
		e := f.entries[i]
		if !e.shape.Equal(p.Shape) {
			return failed(8, "tensor %q has the shape %v: the parameter of that name has %v", e.name, e.shape, p.Shape)
		}
		data := net.Params()[p.Offset : p.Offset+p.Size]
		if err := f.each(e, func(i int, x float32) { data[placeOf(p, i)] = x }); err != nil {
			return err
		}
		delete(left, p.Key)
	}
	for _, e := range f.entries {
		if left[e.name] {
			return failed(8, "tensor %q is not a parameter of the network", e.name)
		}
	}
	return nil
}

func (f *file) names() string {
	var names []string
	for _, e := range f.entries {
		names = append(names, e.name)
	}
	return data.ShortList(names)
}

// state reads the updaters' state, if there is one.
func (f *file) state(net *nn.Network) error {
	i := slices.IndexFunc(f.entries, func(e entry) bool { return e.name == stateName })
	if i < 0 {
		return nil
	}
	state := net.UpdaterState()
	if e := f.entries[i]; !e.shape.Equal(tensor.Shape{len(state)}) {
		return failed(8, "tensor %q has the shape %v: the updaters of the network have a state of [%d]", stateName, e.shape,
			len(state))
	}
	return f.each(f.entries[i], func(i int, x float32) { state[i] = x })
}

// attach sets what a model file stores beside the network.
func (f *file) attach(net *nn.Network) error {
	if text, ok := f.metadata[normalizerKey]; ok {
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return f.inMetadata(normalizerKey, err)
		}
		net.SetNormalizer(b)
	}
	if text, ok := f.metadata[schemaKey]; ok {
		s, err := data.ParseSchema([]byte(text))
		if err == nil {
			err = net.SetSchema(s)
		}
		if err != nil {
			return f.inMetadata(schemaKey, err)
		}
	}
	if steps, ok := f.metadata[pipelineKey]; ok {
		if err := net.SetPipeline([]byte(steps), []byte(f.metadata[labelsKey])); err != nil {
			return f.inMetadata(pipelineKey, err)
		}
	}
	return nil
}

// Is reports whether a file that begins with head may be a safetensors file: a length, then a JSON object.
func Is(head []byte) bool {
	return len(head) > 8 && head[8] == '{' && strings.Trim(string(head[4:8]), "\x00") == ""
}
