"""`torch.compile` with this package: results of small models equal PyTorch's, and what is not compiled stays right.

Needs torch and onnxscript; `./x clients` runs it.
"""

import warnings

import torch
from onnxc.torch import backend

#: largest difference relative to the largest result
TOLERANCE = 1e-5


class Counter(torch.nn.Module):
    """Changes a buffer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("runs", torch.zeros(1))

    def forward(self, x):
        self.runs.add_(1)
        return x * self.runs


class Branch(torch.nn.Module):
    """Has two graphs, one for each sign."""

    def forward(self, x):
        return x * 2 if x.sum() > 0 else x - 1


def check(model, *inputs):
    """Compares results for each input, with the default handling of extents that change."""
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=backend)
    with torch.no_grad():
        for x in inputs:
            expected, found = model(x), compiled(x)
            assert found.dtype == expected.dtype and found.shape == expected.shape
            error = (found.double() - expected.double()).abs().max() / expected.double().abs().max().clamp(min=1)
            assert error <= TOLERANCE, f"{type(model).__name__}: {error}"
    return compiled


def main():
    # a graph that stays in PyTorch would be equal as well
    warnings.filterwarnings("error", message="onnxc:")
    torch.manual_seed(0)
    random = torch.randn
    dense = torch.nn.Sequential(
        torch.nn.Linear(16, 32), torch.nn.BatchNorm1d(32), torch.nn.GELU(), torch.nn.Linear(32, 4)
    ).eval()
    compiled = check(dense, random(3, 16), random(5, 16), random(6, 16))
    with torch.no_grad():
        x = random(3, 16)
        before = compiled(x)
        dense[0].weight.mul_(2)
        assert torch.allclose(compiled(x), dense(x), atol=1e-5) and not torch.allclose(compiled(x), before)
    pictures = torch.nn.Sequential(
        torch.nn.Conv2d(3, 16, 3, stride=2), torch.nn.SiLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()
    ).eval()
    check(pictures, random(1, 3, 64, 64), random(4, 3, 32, 48))
    check(torch.nn.Embedding(10, 4).bfloat16().eval(), torch.arange(6).reshape(2, 3))
    check(Branch(), random(3).abs(), -random(3).abs())

    counted = torch.compile(Counter(), backend=backend)
    assert [counted(torch.ones(1)).item() for _ in range(3)] == [1, 2, 3]
    trained = torch.nn.Linear(4, 1)
    torch.compile(trained, backend=backend)(random(2, 4)).sum().backward()
    assert trained.weight.grad is not None
    print("torch.compile: right")


if __name__ == "__main__":
    main()
