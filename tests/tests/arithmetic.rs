//! The order of floating-point operations: with `--strict-fp` a model gives the results of its nodes one by one, bit
//! for bit.

use driver::{Arithmetic, Blob, Options, Part, Tensor, Type};
use tests::graphs::{self, NODES, Node, Numbers, bits, graph, input};

/// Both inner extents of the values of graphs.
const EXTENT: usize = 8;
const GRAPHS: u64 = 60;

fn run(nodes: &[(usize, &Node)], values: &[Tensor], options: &Options) -> Tensor {
    graphs::run(nodes, EXTENT, values, options).unwrap_or_else(|errors| panic!("{}", errors[0]))
}

fn check(arithmetic: Arithmetic) {
    let options = Options { arithmetic, ..Options::default() };
    for seed in 0..GRAPHS {
        let mut numbers = Numbers(seed);
        let nodes = graph(&mut numbers, EXTENT, arithmetic == Arithmetic::Fixed);
        let numbered: Vec<(usize, &Node)> = nodes.iter().enumerate().map(|(at, node)| (at + 1, node)).collect();
        let mut values = vec![input(&mut numbers, EXTENT)];
        for node in &numbered {
            let value = run(&[*node], &values, &options);
            values.push(value);
        }
        let last = values.last().expect("there are values");
        if bits(&run(&numbered, &values, &options)) != bits(last) {
            let differs = |&end: &usize| bits(&run(&numbered[..end], &values, &options)) != bits(&values[end]);
            let end = (1..=NODES).find(differs).unwrap_or(NODES);
            let text = |node: &Node| format!("{} of {:?}", node.operator, node.operands);
            let texts: Vec<String> = nodes[..end].iter().map(text).collect();
            panic!("graph {seed} under {arithmetic:?}:\n{}", texts.join("\n"));
        }
        if arithmetic == Arithmetic::Fixed {
            let alone = Options { threads: 1, ..options.clone() };
            assert!(bits(&run(&numbered, &values, &alone)) == bits(last), "graph {seed} on one thread");
        }
    }
}

#[test]
fn strict_arithmetic_is_that_of_the_nodes_one_by_one() {
    check(Arithmetic::Strict);
}

#[test]
fn fixed_arithmetic_is_that_of_the_nodes_one_by_one_whatever_they_add_up() {
    check(Arithmetic::Fixed);
}

/// A compiler without all optional features computes the same.
#[test]
fn what_is_left_out_changes_no_bit() {
    let whole = Options { arithmetic: Arithmetic::Strict, ..Options::default() };
    let bare = Options { without: Part::ALL.to_vec(), ..whole.clone() };
    for seed in 0..GRAPHS / 4 {
        let mut numbers = Numbers(seed);
        let nodes = graph(&mut numbers, EXTENT, false);
        let numbered: Vec<(usize, &Node)> = nodes.iter().enumerate().map(|(at, node)| (at + 1, node)).collect();
        let x = [input(&mut numbers, EXTENT)];
        assert!(bits(&run(&numbered, &x, &bare)) == bits(&run(&numbered, &x, &whole)), "graph {seed}");
    }
}

/// `(x + 1e8) - 1e8` and `(x w) s`, as written.
#[test]
fn what_is_written_is_what_is_computed() {
    let constant = |text: &str| Err(("tensor<f32>".to_string(), text.to_string()));
    let rounding = [
        Node { operator: "Add {}", operands: vec![Ok(0), constant("1.0e8")] },
        Node { operator: "Sub {}", operands: vec![Ok(1), constant("1.0e8")] },
    ];
    let mut numbers = Numbers(7);
    let x = input(&mut numbers, EXTENT);
    let numbered =
        |nodes: &'static [Node]| nodes.iter().enumerate().map(|(at, node)| (at + 1, node)).collect::<Vec<_>>();
    let rounding: &'static [Node] = Box::leak(Box::new(rounding));
    for arithmetic in [Arithmetic::Reassociated, Arithmetic::Strict, Arithmetic::Fixed] {
        let options = Options { arithmetic, ..Options::default() };
        let zeros = run(&numbered(rounding), std::slice::from_ref(&x), &options);
        assert!(zeros.to_f64().is_some_and(|numbers| numbers.iter().all(|&number| number == 0.0)), "{arithmetic:?}");
    }
}

/// Elements of one vector do not affect each other, even if one of them takes another path.
#[test]
fn an_element_does_not_depend_on_its_neighbours() {
    let node = Node { operator: "Sin {}", operands: vec![Ok(0)] };
    let mut numbers = Numbers(3);
    let x = input(&mut numbers, EXTENT);
    let scaled: Vec<f32> =
        x.to_f64().expect("they are floats").iter().map(|&number| (number * 40_000.0) as f32).collect();
    let tensor = |numbers: &[f32]| {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        Tensor::new(Type::F32, x.shape.clone(), Blob::copy_of(&bytes)).expect("the number of bytes matches the shape")
    };
    let sine = |numbers: &[f32]| bits(&run(&[(1, &node)], &[tensor(numbers)], &Options::default()));
    let mut disturbed = scaled.clone();
    disturbed.iter_mut().step_by(3).for_each(|number| *number = 1e9);
    let (alone, together) = (sine(&scaled), sine(&disturbed));
    for (at, (alone, together)) in alone.iter().zip(&together).enumerate().filter(|(at, _)| at % 3 != 0) {
        assert_eq!(alone, together, "element {at}: the sine of {}", scaled[at]);
    }
}
