package coordination

// Only these types are events.

func (Tick) event()      {}
func (Accepted) event()  {}
func (Connected) event() {}
func (Received) event()  {}
func (Alive) event()     {}
func (Sent) event()      {}
func (Broken) event()    {}
func (Open) event()      {}
func (Round) event()     {}
func (Settle) event()    {}
func (Shut) event()      {}
func (SaveNow) event()   {}
func (Trained) event()   {}
func (Quit) event()      {}

// Only these types are actions.

func (Dial) action()      {}
func (Send) action()      {}
func (Close) action()     {}
func (Failed) action()    {}
func (Warn) action()      {}
func (EpochDone) action() {}
func (RoundDone) action() {}
func (RoundLost) action() {}
func (Settled) action()   {}
func (Admitted) action()  {}
func (Lost) action()      {}
func (Short) action()     {}
func (Missing) action()   {}
func (Committed) action() {}
func (CatchUp) action()   {}
func (ShutDown) action()  {}
func (Save) action()      {}
func (Train) action()     {}
func (Stalled) action()   {}
func (Done) action()      {}
