package lease

import (
	"fmt"
	"os"
	"time"
)

// Owner is a run that has a lease.
type Owner struct {
	Host    string    `json:"host"`
	Process int       `json:"process"`
	Since   time.Time `json:"since"` // by its own clock
	// Numbered is where the process has its number, and Started distinguishes it from other processes with the same
	// number. Both are empty if the system doesn't tell.
	Numbered string `json:"numbered,omitempty"`
	Started  string `json:"started,omitempty"`
}

func thisProcess() Owner {
	host, err := os.Hostname()
	if err != nil {
		host = "a machine without a name"
	}
	o := Owner{Host: host, Process: os.Getpid(), Since: time.Now().Round(time.Second)}
	o.Numbered, o.Started = identify()
	return o
}

func (o Owner) String() string {
	if o.Host == "" {
		return "a run that has not said who it is"
	}
	return fmt.Sprintf("process %d on %s, since %s", o.Process, o.Host, o.Since.Local().Format("2006-01-02 15:04:05"))
}

// state returns what this machine knows of the owner: Lives or Ended if its process would be visible from here, and
// Unknown otherwise.
func (o Owner) state() State {
	me := thisProcess()
	if o.Host != me.Host || o.Numbered != me.Numbered || o.Numbered == "" || o.Started == "" || o.Process <= 0 {
		return Unknown
	}
	if gone(o.Process, o.Started) {
		return Ended
	}
	return Lives
}
