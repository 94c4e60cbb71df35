package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/stats"
)

// onSpark times epochs of parameter averaging on Fashion-MNIST on a Spark cluster. It prints the time of a split beyond
// its computation, beside the time of moving the same bytes through empty queries: an artifact to the workers, and as
// many bytes back from each, once by a TRANSFORM whose command is cat, and once as rows that Spark generates.
func onSpark(dir, master, model string, passes int) error {
	ctx := context.Background()
	e, d, _, err := training(ctx, dir, master, engine.Options{})
	if err != nil {
		return err
	}
	defer e.Close()
	raw, err := rawBytes(ctx, master)
	if err != nil {
		return err
	}
	defer raw.session.Close(ctx)
	for _, approach := range []paramavg.Approach{paramavg.Direct, paramavg.Export} {
		net, err := imageNet(model, 1)
		if err != nil {
			return err
		}
		size := 4 * (net.NumParams() + net.NumStates())
		settings := paramavg.Default()
		settings.BatchSizePerWorker, settings.RDDTrainingApproach, settings.CollectTrainingStats = batch, approach, true
		tm, err := paramavg.New(settings, paramavg.Options{Rounds: paramavg.Jobs})
		if err != nil {
			return err
		}
		for epoch := range passes {
			before := len(tm.Stats().Events())
			var splits []float64
			begin := time.Now()
			if err := tm.Fit(ctx, net, d, func(r distributed.Round) { splits = append(splits, r.Duration.Seconds()) }); err != nil {
				return err
			}
			total := time.Since(begin).Seconds()
			legs := make(map[stats.Phase]float64)
			for _, ev := range tm.Stats().Events()[before:] {
				legs[ev.Phase] += ev.Duration.Seconds()
			}
			compute := legs[stats.WorkerFit] / float64(len(splits)*e.Slots())
			through, plain, err := raw.time(ctx, size, e.Slots(), 10)
			if err != nil {
				return err
			}
			beyond := median(splits) - compute
			fmt.Printf("%s %s epoch %d: %.2f s, %d splits of %.3f s (median), of which a worker computes %.3f s; beyond that %.3f s\n",
				model, approach, epoch, total, len(splits), median(splits), compute, beyond)
			fmt.Printf("    %d bytes as an artifact, and from each of %d workers: by TRANSFORM %.3f s, ratio %.2f; as rows of Spark's own %.3f s, ratio %.2f\n",
				size, e.Slots(), through, beyond/through, plain, beyond/plain)
			for _, p := range stats.Phases {
				if legs[p] > 0 {
					fmt.Printf("    %-52s %.3f s in all\n", p, legs[p])
				}
			}
		}
		if err := tm.Close(); err != nil {
			return err
		}
	}
	return nil
}

// raw moves bytes, and does nothing else.
type raw struct {
	session *connect.Session
	sent    int
}

func rawBytes(ctx context.Context, master string) (*raw, error) {
	a, err := connect.ParseAddress(master)
	if err != nil {
		return nil, err
	}
	s, err := connect.Open(ctx, a, connect.Options{})
	if err != nil {
		return nil, err
	}
	return &raw{session: s}, s.Set(ctx, map[string]string{"spark.sql.adaptive.enabled": "false",
		"spark.sql.execution.arrow.compression.codec": "none"})
}

// time returns the median seconds to send an artifact of size bytes to the server and to receive as many from each
// task: through a command that prints the artifact, and as rows without a command.
func (r *raw) time(ctx context.Context, size, tasks, times int) (through, plain float64, err error) {
	b := make([]byte, size)
	rand.Read(b)
	const piece = 1 << 20
	pieces := (size + piece - 1) / piece
	rows := fmt.Sprintf("SELECT repeat('%s', %d) AS line FROM range(0, %d, 1, %d)", strings.Repeat("a", 64), size/pieces*4/3/64, pieces*tasks, tasks)
	var seconds [2][]float64
	for i := range 2 * times {
		r.sent++
		name := fmt.Sprintf("raw-%s-%d", r.session.ID(), r.sent) // executors keep the artifacts of earlier sessions
		begin := time.Now()
		if err := r.session.AddArtifacts(ctx, connect.ArtifactBytes(connect.AsFile+name, b)); err != nil {
			return 0, 0, err
		}
		query := rows
		if i%2 == 0 {
			query = fmt.Sprintf("SELECT TRANSFORM(id) USING 'cat >/dev/null; base64 -w %d ./*/%s' AS (line STRING) FROM range(0, %d, 1, %d)",
				piece*4/3, name, tasks, tasks)
		}
		if err := r.session.Collect(ctx, connect.SQL(query), connect.Run{}, func(*arrow.Batch) error { return nil }); err != nil {
			return 0, 0, err
		}
		seconds[i%2] = append(seconds[i%2], time.Since(begin).Seconds())
	}
	return median(seconds[0]), median(seconds[1]), nil
}
