"""PyTorch's DistributedDataParallel over gloo on Fashion-MNIST, as TorchDistributor starts it:

    python -m torch.distributed.run --standalone --nnodes=1 --nproc_per_node=2 bench/peers/ddp.py mlp 3 DIR

Networks, optimisers, minibatches and epochs are those of the benchmark; each process has one thread.
"""
import gzip
import json
import os
import sys
import time

import numpy
import torch
import torch.distributed
from torch import nn

BATCH = 64


def read(name, header):
    with gzip.open(os.path.join(sys.argv[3], name)) as file:
        return numpy.frombuffer(file.read(), numpy.uint8, offset=header)


def network(name):
    if name == "mlp":
        net = nn.Sequential(nn.Linear(784, 500), nn.ReLU(), nn.Linear(500, 10))
        return net, torch.optim.SGD(net.parameters(), 0.1, 0.9, nesterov=True)
    net = nn.Sequential(nn.Unflatten(1, (1, 28, 28)), nn.Conv2d(1, 20, 5), nn.MaxPool2d(2), nn.Conv2d(20, 50, 5),
                        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(800, 500), nn.ReLU(), nn.Linear(500, 10))
    return net, torch.optim.Adam(net.parameters(), 1e-3)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(1)
    torch.distributed.init_process_group("gloo")
    rank, workers = torch.distributed.get_rank(), torch.distributed.get_world_size()
    images = read("train-images-idx3-ubyte.gz", 16).reshape(-1, 784).astype(numpy.float32) / 255
    x, y = torch.from_numpy(images), torch.from_numpy(read("train-labels-idx1-ubyte.gz", 8).astype(numpy.int64))
    net, optimizer = network(sys.argv[1])
    replica = nn.parallel.DistributedDataParallel(net)
    loss = nn.CrossEntropyLoss()
    for epoch in range(int(sys.argv[2])):
        start = time.monotonic()
        # All processes draw the same order. Each has as many examples as the others: they wait for each other.
        own = torch.randperm(len(x))[rank:len(x) - len(x) % workers:workers]
        for some in own.split(BATCH):
            optimizer.zero_grad(set_to_none=True)
            loss(replica(x[some]), y[some]).backward()
            optimizer.step()
        if rank == 0:
            print(json.dumps({"event": "epoch", "epoch": epoch + 1, "seconds": time.monotonic() - start}), flush=True)
    torch.distributed.destroy_process_group()


main()
