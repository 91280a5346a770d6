// A program with ONNX Runtime's own C++ header, which no package registry has, so that it is run by hand:
//
//   c++ -std=c++17 -I HEADERS sample.cc -L target/debug -l:libonnxruntime.so -o sample && ./sample
//
// It prints `all right` and returns 0 if every step has the result that is expected.

#include <onnxruntime_cxx_api.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

static void expect(bool is_so, const char* what) {
  if (is_so) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::exit(1);
}

static std::string model(const std::string& graph) {
  return "<ir_version: 8, opset_import: [\"\": 17, \"ai.onnx.ml\": 3], producer_name: \"a tool\"> " + graph;
}

static Ort::Session session(Ort::Env& env, const std::string& graph) {
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(1).SetGraphOptimizationLevel(ORT_ENABLE_ALL).AddConfigEntry("session.load_model_format", "ONNX");
  const std::string text = model(graph);
  return Ort::Session(env, text.data(), text.size(), options);
}

static void tensors(Ort::Env& env) {
  Ort::Session own = session(env, "g (float[N, 2] x) => (float[N, 2] y) { y = Add(x, x) }");
  Ort::AllocatorWithDefaultOptions allocator;
  expect(std::string(own.GetInputNameAllocated(0, allocator).get()) == "x", "the input is x");
  Ort::TypeInfo type = own.GetInputTypeInfo(0);
  expect(type.GetTensorTypeAndShapeInfo().GetShape() == std::vector<int64_t>{-1, 2}, "its shape is [N, 2]");
  expect(std::string(own.GetModelMetadata().GetProducerNameAllocated(allocator).get()) == "a tool", "the producer");
  std::vector<float> data{1, 2, 3, 4};
  std::vector<int64_t> shape{2, 2};
  Ort::MemoryInfo memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  Ort::Value x = Ort::Value::CreateTensor<float>(memory, data.data(), data.size(), shape.data(), shape.size());
  const char* inputs[] = {"x"};
  const char* outputs[] = {"y"};
  std::vector<Ort::Value> results = own.Run(Ort::RunOptions{nullptr}, inputs, &x, 1, outputs, 1);
  expect(results[0].GetTensorData<float>()[3] == 8, "4 + 4 = 8");
  expect(results[0].GetTensorTypeAndShapeInfo().GetElementCount() == 4, "four elements");

  Ort::IoBinding binding(own);
  binding.BindInput("x", x);
  binding.BindOutput("y", memory);
  own.Run(Ort::RunOptions{}, binding);
  expect(binding.GetOutputNames() == std::vector<std::string>{"y"}, "y is bound");
  expect(binding.GetOutputValues()[0].GetTensorMutableData<float>()[0] == 2, "1 + 1 = 2");
}

static void strings(Ort::Env& env) {
  Ort::Session own = session(env, "g (string[N] x) => (string[M] y) { y = Concat <axis = 0> (x, x) }");
  Ort::AllocatorWithDefaultOptions allocator;
  const int64_t shape[] = {2};
  Ort::Value x = Ort::Value::CreateTensor(allocator, shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
  const char* texts[] = {"one", "two"};
  x.FillStringTensor(texts, 2);
  const char* inputs[] = {"x"};
  const char* outputs[] = {"y"};
  std::vector<Ort::Value> results = own.Run(Ort::RunOptions{nullptr}, inputs, &x, 1, outputs, 1);
  std::string last(results[0].GetStringTensorElementLength(3), ' ');
  results[0].GetStringTensorElement(last.size(), 3, &last[0]);
  expect(last == "two", "the last string is two");
}

static void maps(Ort::Env& env) {
  Ort::Session own = session(env, "g (float[N, 2] x) => (seq(map(int64, float)) z)"
                                  " { z = ai.onnx.ml.ZipMap <classlabels_int64s = [3, 5]> (x) }");
  Ort::AllocatorWithDefaultOptions allocator;
  expect(own.GetOutputTypeInfo(0).GetSequenceTypeInfo().GetSequenceElementType().GetONNXType() == ONNX_TYPE_MAP, "maps");
  float data[] = {0.25, 0.75};
  const int64_t shape[] = {1, 2};
  Ort::MemoryInfo memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeCPU);
  Ort::Value x = Ort::Value::CreateTensor<float>(memory, data, 2, shape, 2);
  const char* inputs[] = {"x"};
  const char* outputs[] = {"z"};
  std::vector<Ort::Value> results = own.Run(Ort::RunOptions{nullptr}, inputs, &x, 1, outputs, 1);
  expect(results[0].GetCount() == 1, "one map");
  Ort::Value map = results[0].GetValue(0, allocator);
  expect(map.GetValue(0, allocator).GetTensorData<int64_t>()[1] == 5, "the second key is 5");
  expect(map.GetValue(1, allocator).GetTensorData<float>()[1] == 0.75, "its value is 0.75");
}

static void errors(Ort::Env& env) {
  try {
    session(env, "g (float[N] x) => (float[N] y) { y = Neg(z) }");
    expect(false, "a model without z is an error");
  } catch (const Ort::Exception& error) {
    expect(error.GetOrtErrorCode() == ORT_INVALID_GRAPH, "its code is INVALID_GRAPH");
    std::printf("an error, as expected: %s\n", error.what());
  }
  try {
    Ort::CustomOpDomain domain("org.example");
    expect(false, "custom operators are not implemented");
  } catch (const Ort::Exception& error) {
    expect(error.GetOrtErrorCode() == ORT_NOT_IMPLEMENTED, "its code is NOT_IMPLEMENTED");
  }
}

int main() {
  Ort::Env env(ORT_LOGGING_LEVEL_WARNING, "sample");
  expect(Ort::GetAvailableProviders() == std::vector<std::string>{"CPUExecutionProvider"}, "one provider");
  tensors(env);
  strings(env);
  maps(env);
  errors(env);
  std::printf("all right\n");
}
