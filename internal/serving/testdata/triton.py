"""Asks a server by Triton's clients: HTTP HOST:PORT, gRPC HOST:PORT. It wants the outputs that it gets as JSON lines."""
import json
import sys

import numpy
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

x = numpy.array([[0.5, -1, 2], [3, 0.25, -0.125]], "float32")


def say(form, y):
    print(json.dumps({"form": form, "bytes": numpy.ascontiguousarray(y, "<f4").tobytes().hex()}))


def refused(call, *words):
    try:
        call()
    except InferenceServerException as e:
        text = str(e)
        assert all(w in text for w in words), text
        return
    raise AssertionError("it is not refused")


def ask(form, module, client, binary):
    assert client.is_server_live() and client.is_server_ready() and client.is_model_ready("m")
    assert not client.is_model_ready("none")
    http = module is tritonclient.http

    def infer(x, name="m", version="", datatype="FP32", **more):
        i = module.InferInput("input", list(x.shape), datatype)
        if http:
            i.set_data_from_numpy(x, binary_data=binary)
            o = module.InferRequestedOutput("output", binary_data=binary)
        else:
            i.set_data_from_numpy(x)
            o = module.InferRequestedOutput("output")
        return client.infer(name, [i], model_version=version, outputs=[o], request_id="q", **more)

    answer = infer(x)
    say(form, answer.as_numpy("output"))
    say(form + ", version 1", infer(x, version="1").as_numpy("output"))
    say(form + ", FP64", infer(x.astype("float64"), datatype="FP64").as_numpy("output"))
    if binary:
        say(form + ", FP16", infer(x.astype("float16"), datatype="FP16").as_numpy("output"))
    if http:
        for kind in ("gzip", "deflate"):
            say(form + ", " + kind, infer(x, request_compression_algorithm=kind, response_compression_algorithm=kind).as_numpy("output"))
        assert answer.get_response()["id"] == "q"
        meta, server = client.get_model_metadata("m"), client.get_server_metadata()
        assert meta["inputs"] == [{"name": "input", "datatype": "FP32", "shape": [-1, 3]}], meta
        assert meta["outputs"] == [{"name": "output", "datatype": "FP32", "shape": [-1, 2]}], meta
        assert "binary_tensor_data" in server["extensions"]
        assert [m["state"] for m in client.get_model_repository_index()] == ["READY", "READY"]
    else:
        say(form + ", compressed", infer(x, compression_algorithm="gzip").as_numpy("output"))
        assert answer.get_response().id == "q"
        meta = client.get_model_metadata("m")
        assert list(meta.inputs[0].shape) == [-1, 3] and list(meta.outputs[0].shape) == [-1, 2], meta
        assert list(meta.versions) == ["1", "2"]
    refused(lambda: infer(x, name="none"), "no model")
    refused(lambda: infer(x, version="9"), "version")
    refused(lambda: infer(x[:, :2]), "-1 3")
    refused(lambda: infer(numpy.full((1, 3), numpy.inf, "float32")) if binary else infer(x[:, :1]), "input" if not binary else "Inf")


web, rpc = sys.argv[1:]
for binary in (True, False):
    ask("HTTP, binary" if binary else "HTTP, JSON", tritonclient.http, tritonclient.http.InferenceServerClient(web), binary)
ask("gRPC", tritonclient.grpc, tritonclient.grpc.InferenceServerClient(rpc), True)
