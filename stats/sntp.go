package stats

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"time"
)

// sntpBytes is the length of an NTP message without extensions.
const sntpBytes = 48

// UnansweredError means that a time server did not give the time.
type UnansweredError struct {
	Server string
	Err    error
}

func (e *UnansweredError) Error() string { return fmt.Sprintf("time server %s: %v", e.Server, e.Err) }
func (e *UnansweredError) Unwrap() error { return e.Err }

// refusedError is a response after which the server must not be asked again soon.
type refusedError struct{ code string }

func (e *refusedError) Error() string {
	return fmt.Sprintf("it gives no time, and says %q: ask another server", e.code)
}

// ask asks a server (HOST:PORT) once for the time, as an SNTP client (RFC 4330; the message is that of RFC 5905). It
// returns the correction of this machine's clock: the mean of the clocks' differences at the arrival of the request
// and at the sending of the response. The error is at most half of the round-trip time.
func ask(ctx context.Context, server string) (time.Duration, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "udp", server)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return 0, err
		}
	}
	request := make([]byte, sntpBytes)
	request[0] = 4<<3 | 3 // version 4, client
	cookie := rand.Uint64() | 1
	binary.BigEndian.PutUint64(request[40:], cookie) // an arbitrary number, which the response repeats
	sent := time.Now()
	if _, err := conn.Write(request); err != nil {
		return 0, err
	}
	answer := make([]byte, 1024)
	for {
		n, err := conn.Read(answer)
		if err != nil {
			return 0, err
		}
		way := time.Since(sent)
		if n < sntpBytes || binary.BigEndian.Uint64(answer[24:]) != cookie {
			continue // a response to another request
		}
		return offset(answer[:n], sent, way)
	}
}

// offset reads a response to a request that was sent at the given time; way is the round-trip time.
func offset(answer []byte, sent time.Time, way time.Duration) (time.Duration, error) {
	switch stratum, mode := answer[1], answer[0]&7; {
	case mode != 4:
		return 0, fmt.Errorf("the answer's mode is %d, not that of a server", mode)
	case stratum == 0:
		return 0, &refusedError{string(answer[12:16])}
	case answer[0]>>6 == 3 || stratum > 15:
		return 0, errors.New("its own clock is not set by any other")
	}
	received, transmitted := ntpTime(answer[32:]), ntpTime(answer[40:])
	if received.IsZero() || transmitted.IsZero() {
		return 0, errors.New("the answer has no time")
	}
	held := transmitted.Sub(received)
	if held < 0 || held > way+time.Second {
		return 0, fmt.Errorf("it says that it held the request for %v, of %v in all", held, way)
	}
	return (received.Sub(sent) + transmitted.Sub(sent.Add(way))) / 2, nil
}

// ntpEpoch is 1900-01-01, in seconds before 1970.
const ntpEpoch = 2208988800

// ntpTime reads a timestamp: seconds since 1900 and units of 2^-32 seconds. The seconds wrap around in 2036, so small
// ones are after that.
func ntpTime(b []byte) time.Time {
	seconds, fraction := int64(binary.BigEndian.Uint32(b)), int64(binary.BigEndian.Uint32(b[4:]))
	if seconds == 0 && fraction == 0 {
		return time.Time{}
	}
	if seconds < 1<<31 {
		seconds += 1 << 32
	}
	return time.Unix(seconds-ntpEpoch, fraction*int64(time.Second)>>32)
}
