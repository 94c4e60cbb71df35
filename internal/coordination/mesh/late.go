package mesh

import "context"

// Close ends the answers of Config.Late and closes the Listener. Call it after Run has returned, or instead of Run.
func (h *Host) Close() {
	h.shut()
	h.late.Wait()
	h.door.Wait()
}

// shut stops accepting links.
func (h *Host) shut() {
	h.closed.Do(func() { close(h.closing) })
	if h.conf.Listener != nil {
		h.conf.Listener.Close()
	}
}

// answer gives the ended machine the messages of late workers, which the machine only turns away.
func (h *Host) answer() {
	h.answering = true
	for {
		select {
		case in := <-h.inputs:
			h.hear(context.Background(), in)
		case <-h.closing:
			h.endLinks()
			return
		}
	}
}
