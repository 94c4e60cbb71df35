package conv

//go:generate go run -C ../_gen ./conv -out ../conv/conv_amd64.s -stubs ../conv/conv_amd64.go -pkg conv
//go:generate go run -C ../_gen ./neon/conv -out ../conv/neon_arm64.s -stubs ../conv/neon_arm64.go -pkg conv
