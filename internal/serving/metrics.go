package serving

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/dl4go/dl4go/serve"
)

// metrics are a server's figures for Prometheus, with those of its process and of Go.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	batches  *prometheus.HistogramVec
	compute  *prometheus.HistogramVec
	waited   *prometheus.HistogramVec
	waiting  *prometheus.Desc
	unseen   *prometheus.Desc
	of       *Repository
}

// byModel returns the labels of all metrics.
func byModel(more ...string) []string { return append([]string{"model", "version"}, more...) }

func newMetrics(of *Repository) *metrics {
	seconds := prometheus.ExponentialBuckets(50e-6, 2.5, 14) // to 7 seconds
	histogram := func(name, help string, buckets []float64) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, byModel())
	}
	m := &metrics{registry: prometheus.NewRegistry(), of: of,
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "dl4go_serve_requests_total",
			Help: "Requests for a model's outputs, by outcome."}, byModel("outcome")),
		seconds: histogram("dl4go_serve_request_seconds", "Time that a request takes, with waiting.", seconds),
		batches: histogram("dl4go_serve_batch_examples", "Examples of a minibatch.", prometheus.ExponentialBuckets(1, 2, 11)),
		compute: histogram("dl4go_serve_batch_seconds", "Time that a minibatch takes.", seconds),
		waited:  histogram("dl4go_serve_wait_seconds", "Time that the first call of a minibatch waits.", seconds),
		waiting: prometheus.NewDesc("dl4go_serve_waiting_examples", "Examples of requests that wait.", byModel(), nil),
		unseen: prometheus.NewDesc("dl4go_serve_unseen_values_total",
			"Values in rows that the training rows of the model did not have.", byModel("column"), nil)}
	m.registry.MustRegister(m.requests, m.seconds, m.batches, m.compute, m.waited, m, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Describe sends the descriptions of the figures that the models count themselves.
func (m *metrics) Describe(to chan<- *prometheus.Desc) {
	to <- m.waiting
	to <- m.unseen
}

// Collect reads these figures from the models.
func (m *metrics) Collect(to chan<- prometheus.Metric) {
	m.of.mu.RLock()
	defer m.of.mu.RUnlock()
	for _, p := range m.of.places {
		to <- prometheus.MustNewConstMetric(m.waiting, prometheus.GaugeValue, float64(p.model.predictor.Waiting()), p.Name,
			p.Version)
		for _, u := range p.model.predictor.Unseen() {
			to <- prometheus.MustNewConstMetric(m.unseen, prometheus.CounterValue, float64(u.Values), p.Name, p.Version,
				u.Column)
		}
	}
}

// observer returns a function that records the minibatches of a model.
func (m *metrics) observer(of Spec) func(serve.Batch) {
	batches, compute := m.batches.WithLabelValues(of.Name, of.Version), m.compute.WithLabelValues(of.Name, of.Version)
	waited := m.waited.WithLabelValues(of.Name, of.Version)
	return func(b serve.Batch) {
		batches.Observe(float64(b.Examples))
		compute.Observe(b.Took.Seconds())
		waited.Observe(b.Waited.Seconds())
	}
}

// answered counts a request.
func (m *metrics) answered(of Spec, begin time.Time, err error) {
	m.requests.WithLabelValues(of.Name, of.Version, outcomeOf(err).String()).Inc()
	m.seconds.WithLabelValues(of.Name, of.Version).Observe(time.Since(begin).Seconds())
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
