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
	// Where its number is a process's, and what tells the process from others that have had the number. Both are empty
	// where the system doesn't say.
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

// state is what this machine knows of the owner: it lives or has ended where it is a process that could be seen from
// here, and nothing is known otherwise.
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
