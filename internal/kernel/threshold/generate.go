package threshold

//go:generate go run -C ../_gen ./threshold -out ../threshold/threshold_amd64.s -stubs ../threshold/threshold_amd64.go -pkg threshold
//go:generate go run -C ../_gen ./neon/threshold -out ../threshold/neon_arm64.s -stubs ../threshold/neon_arm64.go -pkg threshold
