package sharing

import (
	"strings"

	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/resident"
)

// ineffective returns warnings about changed settings that have no effect beside the others.
func (c Config) ineffective() []string {
	w := warnings{masters.Warnings{Way: way}}
	d := Default()
	w.Say(c.WorkerTogglePeriodicGC != d.WorkerTogglePeriodicGC,
		"workerTogglePeriodicGC has no effect: workers have no Java heap, and steps leave no garbage")
	w.Say(c.WorkerPeriodicGCFrequency != d.WorkerPeriodicGCFrequency,
		"workerPeriodicGCFrequency has no effect: workers have no Java heap, and steps leave no garbage")
	w.Say(c.UpdatesThreshold != 0 && !c.adaptsByDefault(), "updatesThreshold has no effect beside a thresholdAlgorithm")
	w.Say(c.RDDDataSetNumExamples != d.RDDDataSetNumExamples && c.BatchSizePerWorker != 0,
		"rddDataSetNumExamples has no effect beside batchSizePerWorker: minibatches are put together example by example")
	c.common().Ineffective(&w.Warnings, d.common())
	by := c.Repartitioner != nil
	w.Say(by && c.Repartition != d.Repartition, "repartition has no effect beside a repartitioner")
	w.Say(by && c.RepartitionStrategy != d.RepartitionStrategy, "repartitionStrategy has no effect beside a repartitioner")
	w.Say(!by && c.Repartition == Never && c.RepartitionStrategy != d.RepartitionStrategy,
		"repartitionStrategy has no effect with repartition Never")
	w.Say(c.NumWorkers != 0 && c.WorkersPerNode != -1, "numWorkersPerNode has no effect beside numWorkers")
	w.inert(c, c.InertFields(), "", map[string]string{
		"broadcastHadoopConfig": "files are read by the engine, whose own settings say how",
		"listeners":             "they are Java objects; Options.Listen is told of training here",
		"trainingHooks":         "they are Java objects",
		"statsStorage":          "it is a Java object; CollectTrainingStats and Options.Listen are here",
	})
	v := c.VoidConfiguration
	w.inert(v, v.InertFields(), "voidConfiguration.", map[string]string{
		"executionMode":          "there is one coordinator, which keeps the parameters",
		"forcedRole":             "there is one coordinator, and all others are workers",
		"numberOfShards":         "parameters are not cut into shards",
		"shardAddresses":         "parameters are not cut into shards",
		"backupAddresses":        "a coordinator goes on from a checkpoint",
		"faultToleranceStrategy": "workers may always come and go",
		"useHS":                  "it is about word vectors",
		"useNS":                  "it is about word vectors",
	})
	return w.Said
}

// cluster reports whether Spark, not the engine, chooses the machines of an engine's workers.
func cluster(e engine.Engine) bool { return strings.Contains(e.Master(), "://") }

// ineffectiveOn returns warnings about settings that have no effect on an engine with a transport.
func (c Config) ineffectiveOn(e engine.Engine, t resident.TransportKind, coordinator string) []string {
	w := masters.Warnings{Way: way}
	v, inProcess := c.VoidConfiguration, t == resident.InMemory
	w.Say(coordinator != "" && v.UnicastPort != 0,
		"voidConfiguration's unicastPort has no effect: workers reach the coordinator of %s", coordinator)
	w.Say(inProcess && coordinator == "" && (v.UnicastPort != 0 || v.NetworkMask != "" || v.ControllerAddress != ""),
		"voidConfiguration's unicastPort, networkMask and controllerAddress have no effect on %s: messages stay in the "+
			"process",
		e.Master())
	w.Say(cluster(e) && c.WorkersPerNode != -1 && c.NumWorkers == 0, "numWorkersPerNode has no effect on a cluster, "+
		"which places its tasks itself: numWorkers says how many workers there are")
	w.Say(!cluster(e) && c.WorkersPerNode > e.Slots(), "numWorkersPerNode is %d, but %s has %d slots, and as many workers",
		c.WorkersPerNode, e.Master(), e.Slots())
	w.Say(c.NumWorkers > e.Slots(), "numWorkers is %d, but %s has %d slots, and as many workers",
		c.NumWorkers, e.Master(), e.Slots())
	return w.Said
}

// warnings also warns of members of Deeplearning4j's files.
type warnings struct{ masters.Warnings }

// inert warns of members of a file that have no meaning here and are not at their usual values.
func (w *warnings) inert(settings any, usual dl4j.Object, place string, why map[string]string) {
	tree, err := dl4j.ToTree(settings)
	object, ok := tree.(dl4j.Object)
	if err != nil || !ok {
		return
	}
	for _, u := range usual {
		value, has := object.Get(u.Name)
		if !has || same(value, u.Value) {
			continue
		}
		reason, known := why[u.Name]
		switch {
		case known:
		case place == "":
			continue // Deeplearning4j's notes about a run
		default:
			reason = "messages go over connections, not as chunks in datagrams"
		}
		w.Say(true, "%s%s has no effect: %s", place, u.Name, reason)
	}
}
