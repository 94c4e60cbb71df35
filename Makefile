# Every target is a few words of shell; `make help` lists them.
export CGO_ENABLED = 0
export MAKE
GO ?= go
CACHE := .cache
# Vetted once (test, lint), without a debugger's tables, which take the linker's time, and with a collector that comes seldom:
# at its usual pace it takes a quarter of the CPU time of what allocates much (nn: 7.6 s, so 5.5 s).
TEST = env GOGC=400 $(GO) test -vet=off -ldflags=-w $(TESTFLAGS)

.DEFAULT_GOAL := help

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-16s %s\n", $$1, $$2}'

build: ## the binary, in bin/dl4go
	$(GO) build -trimpath -o bin/dl4go ./cmd/dl4go

test: ## everything that CI tests, on this machine, on a real Spark, HDFS and S3; it names what this machine lacks
	./tools/test.sh

# Four packages at a time: some tests wait for what other processes do.
test-go: ## the part of it that needs only Go
	$(GO) vet -tags spark,storage,kerberos,dl4j ./...
	$(TEST) -timeout 60m -p 4 ./...
	$(MAKE) test-external
	$(TEST) -tags noasm ./internal/kernel/... ./program/cpu
	$(MAKE) test-kernel-gen

test-stress: ## STRESS times (10) everything (TARGET=test), with four busy loops beside it
	./tools/stress.sh $(or $(STRESS),10) $(MAKE) $(or $(TARGET),test) TESTFLAGS=-count=1

test-short: ## the fast part of the tests, under 2 minutes on 2 cores
	$(TEST) -short ./...
	$(MAKE) test-external

# A module of its own, which ./... does not have.
test-external: ## the module that extends dl4go from outside
	cd examples/external && $(GO) vet -tags spark ./... && $(TEST) ./...

# The packages of ON_SPARK are those with tests for Spark: others would be linked and run once more for nothing.
# The slow compiler of the JVMs does not pay in the minutes that they live: without it Spark takes half of the CPU time.
test-spark: ## the tests on a real Spark (SPARK=4.1), started and ended if none runs; a few beside a real HDFS and S3 server
	SPARK_VM=-XX:TieredStopAtLevel=1 ./tools/spark.sh with $(MAKE) on-spark

ON_SPARK = ./engine/spark ./internal/spark/connect ./internal/spark/deploy ./distributed ./distributed/earlystopping ./distributed/paramavg ./distributed/sharing . ./cmd/dl4go ./examples/bearings ./examples/external ./examples/migration ./internal/doctor ./internal/lint
# An HDFS of its own, as test-storage may run beside it.
URLS_ON_SPARK = lacks=$$(./tools/hdfs.sh lacks); if [ -z "$$lacks" ]; then \
	HDFS_NAME=spark ./tools/hdfs.sh with ./tools/s3.sh with $(TEST) -tags spark,storage -count 1 -run URLsOnSpark ./cmd/dl4go; \
	else echo "the tests of URLs on Spark ($$lacks)" >>"$${DL4GO_NOT_RUN:-/dev/stderr}"; fi
on-spark: # where DL4GO_SPARK is
	$(TEST) -tags spark -short -p 1 -timeout 40m -run 'Spark|Conformance|Query|Table|Save|Storage|Runs|Driver|SignOfLife|Listed|Guide' \
		$(filter-out ./examples/external,$(ON_SPARK))
	$(if $(findstring examples/external,$(ON_SPARK)),cd examples/external && $(TEST) -tags spark -count 1 -run Spark ./...)
	$(if $(findstring cmd/dl4go,$(ON_SPARK)),$(URLS_ON_SPARK))

# The versions beside the one that test-spark runs.
SPARKS = 3.5.7 4.0 4.3
SMOKE = $(TEST) -tags spark -short -count 1 -p 1 -timeout 20m -run "SparkScripts/(train|smoke)$(1)"
test-spark-smoke: ## the smoke test on each other Spark (SPARKS="3.5.7 4.0 4.3"), and on YARN with a killed container
	for version in $(SPARKS); do \
		SPARK=$$version SPARK_VM=-XX:TieredStopAtLevel=1 ./tools/spark.sh with $(call SMOKE,|SparkSentWhole) ./cmd/dl4go ./engine/spark || exit 1; \
	done
	SPARK_MANAGER=yarn SPARK_NAME=yarn SPARK_VM=-XX:TieredStopAtLevel=1 ./tools/spark.sh with \
		$(call SMOKE,|SparkLostExecutor) ./cmd/dl4go ./engine/spark
	SPARK_NAME=dynamic SPARK_VM=-XX:TieredStopAtLevel=1 SPARK_CONF="$(DYNAMIC)" ./tools/spark.sh with $(SMOKE) ./cmd/dl4go

# Executors that come and go, and second attempts at slow tasks.
DYNAMIC = spark.dynamicAllocation.enabled=true spark.dynamicAllocation.shuffleTracking.enabled=true \
	spark.dynamicAllocation.minExecutors=1 spark.dynamicAllocation.initialExecutors=2 spark.dynamicAllocation.maxExecutors=2 \
	spark.dynamicAllocation.executorIdleTimeout=5s spark.speculation=true spark.speculation.interval=100ms \
	spark.speculation.multiplier=1.5 spark.speculation.minTaskRuntime=100ms

test-storage: ## files by URL, on a real HDFS, with Kerberos too, which Maven fetches, and a real S3 server, which Go fetches (needs Java 17)
	./tools/hdfs.sh with ./tools/s3.sh with sh -c '$(TEST) -tags storage -count 1 -p 1 -timeout 60m ./storage/... ./internal/lease && \
		$(TEST) -tags storage -count 1 -p 1 -timeout 60m -run URL ./distributed/earlystopping ./cmd/dl4go'
	HDFS_NAME=secure HDFS_KERBEROS=1 ./tools/hdfs.sh with $(TEST) -tags storage,kerberos -count 1 -timeout 60m -run Kerberos ./storage/hdfs

test-s3: ## the part of it that a real S3 server is enough for, which Go fetches
	./tools/s3.sh with sh -c '$(TEST) -tags storage -count 1 -p 1 -timeout 60m ./storage ./storage/s3 ./internal/lease && \
		$(TEST) -tags storage -count 1 -p 1 -timeout 60m -run URL ./distributed/earlystopping ./cmd/dl4go'

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
	CGO_ENABLED=1 $(GO) test -short -race -timeout 60m ./internal/parallel ./internal/doctor ./internal/lease ./internal/gradshare/... ./internal/resident ./internal/slots ./internal/spark/... ./internal/worker ./program/cpu ./storage/... ./data/... ./engine/... ./distributed/... ./nn ./threshold ./train .

fuzz: ## each fuzz target for FUZZTIME (10s); it updates docs/reliability.md
	./tools/fuzz.sh $(or $(FUZZTIME),10s)

lint: ## gofmt, vet and staticcheck
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo "gofmt -w them"; exit 1; }
	$(GO) vet -tags spark,storage,kerberos,dl4j ./...
	cd examples/external && $(GO) vet -tags spark ./...
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

campaign: ## the long forms of the tests, and Fashion-MNIST to its accuracies (DATA=DIR); it updates docs/reliability.md
	./tools/campaign.sh $(DATA)

clean: ## removes what the targets above made
	rm -rf bin $(CACHE)

.PHONY: help build test test-go test-external test-s3 test-stress test-short test-spark test-spark-smoke on-spark test-storage test-dl4j test-netns spark-up spark-down test-kernel-gen test-race fuzz lint generate cross bench campaign clean
