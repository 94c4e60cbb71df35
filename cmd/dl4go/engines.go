package main

import (
	_ "github.com/dl4go/dl4go/engine/process" // processes[N] as a master
)
