//go:build linux && (amd64 || arm64)

// Package device is the device process: it answers the requests of package wire by calling a PJRT plugin. Arrays and
// compiled programs stay on the device until they are freed.
package device

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/internal/xla/pjrt"
	"github.com/dl4go/dl4go/internal/xla/wire"
)

// server holds the objects on the device. It serves one client, one request at a time.
type server struct {
	memory   *wire.Memory
	plugin   *pjrt.Plugin
	client   *pjrt.Client
	cache    cache
	platform string
	programs map[int]*pjrt.Executable
	buffers  map[int]pjrt.Buffer
	args     []pjrt.Buffer
	waits    []func() error
}

// Serve answers requests until they end. memory is shared by both sides.
func Serve(requests io.Reader, answers io.Writer, memory *wire.Memory) error {
	s := &server{memory: memory, programs: map[int]*pjrt.Executable{}, buffers: map[int]pjrt.Buffer{}}
	in, out := json.NewDecoder(requests), json.NewEncoder(answers)
	for {
		var r wire.Request
		if err := in.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("a request is not a message: %w", err)
		}
		a := &wire.Answer{}
		if err := s.answer(&r, a); err != nil {
			*a = failure(&r, err)
		}
		if err := out.Encode(a); err != nil {
			return err
		}
	}
}

// failure is the answer to a request that failed. A program that cannot be compiled says nothing about the device.
func failure(r *wire.Request, err error) wire.Answer {
	a := wire.Answer{Error: err.Error()}
	var p *pjrt.Error
	if errors.As(err, &p) {
		a.Exhausted, a.Lost = p.Code == pjrt.ResourceExhausted, p.Fault() && r.Compile == nil && r.Open == nil
	}
	return a
}

func (s *server) answer(r *wire.Request, a *wire.Answer) error {
	switch {
	case r.Open != nil:
		return s.open(r.Open, a)
	case s.client == nil:
		return errors.New("no plugin is open")
	case r.Compile != nil:
		return s.compile(r.Compile, a)
	case len(r.Put) > 0:
		return s.finish(s.put(r.Put))
	case len(r.Get) > 0:
		return s.finish(s.get(r.Get))
	case r.Run != nil:
		return s.run(r.Run)
	case r.Free != nil:
		s.free(r.Free)
		return nil
	}
	return errors.New("a request asks for nothing")
}

func (s *server) open(o *wire.Open, a *wire.Answer) error {
	if o.Version != wire.Version {
		return fmt.Errorf("dl4go-xla speaks version %d of its protocol, dl4go speaks %d: both must be of one release",
			wire.Version, o.Version)
	}
	p, err := pjrt.Load(o.Plugin)
	if err != nil {
		return fmt.Errorf("%s: %w", o.Plugin, err)
	}
	c, err := connect(p, o)
	if err != nil {
		return fmt.Errorf("%s: %w", o.Plugin, err)
	}
	name, version, err := c.Platform()
	if err != nil {
		return err
	}
	s.plugin, s.client, s.platform = p, c, name
	a.Opened = &wire.Opened{Platform: name, PlatformVersion: version,
		Interface: fmt.Sprintf("%d.%d", pjrt.Major, p.Minor)}
	for i := range c.Devices() {
		d := wire.Device{Hardware: c.Hardware(i)}
		d.Kind, err = c.Kind(i)
		if err != nil {
			return err
		}
		d.Used, d.Limit = c.Memory(i)
		a.Opened.Devices = append(a.Opened.Devices, d)
	}
	s.cache, err = newCache(o.Cache, o.Plugin, version+a.Opened.Devices[0].Kind)
	return err
}

// connect connects to the devices. A GPU's plugin takes a fraction of the memory as its limit. If the limit is given
// in bytes, a first client asks for the total.
func connect(p *pjrt.Plugin, o *wire.Open) (*pjrt.Client, error) {
	if !o.GPU {
		return pjrt.NewClient(p)
	}
	const usual = 0.9
	part := o.Part
	if part == 0 {
		part = usual
	}
	limited := func(part float64) (*pjrt.Client, error) {
		return pjrt.NewClient(p, pjrt.Option{Name: "memory_fraction", Value: float32(part)},
			pjrt.Option{Name: "preallocate", Value: false})
	}
	c, err := limited(part)
	if err != nil || o.Bytes == 0 {
		return c, err
	}
	_, limit := c.Memory(0)
	if limit <= o.Bytes { // also if the plugin does not report it
		return c, nil
	}
	if err := c.Close(); err != nil {
		return nil, err
	}
	return limited(part * float64(o.Bytes) / float64(limit))
}

// options returns XLA's settings for a platform. On GPUs they exclude operations whose results depend on the order of
// threads.
func (s *server) options() pjrt.CompileOptions {
	if s.platform == "cpu" {
		return pjrt.CompileOptions{}
	}
	return pjrt.CompileOptions{Bools: map[string]bool{"xla_gpu_deterministic_ops": true}}
}

func (s *server) compile(c *wire.Compile, a *wire.Answer) error {
	x, cached := s.cache.load(s.client, c.Module)
	if x == nil {
		var err error
		if x, err = s.client.Compile([]byte(c.Module), 0, s.options()); err != nil {
			return err
		}
		s.cache.store(x, c.Module)
	}
	if x.Outputs() != c.Results {
		x.Close()
		return fmt.Errorf("the compiled program has %d results, %d were expected", x.Outputs(), c.Results)
	}
	if old := s.programs[c.ID]; old != nil {
		old.Close()
	}
	s.programs[c.ID] = x
	a.Compiled = &wire.Compiled{Cached: cached, Memory: x.Memory()}
	return nil
}

// put starts the transfers of arrays to the device.
func (s *server) put(list []wire.Array) error {
	if err := s.maps(list); err != nil {
		return err
	}
	for i := range list {
		b, wait, err := s.upload(&list[i])
		if err != nil {
			return err
		}
		s.replace(list[i].Buffer, b)
		s.waits = append(s.waits, wait)
	}
	return nil
}

// get starts the transfers of arrays from the device.
func (s *server) get(list []wire.Array) error {
	if err := s.maps(list); err != nil {
		return err
	}
	for i := range list {
		b, there := s.buffers[list[i].Buffer]
		if !there {
			return fmt.Errorf("there is no buffer %d", list[i].Buffer)
		}
		wait, err := s.download(b, &list[i])
		if err != nil {
			return err
		}
		s.waits = append(s.waits, wait)
	}
	return nil
}

// maps maps the shared memory of arrays before their transfers begin: mapping more of it later would move it.
func (s *server) maps(lists ...[]wire.Array) error {
	_, err := s.memory.Bytes(0, wire.Shared(lists...))
	return err
}

// finish waits for all transfers, also after an error: then the memory is in use no more.
func (s *server) finish(err error) error {
	for _, wait := range s.waits {
		if e := wait(); err == nil {
			err = e
		}
	}
	s.waits = s.waits[:0]
	return err
}

func (s *server) upload(p *wire.Array) (pjrt.Buffer, func() error, error) {
	data, err := s.memory.Bytes(p.Offset, 4*p.Elements)
	if err != nil {
		return 0, nil, err
	}
	return s.client.Upload(0, data, kindOf(p))
}

func kindOf(p *wire.Array) pjrt.Type {
	if p.Unsigned {
		return pjrt.Uint32
	}
	return pjrt.Float32
}

func (s *server) download(b pjrt.Buffer, to *wire.Array) (func() error, error) {
	data, err := s.memory.Bytes(to.Offset, 4*to.Elements)
	if err != nil {
		return nil, err
	}
	return s.client.Download(b, data)
}

// replace frees the buffer with a number and stores another one under it.
func (s *server) replace(id int, b pjrt.Buffer) {
	if old, there := s.buffers[id]; there {
		s.client.Free(old)
	}
	s.buffers[id] = b
}

func (s *server) run(r *wire.Run) (err error) {
	x := s.programs[r.ID]
	if x == nil {
		return fmt.Errorf("there is no program %d", r.ID)
	}
	if err := s.maps(r.Args, r.Results); err != nil {
		return err
	}
	s.args = s.args[:0]
	for _, id := range r.Buffers {
		b, there := s.buffers[id]
		if !there {
			return fmt.Errorf("there is no buffer %d", id)
		}
		s.args = append(s.args, b)
	}
	defer func() {
		err = s.finish(err)
		for _, b := range s.args[min(len(s.args), len(r.Buffers)):] {
			s.client.Free(b)
		}
	}()
	for i := range r.Args {
		b, err := s.argument(&r.Args[i])
		if err != nil {
			return err
		}
		s.args = append(s.args, b)
	}
	results, err := x.Run(s.args)
	if err != nil {
		return err
	}
	s.waits = append(s.waits, x.Wait)
	return s.take(r, results)
}

// argument makes an array a buffer for one run. A plugin for the processor reads it where it is.
func (s *server) argument(p *wire.Array) (pjrt.Buffer, error) {
	if s.platform != "cpu" {
		b, wait, err := s.upload(p)
		if err == nil {
			s.waits = append(s.waits, wait)
		}
		return b, err
	}
	data, err := s.memory.Bytes(p.Offset, 4*p.Elements)
	if err != nil {
		return 0, err
	}
	return s.client.Lend(0, data, kindOf(p))
}

// take keeps the results of a run.
func (s *server) take(r *wire.Run, results []pjrt.Buffer) error {
	for i, id := range r.Replace {
		s.replace(id, results[i])
	}
	rest := results[len(r.Replace):]
	defer func() {
		for _, b := range rest {
			s.client.Free(b)
		}
	}()
	for i := range r.Results {
		if r.Results[i].Elements == 0 {
			continue
		}
		wait, err := s.download(rest[i], &r.Results[i])
		if err != nil {
			return err
		}
		s.waits = append(s.waits, wait)
	}
	return s.finish(nil)
}

func (s *server) free(f *wire.Free) {
	for _, id := range f.Buffers {
		if b, there := s.buffers[id]; there {
			s.client.Free(b)
			delete(s.buffers, id)
		}
	}
	for _, id := range f.Programs {
		if x := s.programs[id]; x != nil {
			x.Close()
			delete(s.programs, id)
		}
	}
}
