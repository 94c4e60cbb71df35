"""PyTorch's side of the benchmark: reads "WORK CALLS" lines, answers with the mean milliseconds of a call."""
import os
import sys
import time

import torch
from torch import nn

torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "2")))


def mlp():
    return nn.Sequential(nn.Linear(784, 500), nn.ReLU(), nn.Linear(500, 10))


def lenet():
    return nn.Sequential(nn.Conv2d(1, 20, 5), nn.MaxPool2d(2), nn.Conv2d(20, 50, 5), nn.MaxPool2d(2), nn.Flatten(),
                         nn.Linear(800, 500), nn.ReLU(), nn.Linear(500, 10))


def step(net, optimizer, x, y):
    loss = nn.CrossEntropyLoss()

    def run():
        optimizer.zero_grad(set_to_none=True)
        loss(net(x), y).backward()
        optimizer.step()

    return run


def output(net, x):
    def run():
        with torch.no_grad():
            net(x)

    return run


class Chars(nn.Module):
    """An LSTM of 200 units that predicts the next of 77 characters."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(77, 200)
        self.out = nn.Linear(200, 77)

    def forward(self, x):
        return self.out(self.lstm(x)[0]).flatten(0, 1)


class Residual(nn.Module):
    """A residual block of 64 filters."""

    def __init__(self):
        super().__init__()
        self.a, self.b = (nn.Conv2d(64, 64, 3, padding=1, bias=False) for _ in range(2))
        self.a_norm, self.b_norm = nn.BatchNorm2d(64), nn.BatchNorm2d(64)

    def forward(self, x):
        a = torch.relu(self.a_norm(self.a(x)))
        return torch.relu(self.b_norm(self.b(a)) + x)


def resnet():
    return nn.Sequential(nn.Conv2d(3, 64, 3, padding=1, bias=False), *[Residual() for _ in range(4)],
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


def mobilenet():
    """A small MobileNet: depthwise and pointwise convolutions in turn."""
    def block(c, *convolution, **settings):
        return [nn.Conv2d(*convolution, bias=False, **settings), nn.BatchNorm2d(c), nn.ReLU()]

    layers, size = block(32, 3, 32, 3, padding=1), 32
    for stride, filters in [(1, 64), (2, 128), (1, 128), (2, 256), (1, 256)]:
        layers += block(size, size, size, 3, stride=stride, padding=1, groups=size) + block(filters, size, filters, 1)
        size = filters
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(size, 10))


class Attention(nn.Module):
    """Self-attention of 4 heads over the steps, and their mean."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(64, 64, bias=False) for _ in range(4))
        self.out = nn.Linear(64, 10)

    def forward(self, x):
        q, k, v = (p(x).view(x.shape[0], -1, 4, 16).transpose(1, 2) for p in (self.q, self.k, self.v))
        y = nn.functional.scaled_dot_product_attention(q, k, v)
        return self.out(self.o(y.transpose(1, 2).flatten(2)).mean(1))


def embedding(optimizer):
    """A step of a million vectors of 64 and ten classes. But for Adam, the gradient of the vectors is sparse."""
    table, out = nn.Embedding(1000000, 64, sparse=optimizer is not torch.optim.Adam), nn.Linear(64, 10)
    loss, y, calls = nn.CrossEntropyLoss(), torch.arange(64) % 10, [0]
    dense = torch.optim.Adam if optimizer is torch.optim.SparseAdam else optimizer
    optimizers = [optimizer(table.parameters(), 0.1), dense(out.parameters(), 0.1)]

    def run():
        calls[0] += 1
        x = (torch.arange(64) + 64 * calls[0]) * 7919 % 1000000
        for o in optimizers:
            o.zero_grad(set_to_none=True)
        loss(out(table(x)), y).backward()
        for o in optimizers:
            o.step()

    return run


def pictures(form):
    """Reads the next 64 pictures of a format, as ImageFolder and DataLoader do by default, in this process."""
    batches = []

    def run():
        if not batches:
            from torchvision import datasets, transforms
            steps = transforms.Compose([transforms.Resize(224), transforms.CenterCrop(224), transforms.ToTensor()])
            folder = datasets.ImageFolder(os.path.join(os.environ["DL4GO_BENCH_PICTURES"], form), steps)
            batches.append(torch.utils.data.DataLoader(folder, batch_size=64))
            batches.append(iter(batches[0]))
        try:
            next(batches[1])
        except StopIteration:
            batches[1] = iter(batches[0])
            next(batches[1])

    return run


def works():
    y = torch.arange(64) % 10
    x, images = torch.rand(64, 784), torch.rand(64, 1, 28, 28)
    m, c = mlp(), lenet()
    chars, steps = Chars(), nn.functional.one_hot(torch.arange(3200) * 7 % 77, 77).float().view(50, 64, 77)
    r, photos = resnet(), torch.rand(32, 3, 32, 32)
    n, t, long = mobilenet(), Attention(), torch.rand(8, 512, 64)
    a, b = torch.rand(1024, 1024), torch.rand(1024, 1024)
    w = torch.rand(500, 784)
    return {
        "mlp-step": step(m, torch.optim.SGD(m.parameters(), 0.1, 0.9, nesterov=True), x, y),
        "mlp-output": output(mlp(), x),
        "lenet-step": step(c, torch.optim.Adam(c.parameters(), 1e-3), images, y),
        "lstm-step": step(chars, torch.optim.Adam(chars.parameters(), 1e-3), steps, torch.arange(3200) % 77),
        "resnet-step": step(r, torch.optim.SGD(r.parameters(), 0.01, 0.9, nesterov=True), photos, y[:32]),
        "mobilenet-step": step(n, torch.optim.SGD(n.parameters(), 0.01, 0.9, nesterov=True), photos, y[:32]),
        "attention-step": step(t, torch.optim.Adam(t.parameters(), 1e-3), long, y[:8]),
        "embedding-step": embedding(torch.optim.SGD),
        "embedding-adam-step": embedding(torch.optim.Adam),
        "embedding-lazyadam-step": embedding(torch.optim.SparseAdam),
        "lenet-output": output(lenet(), images),
        "pictures": pictures("jpeg"),
        "pngs": pictures("png"),
        "sgemm-1024": lambda: a @ b,
        "product-64x500x784": lambda: x @ w.t(),
    }


def main():
    all_works = works()
    print("ready", torch.__version__, flush=True)
    for line in sys.stdin:
        name, calls = line.split()
        run, n = all_works[name], int(calls)
        start = time.perf_counter()
        for _ in range(n):
            run()
        print((time.perf_counter() - start) / n * 1e3, flush=True)


main()
