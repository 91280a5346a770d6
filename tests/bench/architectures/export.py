"""Architectures that are not among the models, exported by torch with random weights: `export.py FOLDER [NAME...]`.

Each becomes FOLDER/NAME/model.onnx, with one set of inputs and torch's outputs in test_data_set_0, so that `bench.py ONNX_RUN
FOLDER` measures it. With `--check ONNX_RUN` results are compared with torch's on each back end. Needs what requirements.txt in its folder lists.
"""

import argparse
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy
import onnx
import timm
import torch
import torchvision
import transformers
from onnx import numpy_helper

TORCHVISION = [
    "mobilenet_v2", "mobilenet_v3_large", "efficientnet_b0", "densenet121", "regnet_y_400mf", "mnasnet1_0", "convnext_tiny", "swin_t",
    "maxvit_t", "vgg11",
]  # fmt: skip
SEGMENTATION = ["deeplabv3_mobilenet_v3_large", "lraspp_mobilenet_v3_large", "fcn_resnet50"]
TIMM = [
    "pvt_v2_b0", "tiny_vit_5m_224", "mobilenetv4_conv_small", "levit_128s", "mixer_s32_224", "ghostnet_100", "edgenext_small",
    "poolformer_s12", "efficientformer_l1", "mobilevit_s", "xcit_nano_12_p16_224", "fastvit_t8", "repvit_m0_9", "hrnet_w18_small",
    "res2net50_26w_4s", "dpn68", "convmixer_768_32", "gcvit_xxtiny", "focalnet_tiny_srf", "davit_tiny", "inception_next_tiny",
    "rexnet_100", "eva02_tiny_patch14_224", "coat_lite_tiny", "nfnet_l0", "mvitv2_tiny", "crossvit_tiny_240", "resnest14d", "skresnet18",
    "volo_d1_224", "efficientvit_b0", "swiftformer_xs", "caformer_s18", "tf_efficientnetv2_b0", "twins_pcpvt_small", "visformer_tiny",
    "cait_xxs24_224", "sequencer2d_s",
]  # fmt: skip
SMALL = dict(hidden_size=256, num_hidden_layers=4, num_attention_heads=4, intermediate_size=1024, vocab_size=1000)
GROUPED = dict(SMALL, num_key_value_heads=2, use_cache=False)
#: class and configuration, options of the latter, extent of the words or shape of the numbers that it takes
TRANSFORMERS = {
    "albert": ("AlbertModel", "AlbertConfig", dict(SMALL), 128),
    "bert": ("BertModel", "BertConfig", dict(SMALL), 128),
    "clip_text": ("CLIPTextModel", "CLIPTextConfig", dict(SMALL), 77),
    "deberta": (
        "DebertaV2Model", "DebertaV2Config",
        dict(SMALL, relative_attention=True, pos_att_type=["p2c", "c2p"], position_buckets=64), 128,
    ),
    "dinov2": (
        "Dinov2Model", "Dinov2Config", dict(hidden_size=192, num_hidden_layers=4, num_attention_heads=3), (1, 3, 224, 224),
    ),
    "distilbert": ("DistilBertModel", "DistilBertConfig", dict(dim=256, n_layers=4, n_heads=4, hidden_dim=1024, vocab_size=1000), 128),
    "gemma": ("GemmaModel", "GemmaConfig", dict(GROUPED, head_dim=64), 128),
    "gpt2": ("GPT2Model", "GPT2Config", dict(n_embd=256, n_layer=4, n_head=4, vocab_size=1000, use_cache=False), 128),
    "llama": ("LlamaModel", "LlamaConfig", dict(GROUPED), 128),
    "mamba": ("MambaModel", "MambaConfig", dict(hidden_size=128, num_hidden_layers=2, vocab_size=1000, use_cache=False), 32),
    "mobilebert": ("MobileBertModel", "MobileBertConfig", dict(num_hidden_layers=4, vocab_size=1000), 128),
    "modernbert": ("ModernBertModel", "ModernBertConfig", dict(SMALL, pad_token_id=0), 128),
    "qwen3": ("Qwen3Model", "Qwen3Config", dict(GROUPED, head_dim=64), 128),
    "segformer": ("SegformerForSemanticSegmentation", "SegformerConfig", {}, (1, 3, 256, 256)),
    "wav2vec2": (
        "Wav2Vec2Model", "Wav2Vec2Config",
        dict(hidden_size=256, num_hidden_layers=2, num_attention_heads=4, intermediate_size=1024), (1, 16000),
    ),
}  # fmt: skip


def vision(build):
    """What makes a model of pictures, and a picture."""

    def make():
        model = build()
        shape = getattr(model, "default_cfg", {}).get("input_size", (3, 224, 224))
        return model, torch.randn(1, *shape)

    return make


def language(name):
    kind, configuration, options, taken = TRANSFORMERS[name]

    def make():
        model = getattr(transformers, kind)(getattr(transformers, configuration)(**options))
        given = torch.randint(0, 900, (1, taken)) if isinstance(taken, int) else torch.randn(taken)
        return model, given

    return make


def architectures():
    """By name, what makes a model and what it takes."""
    models, segmentation = torchvision.models, torchvision.models.segmentation
    found = {name: vision(lambda name=name: getattr(models, name)(weights=None)) for name in TORCHVISION}
    for name in SEGMENTATION:
        found[name] = vision(lambda name=name: getattr(segmentation, name)(weights=None, weights_backbone=None))
    for name in TIMM:
        found[name] = vision(lambda name=name: timm.create_model(name, pretrained=False))
    return found | {name: language(name) for name in TRANSFORMERS}


class First(torch.nn.Module):
    """The first tensor that a model gives."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, given):
        result = self.model(given)
        while not torch.is_tensor(result):
            result = next(iter(result.values() if isinstance(result, dict) else result))
        return result


def export(make, folder):
    """Writes a model with random statistics, which keep the numbers of deep ones sensible, and a set of data."""
    torch.manual_seed(0)
    model, given = make()
    for module in model.modules():
        if isinstance(module, (torch.nn.BatchNorm1d, torch.nn.BatchNorm2d)):
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
    model = First(model).eval()
    data = folder / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    with torch.no_grad():
        expected = model(given)
        torch.onnx.export(model, (given,), folder / "model.onnx", dynamo=True, external_data=False, verbose=False)
    graph = onnx.load(folder / "model.onnx").graph
    for kind, info, tensor in (("input", graph.input[0], given), ("output", graph.output[0], expected)):
        proto = numpy_helper.from_array(tensor.numpy(), info.name)
        (data / f"{kind}_0.pb").write_bytes(proto.SerializeToString())


def check(onnx_run, folder):
    """How far results are from torch's, by the largest number of those; None where a run fails."""
    data = folder / "test_data_set_0"
    expected = numpy_helper.to_array(onnx.TensorProto.FromString((data / "output_0.pb").read_bytes()))
    for backend in ("cranelift", "llvm"):
        with tempfile.TemporaryDirectory() as results:
            saved = Path(results) / "results.npz"
            command = [onnx_run, folder / "model.onnx", "--inputs", data, "--backend", backend, "--no-cache", "--save", saved]
            done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
            if done.returncode != 0:
                yield backend, None
                continue
            found = next(iter(numpy.load(saved).values()))
            yield backend, float(numpy.abs(found - expected).max() / max(numpy.abs(expected).max(), 1e-30))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--check", type=Path, metavar="ONNX_RUN")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    failed = False
    for name, make in architectures().items():
        folder = arguments.folder / name
        if arguments.names and name not in arguments.names:
            continue
        if not (folder / "test_data_set_0" / "output_0.pb").exists():
            export(make, folder)
        errors = dict(check(arguments.check, folder)) if arguments.check else {}
        failed |= any(error is None or not error < 1e-3 for error in errors.values())
        print(name, *(f"{backend} {error}" for backend, error in errors.items()), flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
