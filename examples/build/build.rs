fn main() {
    onnxc_build::Model::new("softmax.onnxtxt").compile();
}
