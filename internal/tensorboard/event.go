package tensorboard

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// The fields of TensorFlow's messages that are written, from event.proto, summary.proto, graph.proto and
// node_def.proto.
const (
	eventTime, eventStep, eventVersion, eventGraph, eventSummary, eventSession = 1, 2, 3, 4, 5, 7

	summaryValue                                             = 1
	valueTag, valueNumber, valueHistogram, valueMetadata     = 1, 2, 5, 9
	metadataPlugin, pluginName, pluginContent                = 1, 1, 2
	histogramMin, histogramMax, histogramCount, histogramSum = 1, 2, 3, 4
	histogramSquares, histogramLimits, histogramBuckets      = 5, 6, 7
	graphNode, nodeName, nodeOperation, nodeInput            = 1, 1, 2, 3
	sessionStatus, sessionStart                              = 1, 1
	hparamsStart, hparamsEnd                                 = 3, 4
	startHparams, startTime, endStatus, endTime              = 1, 5, 1, 2
	statusSuccess, statusFailure                             = 1, 2
	mapKey, mapValue, protoString                            = 1, 2, 3
)

// message holds the bytes of a protocol buffer under construction.
type message []byte

func (m message) number(field protowire.Number, v uint64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), v)
}

func (m message) double(field protowire.Number, v float64) message {
	return protowire.AppendFixed64(protowire.AppendTag(m, field, protowire.Fixed64Type), math.Float64bits(v))
}

func (m message) float(field protowire.Number, v float32) message {
	return protowire.AppendFixed32(protowire.AppendTag(m, field, protowire.Fixed32Type), math.Float32bits(v))
}

func (m message) bytes(field protowire.Number, v []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), v)
}

func (m message) text(field protowire.Number, v string) message { return m.bytes(field, []byte(v)) }

func (m message) doubles(field protowire.Number, all []float64) message {
	var packed []byte
	for _, v := range all {
		packed = protowire.AppendFixed64(packed, math.Float64bits(v))
	}
	return m.bytes(field, packed)
}

// event starts an Event.
func event(at time.Time, step int) message {
	return message(nil).double(eventTime, float64(at.UnixMicro())/1e6).number(eventStep, uint64(step))
}

// summary makes an Event of one value.
func summary(at time.Time, step int, value message) message {
	return event(at, step).bytes(eventSummary, message(nil).bytes(summaryValue, value))
}

func scalar(at time.Time, step int, tag string, v float64) message {
	return summary(at, step, message(nil).text(valueTag, tag).float(valueNumber, float32(v)))
}

// hparams makes an Event for TensorBoard's table of settings.
func hparams(at time.Time, tag string, data message) message {
	plugin := message(nil).text(pluginName, "hparams").bytes(pluginContent, data)
	value := message(nil).text(valueTag, tag).bytes(valueMetadata, message(nil).bytes(metadataPlugin, plugin))
	return summary(at, 0, value)
}

// crcTable is the table of Castagnoli's polynomial.
var crcTable = crc32.MakeTable(crc32.Castagnoli)

// masked returns the checksum for a TFRecord.
func masked(b []byte) uint32 {
	c := crc32.Checksum(b, crcTable)
	return (c>>15 | c<<17) + 0xa282ead8
}

// appendRecord frames an Event: its length, the length's checksum, the bytes, their checksum.
func appendRecord(b []byte, m message) []byte {
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(m)))
	b = binary.LittleEndian.AppendUint32(append(b, length...), masked(length))
	return binary.LittleEndian.AppendUint32(append(b, m...), masked(m))
}
