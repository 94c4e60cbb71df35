package mesh

// Place is where a process listens, and by what address others find it. Host decides, or else Mask, or else the
// environment's DL4J_VOID_IP, or else Toward; with none of them it is loopback, which no other machine reaches.
type Place struct {
	// Host is the name or address that others dial. It may be one that a router or container maps to this machine.
	Host string
	// Mask is a network, such as 10.1.0.0/16: the address of this machine in it is taken (VoidConfiguration's networkMask).
	Mask string
	// Toward is somebody's HOST:PORT: the address is taken from which this machine sends there.
	Toward string
	// Port is where to listen: 0, the default, for one that is free.
	Port int
}
