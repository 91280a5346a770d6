//! The commands of the README work, and its program compiles.

use std::path::Path;
use std::process::Command;

use tests::conformance::repository;
use tests::node::{model, node, tensor_type, value_info, write};
use tests::npy;
use tests::scratch;
use tests::worker::onnxc;

/// The blocks of a kind in a Markdown text.
fn blocks<'t>(text: &'t str, kind: &str) -> Vec<&'t str> {
    let start = format!("```{kind}\n");
    text.split(&start).skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect()
}

/// Runs a script in a folder, with the tools as commands.
fn run(script: &str, folder: &Path, tools: &Path) -> String {
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("bash").args(["-e", "-c", script]).current_dir(folder).env("PATH", path).output();
    let output = output.unwrap_or_else(|error| panic!("bash: {error}"));
    assert!(output.status.success(), "{script}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Creates the inputs of the README's commands: a model of one input `x`, its data, and MLIR.
fn prepare(folder: &Path, tools: &Path) {
    std::fs::create_dir_all(folder.join("target/dist")).expect("the folder takes folders");
    let mut pool = node("GlobalAveragePool", 1, 1, vec![]);
    pool.input = vec!["x".into()];
    let input = value_info("x", Some(tensor_type(1, &[1, 3, 224, 224].map(Some))));
    let model = write(&model("", 17, pool, &[input]), "readme");
    for name in ["model.onnx", "squeezenet.onnx"] {
        std::fs::copy(&model, folder.join(name)).expect("the folder takes files");
    }
    let runtime = folder.join("target/dist/libruntime.a");
    let _ = std::fs::remove_file(&runtime);
    std::os::unix::fs::symlink(tools.join("libruntime.a"), &runtime).expect("the folder takes links");
    let picture = npy::floats(&[1, 3, 224, 224], &vec![0.5; 3 * 224 * 224]);
    std::fs::write(folder.join("picture.npy"), picture).expect("the folder takes files");
    let set = folder.join("folder/test_data_set_0");
    std::fs::create_dir_all(&set).expect("the folder takes folders");
    for (name, dims) in [("input_0.pb", vec![1, 3, 224, 224]), ("output_0.pb", vec![1, 3, 1, 1])] {
        let count = dims.iter().product::<i64>() as usize;
        let tensor = proto::TensorProto { data_type: 1, dims, float_data: vec![0.5; count], ..Default::default() };
        std::fs::write(set.join(name), proto::Message::encode_to_vec(&tensor)).expect("the folder takes files");
    }
    let text = "\"builtin.module\"() ({\n  \"func.func\"() ({\n    \"func.return\"() : () -> ()\n  }) \
                {function_type = () -> (), sym_name = \"main_graph\"} : () -> ()\n}) : () -> ()\n";
    std::fs::write(folder.join("file.mlir"), text).expect("the folder takes files");
}

#[test]
fn every_command_works() {
    let readme = std::fs::read_to_string(repository().join("README.md")).expect("it is there");
    let folder = scratch::folder("readme");
    let program = onnxc(Path::new(env!("CARGO_BIN_EXE_models")));
    let tools = program.parent().expect("it is in a folder");
    prepare(&folder, tools);
    let programs = blocks(&readme, "c");
    assert_eq!(programs.len(), 1);
    std::fs::write(folder.join("main.c"), programs[0]).expect("the folder takes files");
    let help = run("./x help", &repository(), tools);
    let scripts = blocks(&readme, "sh");
    assert!(scripts.len() >= 4, "commands are in sh blocks");
    for script in scripts {
        // commands that set up, build and test are not run again in a test, but they must exist
        let (own, others): (Vec<&str>, Vec<&str>) = script.lines().partition(|line| line.starts_with("./x "));
        for line in own {
            let command = line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
            assert!(help.contains(&command), "{command}: {help}");
        }
        run(&others.join("\n"), &folder, tools);
    }
    assert!(folder.join("results/y0.npy").exists());
    // every block has a language, so that none is missed
    let fences: Vec<&str> = readme.lines().filter(|line| line.starts_with("```")).collect();
    assert!(fences.chunks(2).all(|fences| fences[0] != "```"), "{fences:?}");
}
