# Every target is a few words of shell; `make help` lists them.
export CGO_ENABLED = 0
export MAKE
GO ?= go
CACHE := .cache
# Vetted once (test, lint), without a debugger's tables, which take the linker's time, and with a collector that comes seldom:
# at its usual pace it takes a quarter of the CPU time of what allocates much (nn: 7.6 s, so 5.5 s).
TEST = env GOGC=400 $(GO) test -vet=off -ldflags=-w -timeout $(TIMEOUT) $(TESTFLAGS)
# For the tests of a package, which take 8 minutes at most on 2 cores. Machines may be slow: a wait that hangs is ended by
# internal/await.
TIMEOUT = 60m

.DEFAULT_GOAL := help

help: ## show this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-16s %s\n", $$1, $$2}'

build: ## build the binary bin/dl4go
	$(GO) build -trimpath -tags grpcnotrace -o bin/dl4go ./cmd/dl4go

test: ## run everything that CI tests, with Spark, HDFS and S3; name what this machine lacks
	./tools/test.sh

TAGS = spark,storage,kerberos,dl4j,onnx,triton,xla,numa
# The go command gives up at the first download that fails, so the packages are fetched before.
vet:
	@./tools/again.sh $(GO) list -deps -test -tags $(TAGS) ./... >/dev/null
	env GOGC=400 $(GO) vet -tags $(TAGS) ./...

test-go: vet test-vetted ## run the tests that need only Go

# Four packages at a time: some tests wait for what other processes do. The portable kernels have been tested beside the others
# when noasm makes them the only ones.
test-vetted:
	$(TEST) -p 4 ./...
	$(MAKE) test-external
	$(TEST) -short -tags noasm ./internal/kernel/... ./internal/cpu
	$(MAKE) test-kernel-gen

test-stress: ## run TARGET=test, or PACKAGES, STRESS=10 times beside four busy loops
	./tools/stress.sh $(or $(STRESS),10) $(if $(PACKAGES),$(TEST) -count=1 $(PACKAGES),$(MAKE) $(or $(TARGET),test) TESTFLAGS=-count=1)

test-short: ## run the fast tests, under 2 minutes on 2 cores
	$(TEST) -short -p 4 ./...
	$(MAKE) test-external

# A module of its own, which ./... does not have. A test of internal/lint vets it.
test-external: ## test the module that extends dl4go from outside
	cd examples/external && $(TEST) ./...

# These options save CPU time of JVMs that live for minutes. Without the slow compiler, Spark takes half. A large code
# cache is not swept, and Spark's classes need no verification.
JVM = -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote

# The packages of ON_SPARK are those with tests for Spark: others would be linked and run once more for nothing.
# Tests wait for Spark and for other processes in turn: four of a package at a time.
test-spark: ## run the tests on a real Spark (SPARK=4.1), a few with HDFS and S3
	SPARK_VM="$(JVM)" ./tools/spark.sh with $(MAKE) on-spark

# The word urls stands for the tests of URLs on Spark.
ON_SPARK = ./internal/spark ./internal/spark/connect ./internal/spark/deploy ./distributed/earlystopping ./distributed/paramavg ./distributed/sharing . ./examples/bearings ./examples/external ./examples/migration ./internal/doctor ./internal/lint urls ./distributed ./cmd/dl4go
# An HDFS of its own, as test-storage may run beside it.
URLS_ON_SPARK = lacks=$$(./tools/hdfs.sh lacks); if [ -z "$$lacks" ]; then \
	HDFS_NAME=spark ./tools/hdfs.sh with ./tools/s3.sh with $(TEST) -tags spark,storage -count 1 -run URLsOnSpark ./cmd/dl4go; \
	else echo "the tests of URLs on Spark ($$lacks)" >>"$${DL4GO_NOT_RUN:-/dev/stderr}"; fi
# The tests of packages in files with a tag, and no others: test-go has run these.
TAGGED = $$(grep -lx '//go:build $(1)' $(addsuffix /*_test.go,$(2)) | xargs sed -n 's/^func \(Test[A-Za-z0-9_]*\)(t .*/\1/p' | paste -sd '|' -)
PACKAGES_ON_SPARK = $(filter-out ./examples/external urls,$(ON_SPARK))
on-spark: # where DL4GO_SPARK is
	$(TEST) -tags spark -short -p 1 -parallel 4 -run "^($(call TAGGED,spark,$(PACKAGES_ON_SPARK)))$$" $(PACKAGES_ON_SPARK)
	$(if $(filter ./examples/external,$(ON_SPARK)),cd examples/external && $(TEST) -tags spark -count 1 -run Spark ./...)
	$(if $(filter urls,$(ON_SPARK)),$(URLS_ON_SPARK))

# The versions beside the one that test-spark runs. On 4.0, executors come and go: a Spark takes more than a minute to start, of
# processor time.
SPARKS = 3.5.7 4.0 4.3
CONF_4.0 = $(DYNAMIC)
# The tests are linked once, and run as go test does, each in the directory of its package.
SMOKE_DIR = $(CURDIR)/$(CACHE)/smoke
SMOKE = sh -c 'cd cmd/dl4go && $(SMOKE_DIR)/dl4go.test $(SMOKE_FLAGS) -test.run "SparkScripts/(train|smoke)" && \
	cd ../../internal/spark && $(SMOKE_DIR)/spark.test $(SMOKE_FLAGS) -test.run "^($(1))$$"'
SMOKE_FLAGS = -test.short -test.timeout $(TIMEOUT)
test-spark-smoke: ## smoke-test other Sparks (SPARKS="3.5.7 4.0 4.3"), and YARN
	$(TEST) -c -tags spark -o $(SMOKE_DIR)/ ./cmd/dl4go ./internal/spark
	set -e; $(foreach version,$(SPARKS),SPARK=$(version) SPARK_VM="$(JVM)" SPARK_CONF="$(CONF_$(version))" \
		./tools/spark.sh with $(call SMOKE,TestSparkSentWhole);)
	SPARK_MANAGER=yarn SPARK_NAME=yarn SPARK_VM="$(JVM)" ./tools/spark.sh with $(call SMOKE,TestSparkLostExecutor)

# Executors that come and go, and second attempts at slow tasks.
DYNAMIC = spark.dynamicAllocation.enabled=true spark.dynamicAllocation.shuffleTracking.enabled=true \
	spark.dynamicAllocation.minExecutors=1 spark.dynamicAllocation.initialExecutors=2 spark.dynamicAllocation.maxExecutors=2 \
	spark.dynamicAllocation.executorIdleTimeout=5s spark.speculation=true spark.speculation.interval=100ms \
	spark.speculation.multiplier=1.5 spark.speculation.minTaskRuntime=100ms

ON_STORAGE = ./storage/hdfs ./storage/s3 ./internal/lease
test-storage: ## test URLs on a real HDFS, with Kerberos, and S3 (needs Java 17)
	./tools/hdfs.sh with ./tools/s3.sh with $(MAKE) on-storage
	HDFS_NAME=secure HDFS_KERBEROS=1 ./tools/hdfs.sh with $(TEST) -tags storage,kerberos -count 1 -run Kerberos ./storage/hdfs

test-s3: ## test URLs on a real S3 server; needs only Go
	./tools/s3.sh with $(MAKE) on-storage ON_STORAGE="./storage/s3 ./internal/lease"

on-storage: # where the servers are
	$(TEST) -tags storage -count 1 -p 1 -run "^($(call TAGGED,storage,$(ON_STORAGE)))$$" $(ON_STORAGE)
	$(TEST) -tags storage -count 1 -p 1 -run URL ./distributed/earlystopping ./cmd/dl4go

test-dl4j: ## let the real Deeplearning4j open and train our files (needs Java 17, Maven)
	./tools/dl4j.sh $(TEST) -tags dl4j -count 1 -p 1 -run Deeplearning4j ./nn ./eval ./internal/lint ./examples/migration

test-onnx: ## run our ONNX models in ONNX Runtime, read safetensors in Python (pip fetches both)
	./tools/onnx.sh $(TEST) -tags onnx -count 1 -run Python ./internal/onnx ./internal/safetensors

test-serve: ## ask dl4go serve by Triton's Python clients (pip fetches them)
	./tools/triton.sh $(TEST) -tags triton -count 1 -run Python ./internal/serving

# Compilations are optimised less: they take most of the time. The oracle compiles more than a thousand programs, so it does
# without the part of XLA that takes half of that.
XLA = ./internal/xla ./internal/xla/pjrt ./threshold ./distributed/paramavg ./distributed/sharing ./cmd/dl4go
FAST_XLA = --xla_backend_optimization_level=0
test-xla: ## test programs and networks on XLA's processor plugin (needs Python 3)
	XLA_FLAGS=$(FAST_XLA) ./tools/xla.sh with $(TEST) -tags xla -count 1 \
		-run 'Operations|Precision|Random|Death|Step|Finite|Changed|Cache|BadPlugins|MemoryTaken|Faults|TestDevice' \
		$(XLA)
	XLA_FLAGS="$(FAST_XLA) --xla_cpu_use_fusion_emitters=false" ./tools/xla.sh with $(TEST) -tags xla -count 1 \
		-run TestOracle ./nn

PLATFORMS = linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64
COMMIT = HEAD
release: ## build archives, SBOMs and the image: bin/release
	$(GO) run ./internal/release -out bin/release -platforms $(PLATFORMS) -commit $(COMMIT)

release-check: ## build bin/release again, in a clone with an empty cache, and compare the bytes
	GO=$(GO) ./tools/release-check.sh $(PLATFORMS) $(COMMIT)

test-install: ## install dl4go by go install …@latest from the module's zip
	./tools/install.sh

test-kubernetes: ## check examples/kubernetes with the schemas of Kubernetes (pip fetches them)
	./tools/kubernetes.sh

test-spark-devices: ## train on Spark's workers with devices: XLA's processor plugin
	XLA_FLAGS=--xla_backend_optimization_level=0 SPARK_NAME=devices SPARK_VM=-XX:TieredStopAtLevel=1 ./tools/spark.sh with ./tools/xla.sh with $(TEST) -tags spark,xla -count 1 \
		-run SparkDeviceScripts ./cmd/dl4go

test-netns: ## train where executors cannot reach the driver (needs root, iproute2)
	./tools/netns.sh

spark-up: ## start a Spark with a Connect server on loopback (needs Java 17)
	./tools/spark.sh up

spark-down: ## stop it
	./tools/spark.sh down

test-kernel-gen: ## check that the generators of the kernels give the committed files
	./internal/kernel/_gen/check.sh

test-arm64: ## run the tests of the kernels for arm64, by QEMU on other processors
	./tools/arm64.sh with $(TEST) -short -p 1 ./internal/kernel/... ./internal/cpu

test-numa: ## test where workers and memory lie on two NUMA nodes, by QEMU
	GO="$(GO)" ./tools/numa.sh test

# What these tests compare is numbers, of many networks or files, one after another: test-go has them all.
NUMBERS = DoNotDependOnTheBatch|Gradients|Mutated|BuiltInTasks|ValuesOfAnotherKind|InitialDistributions|LongAttention|ShapeHasEffect|InTurns|FewMovable|UnknownMembers|$(ONE_CODER)
# Codecs on one thread. Those on several are raced.
ONE_CODER = Conservation|ResumedEncoder|CountBitmaps|GapsOneByOne|WireRoundTrip|BitsPerValue|DamagedDense|(Messages|Traces)OfDeeplearning4j/.*/-1$$
test-race: ## run the race detector on concurrent packages (needs a C compiler)
	CGO_ENABLED=1 $(TEST) -short -race -skip '$(NUMBERS)' ./internal/parallel ./internal/doctor ./internal/lease ./internal/coordination/... ./internal/resident ./internal/slots ./internal/spark/... ./internal/worker ./internal/cpu ./storage/... ./internal/serving ./serve ./internal/checkpoint ./data/... ./engine/... ./distributed/... ./nn ./threshold ./train .

fuzz: ## run each fuzz target for FUZZTIME=10s; update docs/reliability.md
	./tools/fuzz.sh $(or $(FUZZTIME),10s)

lint: format vet staticcheck ## run gofmt, vet and staticcheck
	cd examples/external && $(GO) vet -tags spark ./...

format: # says what gofmt would change
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo "gofmt -w them"; exit 1; }

staticcheck:
	env GOGC=400 $(GO) tool -modfile=tools/go.mod staticcheck ./...

generate: ## generate the kernels' assembly and the protocols' Go code
	cd internal/kernel && $(GO) generate ./...
	./tools/protocol.sh

# Packages are checked as the compiler checks them before it makes code. One program is built, without optimisation: for another
# system and processor.
cross: ## check the source for the other platforms, and build for darwin/arm64
	env GOGC=400 $(GO) run ./internal/platforms linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64 ./...
	GOOS=darwin GOARCH=arm64 $(GO) build "-gcflags=all=-N -l" -ldflags=-w -o /dev/null ./cmd/dl4go

bench: ## compare training steps with PyTorch and Deeplearning4j (downloads both)
	./bench/run.sh $(BENCH)

campaign: ## run the long tests, and train Fashion-MNIST (DATA=DIR); update docs/reliability.md
	./tools/campaign.sh $(DATA)

clean: ## remove what the targets above made
	rm -rf bin $(CACHE)

.PHONY: help build release release-check test test-install test-kubernetes test-onnx test-serve test-go test-external test-s3 test-stress test-short test-spark test-spark-smoke on-spark on-storage format vet staticcheck test-vetted test-storage test-dl4j test-xla test-spark-devices test-netns spark-up spark-down test-kernel-gen test-arm64 test-numa test-race fuzz lint generate cross bench campaign clean
