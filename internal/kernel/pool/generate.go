package pool

//go:generate go run -C ../_gen ./vector -kernels pool -variant avx2 -pkg pool -out ../pool/avx2_amd64.s -stubs ../pool/avx2_amd64.go
//go:generate go run -C ../_gen ./vector -kernels pool -variant avx512 -pkg pool -out ../pool/avx512_amd64.s -stubs ../pool/avx512_amd64.go
//go:generate go run -C ../_gen ./neon/pool -out ../pool/neon_arm64.s -stubs ../pool/neon_arm64.go -pkg pool
