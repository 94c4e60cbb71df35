package gemm

//go:generate go run -C ../_gen ./gemm -out ../gemm/tile_amd64.s -stubs ../gemm/tile_amd64.go -pkg gemm
//go:generate go run -C ../_gen ./neon/gemm -out ../gemm/neon_arm64.s -stubs ../gemm/neon_arm64.go -pkg gemm
