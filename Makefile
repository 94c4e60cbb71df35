# Every target is a few words of shell; `make help` lists them.
export CGO_ENABLED = 0
GO ?= go
CACHE := .cache
# Vetted once (test, lint), without a debugger's tables, which take the linker's time, and with a collector that comes seldom:
# at its usual pace it takes a quarter of the CPU time of what allocates much (nn: 7.6 s, so 5.5 s).
TEST := env GOGC=400 $(GO) test -vet=off -ldflags=-w

.DEFAULT_GOAL := help

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-16s %s\n", $$1, $$2}'

build: ## the binary, in bin/dl4go
	$(GO) build -trimpath -o bin/dl4go ./cmd/dl4go

test: ## everything that CI tests, on this machine, on a real Spark, HDFS and S3, 20 to 30 minutes on 2 cores
	$(GO) vet -tags spark,storage,kerberos,dl4j ./...
	$(TEST) -timeout 60m ./...
	$(TEST) -tags noasm ./internal/kernel/... ./program/cpu
	$(MAKE) test-kernel-gen
	./tools/protocol.sh check
	$(MAKE) test-storage
	$(MAKE) test-spark

test-short: ## the fast part of the tests, under 2 minutes on 2 cores
	$(TEST) -short ./...

# The slow compiler of the JVMs does not pay in the minutes that they live: without it Spark takes half of the CPU time.
test-spark: ## the tests on a real Spark (SPARK=4.1), started and ended if none runs; a few beside a real HDFS and S3 server
	SPARK_VM=-XX:TieredStopAtLevel=1 ./tools/spark.sh with $(MAKE) on-spark

on-spark: # where DL4GO_SPARK is
	$(TEST) -tags spark -short -p 1 -timeout 40m -run 'Spark|Conformance|Query|Table|Save|Storage|Runs|Driver|SignOfLife|Listed|Guide' \
		./engine/spark/... ./distributed/... ./cmd/dl4go ./examples/... ./internal/lint
	./tools/hdfs.sh with ./tools/s3.sh with $(TEST) -tags spark,storage -count 1 -run URLsOnSpark ./cmd/dl4go

test-storage: ## files by URL, on a real HDFS, with Kerberos too, which Maven fetches, and a real S3 server, which Go fetches (needs Java 17)
	./tools/hdfs.sh with ./tools/s3.sh with sh -c '$(TEST) -tags storage -count 1 -p 1 -timeout 60m ./storage/... && \
		$(TEST) -tags storage -count 1 -p 1 -timeout 60m -run URL ./distributed/earlystopping ./cmd/dl4go'
	HDFS_NAME=secure HDFS_KERBEROS=1 ./tools/hdfs.sh with $(TEST) -tags storage,kerberos -count 1 -timeout 60m -run Kerberos ./storage/hdfs

test-dl4j: ## what dl4go writes, opened and trained on by the real Deeplearning4j, on Spark too (needs Java 17 and Maven)
	./tools/dl4j.sh $(GO) test -tags dl4j -count 1 -timeout 20m -p 1 -run Deeplearning4j ./nn ./eval ./internal/lint ./examples/migration

test-netns: ## training and evaluation where executors can't reach the driver (needs root and iproute2)
	./tools/netns.sh

spark-up: ## a Spark cluster with a Connect server on loopback, for tests and trials (needs Java 17)
	./tools/spark.sh up

spark-down: ## ends it
	./tools/spark.sh down

test-kernel-gen: ## the kernels' generators compile and their output is what is committed
	./internal/kernel/_gen/check.sh

test-race: ## the concurrent packages under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -short -race -timeout 60m ./internal/parallel ./program/cpu ./storage/... ./data/... ./engine/... ./distributed/... ./nn ./threshold

fuzz: ## each fuzz target for FUZZTIME (10s)
	./tools/fuzz.sh $(or $(FUZZTIME),10s)

lint: ## gofmt, vet and staticcheck
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo "gofmt -w them"; exit 1; }
	$(GO) vet -tags spark,storage,kerberos,dl4j ./...
	$(GO) tool -modfile=tools/go.mod staticcheck ./...

generate: ## the kernels' assembly and the protocols' Go code, anew
	cd internal/kernel && $(GO) generate ./...
	./tools/protocol.sh

cross: ## builds for the other platforms
	GOOS=linux GOARCH=arm64 $(GO) build -o /dev/null ./...
	GOOS=darwin GOARCH=arm64 $(GO) build -o /dev/null ./...
	GOOS=windows GOARCH=amd64 $(GO) build -o /dev/null ./...

bench: ## the table of docs/benchmarks.md: ours beside PyTorch and Deeplearning4j (fetches both into .cache)
	./bench/run.sh $(BENCH)

campaign: ## the long forms of the tests, and Fashion-MNIST to its accuracies (DATA=DIR)
	./tools/campaign.sh $(DATA)

clean: ## removes what the targets above made
	rm -rf bin $(CACHE)

.PHONY: help build test test-short test-spark on-spark test-storage test-dl4j test-netns spark-up spark-down test-kernel-gen test-race fuzz lint generate cross bench campaign clean
