package vector

//go:generate go run -C ../_gen ./vector -variant avx2 -pkg vector -out ../vector/avx2_amd64.s -stubs ../vector/avx2_amd64.go
//go:generate go run -C ../_gen ./vector -variant avx512 -pkg vector -out ../vector/avx512_amd64.s -stubs ../vector/avx512_amd64.go
//go:generate go run -C ../_gen ./neon/vector -out ../vector/neon_arm64.s -stubs ../vector/neon_arm64.go -pkg vector
