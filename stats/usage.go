package stats

import (
	"runtime/metrics"
	"time"
)

// Meter measures the resources that this process uses. Only one goroutine may use it.
type Meter struct {
	at      time.Time
	cpu, gc float64 // seconds of processor time until then
	samples []metrics.Sample
}

// Usage is the resources that a process used since the last reading.
type Usage struct {
	// CPU is the average number of busy processors, and GC the part of it that collected garbage.
	CPU, GC float64
	// Memory is the number of bytes that the process holds from the system.
	Memory float64
}

// metered are the metrics that the meter reads, in this order.
var metered = []string{"/cpu/classes/gc/total:cpu-seconds", "/memory/classes/total:bytes",
	"/memory/classes/heap/released:bytes"}

// NewMeter starts to measure.
func NewMeter() *Meter {
	m := &Meter{samples: make([]metrics.Sample, len(metered))}
	for i, name := range metered {
		m.samples[i].Name = name
	}
	m.Read()
	return m
}

// Read returns the usage since the last reading.
func (m *Meter) Read() Usage {
	metrics.Read(m.samples)
	now, cpu, gc := time.Now(), processorSeconds(), m.samples[0].Value.Float64()
	u := Usage{Memory: float64(m.samples[1].Value.Uint64() - m.samples[2].Value.Uint64())}
	if wall := now.Sub(m.at).Seconds(); wall > 0 {
		u.CPU, u.GC = (cpu-m.cpu)/wall, (gc-m.gc)/wall
	}
	m.at, m.cpu, m.gc = now, cpu, gc
	return u
}

// Since returns the time since the last reading.
func (m *Meter) Since() time.Duration { return time.Since(m.at) }

// MeasureUsage records a worker's resources as cpu/NAME, gc/NAME and memory/NAME, where NAME is the collector's name.
func (c *Collector) MeasureUsage(iteration int, u Usage) {
	if c == nil {
		return
	}
	c.Measure(Measurement{"cpu/" + c.worker, iteration, u.CPU}, Measurement{"gc/" + c.worker, iteration, u.GC},
		Measurement{"memory/" + c.worker, iteration, u.Memory})
}

// MeasureOwn records a figure of the worker under the name kind/NAME, where NAME is the collector's name.
func (c *Collector) MeasureOwn(kind string, iteration int, value float64) {
	if c != nil {
		c.Measure(Measurement{kind + "/" + c.worker, iteration, value})
	}
}
