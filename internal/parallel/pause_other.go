//go:build !(amd64 || arm64) || noasm

package parallel

func pause() {}
