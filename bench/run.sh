#!/usr/bin/env bash
# Sets up the peers below .cache/bench (PyTorch, JAX and ONNX Runtime by pip, Deeplearning4j by Maven), then times ours
# beside them. Arguments go to the Go program: -peers torch,dl4j  -peers onnx  -pairs 20  -works mlp-step,lenet-step  -fashion DIR
# -ddp 2 -master sc://…, whose server and executors were started with PYSPARK_PYTHON=…/.cache/bench/venv/bin/python
set -euo pipefail
cd "$(dirname "$0")/.."
cache=${DL4GO_BENCH_CACHE:-$PWD/.cache/bench}
mkdir -p "$cache"
[ -x "$cache/venv/bin/python" ] || python3 -m venv "$cache/venv"
case " $* " in
*" -peers onnx "*)
  "$cache/venv/bin/python" -c 'import onnxruntime' 2>/dev/null || "$cache/venv/bin/pip" install -q onnxruntime numpy
  ;;
*" -peers jax "*)
  "$cache/venv/bin/python" -c 'import jax' 2>/dev/null || "$cache/venv/bin/pip" install -q jax==0.10.2
  ;;
*)
  case " $* " in
  *sc://*) # for TorchDistributor, with the version of the server
    "$cache/venv/bin/python" -c 'import pyspark.core' 2>/dev/null ||
      "$cache/venv/bin/pip" install -q "pyspark[connect]==${SPARK:-4.1}.*" pandas pyarrow
    ;;
  esac
  "$cache/venv/bin/python" -c 'import torchvision' 2>/dev/null || "$cache/venv/bin/pip" install -q torch torchvision numpy
  [ -d "$cache/dl4j" ] || mvn -q -B -f bench/peers/pom.xml dependency:copy-dependencies -DoutputDirectory="$cache/dl4j"
  [ "$cache/classes/Dl4jPeer.class" -nt bench/peers/Dl4jPeer.java ] ||
    javac -nowarn -cp "$cache/dl4j/*" -d "$cache/classes" bench/peers/Dl4jPeer.java
  ;;
esac
CGO_ENABLED=0 go build -o "$cache/bench" ./bench
CGO_ENABLED=0 go build -o "$cache/dl4go-xla" ./cmd/dl4go-xla
CGO_ENABLED=0 go build -ldflags '-s -w' -o "$cache/dl4go" ./cmd/dl4go
exec "$cache/bench" -cache "$cache" "$@"
