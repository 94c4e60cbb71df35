package xla

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Choice is a device, and how networks run on it. Its text is a device's name with URL-like settings, such as
// gpu?precision=bf16&workers=2.
type Choice struct {
	Device    string    // gpu, gpu:N for the GPU with that number, or xla-cpu
	Precision Precision // of products and convolutions
	// Workers is the number of workers that share a device, each with its part of the memory; 0 means 1. A worker
	// takes the device with the fewest workers.
	Workers int
	Memory  Limit  // of each worker on its device
	Plugins string // directory with the installed plugins; "" for the machine's default
	// Host is the instruction set for workers without a GPU. If it is empty, they fail.
	Host string
}

// ParseChoice reads a choice's text.
func ParseChoice(text string) (c Choice, err error) {
	name, settings, _ := strings.Cut(text, "?")
	c.Device = name
	if _, _, err := c.kinds(); err != nil {
		return c, err
	}
	values, err := url.ParseQuery(settings)
	if err != nil {
		return c, fmt.Errorf("device %q: %w", text, err)
	}
	for key, value := range values {
		if err := c.set(key, value[0]); err != nil {
			return c, fmt.Errorf("device %q: %w", text, err)
		}
	}
	return c, nil
}

func (c *Choice) set(key, value string) (err error) {
	switch key {
	case "precision":
		c.Precision, err = ParsePrecision(value)
	case "workers":
		if c.Workers, err = strconv.Atoi(value); err == nil && c.Workers < 0 {
			err = fmt.Errorf("%d workers cannot share a device", c.Workers)
		}
	case "memory":
		c.Memory, err = ParseLimit(value)
	case "plugins":
		c.Plugins = value
	case "host":
		c.Host = value
	default:
		err = fmt.Errorf("there is no setting %q; there are precision, workers, memory, plugins and host", key)
	}
	return err
}

// String returns the choice's text.
func (c Choice) String() string {
	v := url.Values{}
	for key, value := range map[string]string{"precision": string(c.Precision), "memory": c.Memory.String(),
		"plugins": c.Plugins, "host": c.Host} {
		if value != "" {
			v.Set(key, value)
		}
	}
	if c.Workers > 0 {
		v.Set("workers", strconv.Itoa(c.Workers))
	}
	if len(v) == 0 {
		return c.Device
	}
	return c.Device + "?" + v.Encode()
}

// IsDevice reports whether a name names a device, with or without settings.
func IsDevice(name string) bool {
	c := Choice{}
	c.Device, _, _ = strings.Cut(name, "?")
	_, _, err := c.kinds()
	return err == nil
}

// kinds returns the possible kinds of plugins for the device, and the number of a GPU, or -1.
func (c Choice) kinds() (kinds []string, number int, err error) {
	base, index, numbered := strings.Cut(c.Device, ":")
	number = -1
	if numbered {
		if number, err = strconv.Atoi(index); err != nil || number < 0 {
			base = ""
		}
	}
	switch {
	case base == "gpu":
		return []string{"cuda13", "cuda12"}, number, nil
	case c.Device == "xla-cpu":
		return []string{"cpu"}, number, nil
	}
	return nil, 0, fmt.Errorf("there is no device %q; there are gpu, gpu:N for the one with that number, and xla-cpu",
		c.Device)
}

// Precision says how products of float32 matrices and convolutions are computed. Sums are always float32.
type Precision string

// The precisions.
const (
	Float32 Precision = ""     // all bits of the factors
	TF32    Precision = "tf32" // 11 significant bits of the factors, on GPUs that have TF32
	BF16    Precision = "bf16" // 8 significant bits of the factors
)

// ParsePrecision reads float32, tf32 or bf16.
func ParsePrecision(text string) (Precision, error) {
	switch p := Precision(strings.ToLower(text)); p {
	case "float32":
		return Float32, nil
	case TF32, BF16:
		return p, nil
	}
	return "", fmt.Errorf("there is no precision %q; there are float32, tf32 and bf16", text)
}

// Limit is the memory of a device that a worker may take: bytes, or a part of the whole. The zero Limit means nine
// tenths, divided by [Choice.Workers].
type Limit struct {
	Bytes int64
	Part  float64
}

// ParseLimit reads a part, such as 50%, or bytes, such as 900MiB or 4GiB.
func ParseLimit(text string) (l Limit, err error) {
	wrong := fmt.Errorf("%q is not an amount of memory; write a part, such as 50%%, or an amount, such as 900MiB or 4GiB",
		text)
	if percent, ok := strings.CutSuffix(text, "%"); ok {
		x, err := strconv.ParseFloat(percent, 64)
		if err != nil || !(x > 0 && x <= 100) {
			return l, wrong
		}
		return Limit{Part: x / 100}, nil
	}
	unit := int64(1)
	for i, name := range []string{"KiB", "MiB", "GiB"} {
		if number, ok := strings.CutSuffix(text, name); ok {
			text, unit = number, 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n <= 0 || n > 1<<62/unit {
		return l, wrong
	}
	return Limit{Bytes: n * unit}, nil
}

// String returns the limit in the form that ParseLimit reads; "" for the zero Limit.
func (l Limit) String() string {
	switch {
	case l.Part > 0:
		return strconv.FormatFloat(l.Part*100, 'g', -1, 64) + "%"
	case l.Bytes > 0 && l.Bytes%(1<<20) == 0:
		return fmt.Sprintf("%dMiB", l.Bytes>>20)
	case l.Bytes > 0:
		return strconv.FormatInt(l.Bytes, 10)
	}
	return ""
}
