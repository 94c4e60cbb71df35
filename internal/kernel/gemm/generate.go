package gemm

//go:generate go run -C ../_gen ./gemm -out ../gemm/tile_amd64.s -stubs ../gemm/tile_amd64.go -pkg gemm
