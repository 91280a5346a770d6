"""Tokens of a decoder with a cache of keys and values, by IO binding: optimum-onnx."""

import tempfile

import torch
from optimum.onnxruntime import ORTModelForCausalLM
from transformers import LlamaConfig, LlamaForCausalLM


def prepare():
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=1000,
        hidden_size=256,
        intermediate_size=688,
        num_hidden_layers=4,
        num_attention_heads=8,
        num_key_value_heads=4,
    )
    folder = tempfile.mkdtemp()
    LlamaForCausalLM(config).eval().save_pretrained(folder)
    model = ORTModelForCausalLM.from_pretrained(folder, export=True, use_io_binding=True)
    prompt = torch.arange(2 * 12).reshape(2, 12) * 37 % 1000
    lengths = {"max_new_tokens": 40, "min_new_tokens": 40}
    return lambda: model.generate(prompt, attention_mask=torch.ones_like(prompt), pad_token_id=0, **lengths).tolist()
