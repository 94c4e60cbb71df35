"""Compiles training steps for an NVIDIA H200 that is described, not there: JAX's, and ours from the modules that
bench -modules DIR wrote. Prints the kernels of a step, and its memory on the device.

    pip install jax==0.10.2 jax-cuda12-plugin==0.10.2 jax-cuda12-pjrt==0.10.2 nvidia-cuda-nvcc-cu12==12.9.86
    python bench/peers/cuda_compile.py DIR mlp-step lenet-step
"""
import os
import re
import sys

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
from jax._src.interpreters import mlir
from jax._src.lib import xla_client
from jax._src.lib.mlir import ir
from jax.experimental import topologies

import jax_peer

H200 = """
gpu_device_info {
  cuda_compute_capability { major: 9 } core_count: 132 fpus_per_core: 128 clock_rate_ghz: 1.98
  threads_per_block_limit: 1024 threads_per_warp: 32 threads_per_core_limit: 2048
  shared_memory_per_block: 49152 shared_memory_per_block_optin: 232448 shared_memory_per_core: 233472
  registers_per_core_limit: 65536 registers_per_block_limit: 65536
  block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535
  memory_bandwidth: 4800000000000 l2_cache_size: 52428800 device_memory_size: 150000000000
}
platform_name: "CUDA" device_description_str: "NVIDIA H200"
runtime_version { major: 12 minor: 9 } dnn_version_info { major: 9 minor: 10 }
"""


def ours(device, path):
    with open(path) as f, mlir.make_ir_context() as context, ir.Location.unknown(context):
        options = xla_client.CompileOptions()
        options.num_replicas = options.num_partitions = 1
        return device.client.compile(ir.Module.parse(f.read()), xla_client.DeviceList((device,)), options)


def theirs(device, make):
    step, sharding = make(), jax.sharding.SingleDeviceSharding(device)
    args = jax.tree.map(lambda x: jax.ShapeDtypeStruct(jnp.shape(x), jnp.result_type(x), sharding=sharding),
                        (*step.vectors, jnp.float32(1), step.x, step.y))
    return step.step.lower(*args).compile().runtime_executable()


def describe(work, whose, compiled):
    text = compiled.hlo_modules()[0].to_string()
    entry = text[text.index("\nENTRY"):]
    fusions = len(re.findall(r" fusion\(", entry))
    calls = re.findall(r'custom_call_target="([^"]+)"', entry)
    copies = len(re.findall(r" (?:copy|transpose)\(", entry))
    m = compiled.get_compiled_memory_stats()
    mib = (m.argument_size_in_bytes + m.output_size_in_bytes - m.alias_size_in_bytes + m.temp_size_in_bytes) / 2**20
    print(f"{work}\t{whose}\t{fusions} fusions, {len(calls)} calls, {copies} copies\t{mib:.1f} MiB", sorted(set(calls)), flush=True)


def main():
    device = topologies.get_topology_desc("h200", "cuda", target_config=H200, topology="1x1x1").devices[0]
    works = jax_peer.works()
    for work in sys.argv[2:]:
        describe(work, "dl4go", ours(device, os.path.join(sys.argv[1], work + ".mlir")))
        describe(work, "JAX", theirs(device, works[work]))


main()
