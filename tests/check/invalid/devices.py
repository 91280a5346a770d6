"""Faults of devices."""

from invalid.faults import *  # noqa: F403
from models import *  # noqa: F403

def spec(made):
    return first(made).device_configurations[0].sharding_spec[0]


NODE_DEVICE = at("node 0 'relu'", "device configuration 0 'pair'", "tensor 0 'x'")
case("device-named", "configuration 1", devices(), lambda m: m.configuration.add(num_devices=1))
case("device-unique", "configuration 1 'pair'", devices(), lambda m: m.configuration.add(name="pair", num_devices=2))
for bad in (0, -1):
    case("device-count", "configuration 1 'none'", devices(), lambda m: m.configuration.add(name="none", num_devices=bad))
case("device-names", "configuration 0 'pair'", devices(), lambda m: m.configuration[0].device.append("third"))
case("device-names", "configuration 0 'pair'", devices(), lambda m: m.configuration[0].device.pop())
case("device-configuration-known", at("node 0 'relu'", "device configuration 0 'other'"), devices(), lambda m: setattr(first(m).device_configurations[0], "configuration_id", "other"))
case("device-configuration-known", at("node 0 'relu'", "device configuration 0"), devices(), lambda m: setattr(first(m).device_configurations[0], "configuration_id", ""))
case("sharding-tensor", at("node 0 'relu'", "device configuration 0 'pair'", "tensor 0 'q'"), devices(), lambda m: (setattr(spec(m), "tensor_name", "q")))
for bad in (2, -1):
    case("sharding-device", NODE_DEVICE, devices(), lambda m: spec(m).device.__setitem__(0, bad))
case("sharding-device", NODE_DEVICE, devices(), lambda m: spec(m).index_to_device_group_map.add(key=0, value=[0, 5]))
for bad in (2, -3):
    case("sharding-axis", NODE_DEVICE, devices(), lambda m: setattr(spec(m).sharded_dim[0], "axis", bad))
for bad in (0, -2):
    case("sharding-shards", NODE_DEVICE, devices(), lambda m: setattr(spec(m).sharded_dim[0].simple_sharding[0], "num_shards", bad))
