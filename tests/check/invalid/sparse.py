"""Faults of sparse tensors."""

from invalid.faults import *  # noqa: F403
from models import *  # noqa: F403

S = at("sparse initializer 0 'w'")
case("sparse-complete", S, sparse(), lambda m: m.graph.sparse_initializer[0].ClearField("indices"))
for bad in ([], [0, 4], [-3, 4]):
    case("sparse-extents", S, sparse(), lambda m: (m.graph.sparse_initializer[0].ClearField("dims"), m.graph.sparse_initializer[0].dims.extend(bad)))
case("sparse-size", S, sparse(), lambda m: (m.graph.sparse_initializer[0].dims.__setitem__(0, 1 << 40)))
case("sparse-size", S, sparse(), lambda m: (m.graph.sparse_initializer[0].ClearField("dims"), m.graph.sparse_initializer[0].dims.extend([1 << 62, 1 << 62])))
case("sparse-values-rank", S, sparse(), lambda m: m.graph.sparse_initializer[0].values.dims.append(1))
case("sparse-values-rank", S, sparse(values=(1.0,), indices=(1,)), lambda m: m.graph.sparse_initializer[0].values.ClearField("dims"))
case("sparse-index-type", S, sparse(), lambda m: m.graph.sparse_initializer[0].indices.CopyFrom(tensor("", INT32, [2], [1, 7])))
case("sparse-index-type", S, sparse(), lambda m: m.graph.sparse_initializer[0].indices.CopyFrom(tensor("", FLOAT, [2], [1, 7])))
case("sparse-index-shape", S, sparse(indices=(1, 5, 7), shape=[3]))
case("sparse-index-shape", S, sparse(indices=(0, 1, 1, 1, 2, 2), shape=[2, 3]))
case("sparse-index-shape", S, sparse(indices=(1, 7), shape=[1, 2, 1]))
for bad in ((1, 12), (-1, 7), (1, 1 << 40)):
    case("sparse-index-range", S, sparse(indices=bad))
for bad in ((0, 1, 1, 4), (0, 1, 3, 0), (-1, 1, 2, 2)):
    case("sparse-index-range", S, sparse(indices=bad, shape=[2, 2]))
case("sparse-index-unique", S, sparse(indices=(7, 7)))
case("sparse-index-unique", S, sparse(indices=(1, 2, 1, 2), shape=[2, 2]))
case("sparse-index-order", S, sparse(indices=(7, 1)))
case("sparse-index-order", S, sparse(indices=(2, 0, 1, 3), shape=[2, 2]))
case("sparse-index-order", S, sparse(indices=(1, 3, 1, 0), shape=[2, 2]))
