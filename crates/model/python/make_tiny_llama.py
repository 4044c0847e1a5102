"""Makes crates/model/tests/tiny_llama: a random Llama that transformers built, saved and ran.

usage: python make_tiny_llama.py [FOLDER]

The folder gets config.json and model.safetensors exactly as transformers writes them, and
golden.json: logits and greedy continuations of some sequences, which the Rust tests compare
with. Its shape differs from the shipped pairs' wherever a shape can differ: grouped-query
attention, heads whose width is not hidden_size / heads, an output layer of its own, another
rotary base and another epsilon.
"""

import json
import sys
from pathlib import Path

import torch
import transformers
from transformers import LlamaConfig, LlamaForCausalLM

SEED = 1620
LENGTHS = [1, 2, 7, 23, 40]
NEW_TOKENS = 24


def random_model() -> LlamaForCausalLM:
    config = LlamaConfig(
        vocab_size=97,
        hidden_size=48,
        intermediate_size=80,
        num_hidden_layers=3,
        num_attention_heads=6,
        num_key_value_heads=2,
        head_dim=16,
        max_position_embeddings=128,
        rms_norm_eps=1e-6,
        rope_parameters={"rope_type": "default", "rope_theta": 50000.0},
        tie_word_embeddings=False,
        bos_token_id=95,
        eos_token_id=96,
    )
    model = LlamaForCausalLM(config)
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if "norm" in name:
                weights.normal_(1.0, 0.3)
            elif "embed_tokens" in name:
                # Small enough for the first norm's epsilon to matter.
                weights.normal_(0.0, 0.01)
            elif "lm_head" in name:
                # Logits of order ten, as those of a trained model.
                weights.normal_(0.0, 0.6)
            else:
                # Attention far from uniform, every layer a large part of the stream.
                weights.normal_(0.0, 0.25)
    return model


def golden(model: LlamaForCausalLM, ids: list[int]) -> dict:
    tokens = torch.tensor([ids])
    with torch.no_grad():
        logits = model(tokens).logits[0]
        continued = model.generate(
            tokens,
            attention_mask=torch.ones_like(tokens),
            do_sample=False,
            max_new_tokens=NEW_TOKENS,
            pad_token_id=model.config.eos_token_id,
        )
    continuation = continued[0, len(ids) :].tolist()
    if model.config.eos_token_id in continuation:
        sys.exit("a continuation ends the text: choose another SEED")
    with torch.no_grad():
        steps = model(continued[:, :-1]).logits[0, len(ids) - 1 :]
    first, second = steps.topk(2).values.T
    if (first - second).min() < 0.01:
        sys.exit("two tokens are too close for greedy choice to be sure: choose another SEED")
    return {
        "ids": ids,
        "logits": [[round(logit, 5) for logit in row] for row in logits.tolist()],
        "greedy": continuation,
    }


def main() -> None:
    default = Path(__file__).resolve().parent.parent / "tests" / "tiny_llama"
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    transformers.utils.logging.disable_progress_bar()
    torch.manual_seed(SEED)
    # f16, as the shipped weights are.
    random_model().half().save_pretrained(folder)
    # Only the parameters that a text generator may need; the Rust side never reads them.
    (folder / "generation_config.json").unlink(missing_ok=True)
    # What is saved is what the numbers below are about.
    model = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    numbers = torch.Generator().manual_seed(SEED)
    draw = lambda length: torch.randint(0, 95, (length,), generator=numbers).tolist()
    data = {
        "made_with": f"transformers {transformers.__version__}, torch {torch.__version__.split('+')[0]}",
        "sequences": [golden(model, draw(length)) for length in LENGTHS],
    }
    # One sequence on a line keeps differences readable.
    lines = ",\n".join(json.dumps(sequence) for sequence in data["sequences"])
    text = f'{{"made_with": {json.dumps(data["made_with"])}, "sequences": [\n{lines}\n]}}\n'
    (folder / "golden.json").write_text(text)
    for file in sorted(folder.iterdir()):
        print(f"{file.name}: {file.stat().st_size} bytes")
    largest = max(abs(x) for s in data["sequences"] for row in s["logits"] for x in row)
    print(f"largest logit: {largest:.2f}")


if __name__ == "__main__":
    main()
