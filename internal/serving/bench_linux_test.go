package serving

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/serve"
)

// BenchmarkHTTP requests predictions for one row at a time from a server on loopback, over one connection, with the
// perceptron 784-500-10. The row is in JSON or in binary form. It reports the median and the 99th percentile of the
// request times, and the processor time of a request, including the client's.
func BenchmarkHTTP(b *testing.B) {
	perceptron := must(nn.New(nn.Configuration{InputType: inputtype.FeedForward(784), Layers: []layer.Layer{
		layer.Dense{NOut: 500, Activation: activation.ReLU{}},
		layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}}))
	defer perceptron.Close()
	path := filepath.Join(b.TempDir(), "m.zip")
	if err := perceptron.Save(b.Context(), path, nn.SaveOptions{}); err != nil {
		b.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	models := must(OpenRepository(b.Context(), []Spec{{"m", "1", path}}, serve.Options{}, quiet))
	defer models.Close()
	server := must(Listen(models, Options{HTTP: "127.0.0.1:0", Log: quiet, Timeout: time.Minute, MaxRequest: 1 << 20,
		MaxHeld: 1 << 30, Drain: time.Minute}))
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	address, _ := server.Addresses()
	x := make([]float32, 784)
	for i := range x {
		x[i] = float32(i%256) / 255
	}
	b.Run("JSON", func(b *testing.B) { requests(b, address, questionOf(x, "", nil)) })
	raw := toBytes(nil, x)
	b.Run("binary", func(b *testing.B) {
		requests(b, address, questionOf(x, fmt.Sprintf(`,"parameters":{"binary_data_size":%d}`, len(raw)), raw))
	})
	cancel()
	if err := <-ended; err != nil {
		b.Error(err)
	}
}

// questionOf returns a whole request about a row: in JSON, or in binary form with the parameters for that.
func questionOf(x []float32, parameters string, raw []byte) []byte {
	list := fmt.Sprintf(`,"data":%s`, must(json.Marshal(x)))
	outputs := ""
	if raw != nil {
		list, outputs = "", `,"parameters":{"binary_data_output":true}`
	}
	text := fmt.Sprintf(`{"inputs":[{"name":"input","shape":[1,%d],"datatype":"FP32"%s%s}]%s}`, len(x), parameters, list,
		outputs)
	head := ""
	if raw != nil {
		head = fmt.Sprintf("%s: %d\r\n", lengthHeader, len(text))
	}
	return fmt.Appendf(nil, "POST /v2/models/m/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n%s\r\n%s%s",
		len(text)+len(raw), head, text, raw)
}

// requests sends a request repeatedly.
func requests(b *testing.B, address string, request []byte) {
	c := must(net.Dial("tcp", address))
	defer c.Close()
	from := bufio.NewReader(c)
	ask := func() {
		if _, err := c.Write(request); err != nil {
			b.Fatal(err)
		}
		r, err := http.ReadResponse(from, nil)
		if err != nil {
			b.Fatal(err)
		}
		body := must(io.ReadAll(r.Body))
		if r.StatusCode != http.StatusOK || !bytes.Contains(body, []byte(`"output"`)) {
			b.Fatalf("%s: %s", r.Status, body)
		}
	}
	for range 100 {
		ask()
	}
	var times []time.Duration
	before := processorTime()
	for b.Loop() {
		begin := time.Now()
		ask()
		times = append(times, time.Since(begin))
	}
	took := processorTime() - before
	slices.Sort(times)
	micros := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
	b.ReportMetric(micros(times[len(times)/2]), "µs-p50")
	b.ReportMetric(micros(times[len(times)*99/100]), "µs-p99")
	b.ReportMetric(micros(took)/float64(len(times)), "cpu-µs/op")
}

// processorTime returns the processor time of this process.
func processorTime() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		panic(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
