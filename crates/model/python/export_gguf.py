"""Writes a decoder of a pair as a GGUF file for llama.cpp and what is made of it (wllama).

usage: python export_gguf.py MODEL_FOLDER OUT_FILE

MODEL_FOLDER holds config.json and model.safetensors (`target` or `draft` of a pair). Weights are
f32. The text of token 17 is `<17>`: prompts and texts then are lists of token ids on both
sides, for any tokenizer, and no text is ever split into tokens in another way.
"""

import json
import sys
from pathlib import Path

import gguf
import numpy
from safetensors.numpy import load_file

NAMES = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def interleaved(weight: numpy.ndarray, heads: int) -> numpy.ndarray:
    """Reorders the rows of a query or key projection: llama.cpp rotates neighbours against each
    other, Hugging Face the halves of a head."""
    rows, columns = weight.shape
    by_half = weight.reshape(heads, 2, rows // heads // 2, columns)
    return by_half.swapaxes(1, 2).reshape(rows, columns)


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: python export_gguf.py MODEL_FOLDER OUT_FILE")
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    config = json.loads((folder / "config.json").read_text())
    weights = load_file(folder / "model.safetensors")
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    out.parent.mkdir(parents=True, exist_ok=True)

    writer = gguf.GGUFWriter(out, "llama")
    writer.add_name(f"{folder.parent.name} {folder.name}")
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_vocab_size(config["vocab_size"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_rope_dimension_count(config["hidden_size"] // heads)
    writer.add_rope_freq_base(config["rope_theta"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])

    count = config["vocab_size"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([f"<{token}>" for token in range(count)])
    writer.add_token_types([gguf.TokenType.USER_DEFINED] * count)
    writer.add_token_merges(["< 0"])
    writer.add_add_bos_token(False)
    writer.add_add_eos_token(False)

    for name, weight in weights.items():
        weight = weight.astype(numpy.float32)
        if name == "model.embed_tokens.weight":
            made = "token_embd"
        elif name == "model.norm.weight":
            made = "output_norm"
        elif name == "lm_head.weight":
            made = "output"
        else:
            _, _, layer, part = name.removesuffix(".weight").split(".", 3)
            made = f"blk.{layer}.{NAMES[part]}"
            if part == "self_attn.q_proj":
                weight = interleaved(weight, heads)
            elif part == "self_attn.k_proj":
                weight = interleaved(weight, kv_heads)
        writer.add_tensor(f"{made}.weight", weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    print(f"{out.name}: {out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
