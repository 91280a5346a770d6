//! Device configurations and sharding.

use proto::{Model, NodeDeviceConfigurationProto, NodeProto, ShardingSpecProto, TypeValue};

use crate::repeats::repeats;
use crate::{Finder, Part, Rule, Step, Visit, violation};

const CONFIGURATION: &str = "onnx.proto, DeviceConfigurationProto";
const NODE: &str = "onnx.proto, NodeDeviceConfigurationProto";
const SHARDING: &str = "onnx.proto, ShardingSpecProto";

pub(super) const RULES: &[Rule] = &[
    violation("device-named", CONFIGURATION, "A device configuration has a name.", Finder::Model(named)).from(11),
    violation(
        "device-unique",
        CONFIGURATION,
        "No two device configurations have the same name.",
        Finder::Model(unique),
    )
    .from(11),
    violation("device-count", CONFIGURATION, "A device configuration has devices.", Finder::Model(count)).from(11),
    violation(
        "device-names",
        CONFIGURATION,
        "A device configuration names all of its devices or none.",
        Finder::Model(names),
    )
    .from(11),
    violation(
        "device-configuration-known",
        NODE,
        "A node's device configuration is one of the model's.",
        Finder::Node(known),
    )
    .from(11),
    violation("sharding-tensor", SHARDING, "A sharded tensor is an input or output of the node.", Finder::Node(tensor))
        .from(11),
    violation("sharding-device", SHARDING, "A shard is on a device of the configuration.", Finder::Node(device))
        .from(11),
    violation(
        "sharding-axis",
        "onnx.proto, ShardedDimProto.axis",
        "A sharded axis is one of the tensor's.",
        Finder::Node(axis),
    )
    .from(11),
    violation(
        "sharding-shards",
        "onnx.proto, SimpleShardedDimProto.num_shards",
        "A sharded tensor has shards.",
        Finder::Node(shards),
    )
    .from(11),
];

fn named(visit: &mut Visit<'_, '_>, model: &Model) {
    for (index, configuration) in model.proto.configuration.iter().enumerate() {
        if configuration.name.is_empty() {
            visit.found_at(&[Step::number(Part::Configuration, index, "")], || "has no name".into());
        }
    }
}

fn unique(visit: &mut Visit<'_, '_>, model: &Model) {
    let configurations = &model.proto.configuration;
    for (index, _) in repeats(configurations, |configuration| &configuration.name) {
        let step = Step::number(Part::Configuration, index, &configurations[index].name);
        visit.found_at(&[step], || "is called like another".into());
    }
}

fn count(visit: &mut Visit<'_, '_>, model: &Model) {
    for (index, configuration) in model.proto.configuration.iter().enumerate() {
        if configuration.num_devices < 1 {
            let step = Step::number(Part::Configuration, index, &configuration.name);
            visit.found_at(&[step], || format!("has {} devices", configuration.num_devices));
        }
    }
}

fn names(visit: &mut Visit<'_, '_>, model: &Model) {
    for (index, configuration) in model.proto.configuration.iter().enumerate() {
        let (named, right) = (configuration.device.len(), configuration.num_devices);
        if named != 0 && right > 0 && named != right as usize {
            let step = Step::number(Part::Configuration, index, &configuration.name);
            visit.found_at(&[step], || format!("names {named} devices of {right}"));
        }
    }
}

/// The device configurations of a node, each with the step to it.
fn each<'m>(node: &'m NodeProto) -> impl Iterator<Item = (Step<&'m str>, &'m NodeDeviceConfigurationProto)> {
    let step = |(index, own): (usize, &'m NodeDeviceConfigurationProto)| {
        (Step::number(Part::DeviceConfiguration, index, &own.configuration_id), own)
    };
    node.device_configurations.iter().enumerate().map(step)
}

/// The shardings of a node, each with the steps to it.
fn shardings(
    node: &NodeProto,
) -> impl Iterator<Item = ([Step<&str>; 2], &NodeDeviceConfigurationProto, &ShardingSpecProto)> {
    each(node).flat_map(|(step, own)| {
        let inner = own.sharding_spec.iter().enumerate();
        inner.map(move |(index, sharding)| {
            ([step, Step::number(Part::Tensor, index, &sharding.tensor_name)], own, sharding)
        })
    })
}

fn known(visit: &mut Visit<'_, '_>, node: &NodeProto) {
    let walk = visit.walk;
    for (step, own) in each(node) {
        if !walk.proto().configuration.iter().any(|known| known.name == own.configuration_id) {
            visit
                .found_at(&[step], || format!("'{}' is not a device configuration of the model", own.configuration_id));
        }
    }
}

fn tensor(visit: &mut Visit<'_, '_>, node: &NodeProto) {
    for (steps, _, sharding) in shardings(node) {
        if sharding.tensor_name.is_empty() || !node.input.iter().chain(&node.output).any(|n| *n == sharding.tensor_name)
        {
            visit.found_at(&steps, || "is neither an input nor an output of the node".into());
        }
    }
}

/// A number that is a key of the map denotes a group of devices.
fn device(visit: &mut Visit<'_, '_>, node: &NodeProto) {
    let walk = visit.walk;
    for (steps, own, sharding) in shardings(node) {
        let configuration = walk.proto().configuration.iter().find(|known| known.name == own.configuration_id);
        let Some(count) = configuration.map(|known| i64::from(known.num_devices)) else { continue };
        let groups = &sharding.index_to_device_group_map;
        let single = sharding.device.iter().filter(|index| !groups.iter().any(|group| group.key == **index));
        let wrong =
            single.chain(groups.iter().flat_map(|group| &group.value)).find(|index| !(0..count).contains(*index));
        if let Some(wrong) = wrong {
            visit.found_at(&steps, || format!("is on device {wrong}; the configuration has {count}"));
        }
    }
}

/// The rank of a value with a declared type.
fn rank(visit: &Visit<'_, '_>, name: &str) -> Option<i64> {
    let graph = visit.walk.graph()?;
    if let Some(tensor) = graph.initializer.iter().find(|tensor| tensor.name == name) {
        return Some(tensor.dims.len() as i64);
    }
    let mut stated = graph.input.iter().chain(&graph.output).chain(&graph.value_info);
    match stated.find(|value| value.name == name)?.r#type.as_ref()?.value.as_ref()? {
        TypeValue::Tensor(tensor) => Some(tensor.shape.as_ref()?.dim.len() as i64),
        _ => None,
    }
}

fn axis(visit: &mut Visit<'_, '_>, node: &NodeProto) {
    for (steps, _, sharding) in shardings(node) {
        let Some(rank) = rank(visit, &sharding.tensor_name) else { continue };
        if let Some(wrong) = sharding.sharded_dim.iter().find(|dim| !(-rank..rank).contains(&dim.axis)) {
            visit.found_at(&steps, || format!("is sharded along axis {} of {rank}", wrong.axis));
        }
    }
}

fn shards(visit: &mut Visit<'_, '_>, node: &NodeProto) {
    for (steps, _, sharding) in shardings(node) {
        let simple = sharding.sharded_dim.iter().flat_map(|dim| &dim.simple_sharding);
        if let Some(wrong) = simple.into_iter().find(|simple| simple.num_shards < 1) {
            visit.found_at(&steps, || format!("has {} shards", wrong.num_shards));
        }
    }
}
