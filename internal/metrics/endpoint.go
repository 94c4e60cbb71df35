package metrics

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/dl4go/dl4go/internal/console"
)

// Endpoint serves metrics at /metrics, including those of the process and of Go.
type Endpoint struct {
	*prometheus.Registry
	server   *http.Server
	listener net.Listener
}

// headerTimeout is how long a client may take for the header of its request.
const headerTimeout = 10 * time.Second

// Listen serves at an address, HOST:PORT, until Close. There is no authentication: metrics contain no data of
// examples.
func Listen(address string) (*Endpoint, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; choose another port, or end the program that listens there", address, err)
	}
	e := &Endpoint{Registry: prometheus.NewRegistry(), listener: l}
	e.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(e.Registry, promhttp.HandlerOpts{}))
	e.server = &http.Server{Handler: mux, ReadHeaderTimeout: headerTimeout, IdleTimeout: time.Minute}
	go e.server.Serve(l)
	return e, nil
}

// Show is [Listen] for the flag of a command, and shows the URL.
func Show(out *console.Output, address string) (*Endpoint, error) {
	e, err := Listen(address)
	if err != nil {
		return nil, fmt.Errorf("--metrics-address %w", err)
	}
	out.Line("metrics at http://%s/metrics", e.Address())
	return e, nil
}

// Address returns the address of the endpoint.
func (e *Endpoint) Address() string { return e.listener.Addr().String() }

// Close ends serving.
func (e *Endpoint) Close() error { return e.server.Close() }

// Coordinator registers the metrics of a coordinator: jobs returns its number of jobs, and most is the limit.
func Coordinator(r prometheus.Registerer, jobs func() int, most int) {
	register(r, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "dl4go_coordinator_jobs", Help: "Jobs at a time."},
		func() float64 { return float64(jobs()) }))
	register(r, prometheus.NewGauge(prometheus.GaugeOpts{Name: "dl4go_coordinator_jobs_limit",
		Help: "The most jobs at a time."})).Set(float64(most))
}
