"""Loads a pair with transformers and compares it with what this project's runtime computed.

usage: python check_pair.py PAIR_FOLDER REFERENCE_JSON

PAIR_FOLDER is one of assets/pairs. REFERENCE_JSON is what `couplet-trainer reference` wrote
about it. For each prompt, token ids must be equal, the logits of target and draft after every
token must agree within TOLERANCE, and the target's greedy continuation by transformers must be
the text that speculative decoding wrote here. The exit code is 1 if anything differs.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy
import safetensors
import tokenizers
import torch
import transformers
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

# Both sides compute in f32 from the same f16 weights, with sums in different orders.
TOLERANCE = 1e-3


def load_model(folder: Path, sha256: str) -> LlamaForCausalLM:
    weights = folder / "model.safetensors"
    if hashlib.sha256(weights.read_bytes()).hexdigest() != sha256:
        sys.exit(f"{weights} is not the file that the reference is about: write it again")
    model, loading = LlamaForCausalLM.from_pretrained(
        folder, dtype=torch.float32, local_files_only=True, output_loading_info=True
    )
    for what in ["missing_keys", "unexpected_keys", "mismatched_keys"]:
        if loading[what]:
            sys.exit(f"{weights}: transformers reports {what}: {sorted(loading[what])}")
    # A rotary base that transformers does not find would pass unnoticed as its default.
    written = json.loads((folder / "config.json").read_text()).get("rope_theta")
    read = model.config.rope_parameters["rope_theta"]
    if read != written:
        sys.exit(f"{folder}/config.json: rope_theta is {written}, but transformers reads {read}")
    return model.eval()


def first_difference(ours: list, theirs: list) -> int:
    """Index of the first element in which two different lists differ."""
    both = zip(ours, theirs)
    shorter = min(len(ours), len(theirs))
    return next((i for i, (a, b) in enumerate(both) if a != b), shorter)


def without_end(tokens: list[int], end) -> list[int]:
    """The tokens, less an end-of-text token at the end."""
    ends = end if isinstance(end, list) else [end]
    return tokens[:-1] if tokens and tokens[-1] in ends else tokens


@torch.no_grad()
def logit_difference(model: LlamaForCausalLM, tokens: list[int], ours: list) -> float:
    theirs = model(torch.tensor([tokens])).logits[0].numpy()
    ours = numpy.asarray(ours, dtype=numpy.float32)
    if ours.shape != theirs.shape:
        return float("inf")
    difference = numpy.abs(ours - theirs).max()
    return float("inf") if numpy.isnan(difference) else float(difference)


@torch.no_grad()
def greedy(model: LlamaForCausalLM, tokens: list[int], new_tokens: int) -> list[int]:
    prompt = torch.tensor([tokens])
    text = model.generate(
        prompt,
        attention_mask=torch.ones_like(prompt),
        do_sample=False,
        max_new_tokens=new_tokens,
        # Never used with a single text, but generate() warns without it.
        pad_token_id=0,
    )
    return text[0, len(tokens) :].tolist()


def check_prompt(case: dict, models: dict, pair_tokenizers: list, new_tokens: int):
    """Returns what is wrong, as sentences, and the logits' differences by model."""
    wrong = []
    for name, encode, decode in pair_tokenizers:
        ids = encode(case["prefix"]) + encode(case["prompt"])
        if ids != case["tokens"]:
            at = first_difference(case["tokens"], ids)
            wrong.append(f"{name}: token {at} differs; ours {case['tokens']}, theirs {ids}")
        for tokens, text in [
            (case["tokens"], case["text"]),
            (case["greedy_tokens"], case["greedy_text"]),
        ]:
            if decode(tokens) != text:
                wrong.append(f"{name}: {tokens} is {decode(tokens)!r}, ours says {text!r}")
    differences = {}
    for name, model in models.items():
        difference = logit_difference(model, case["tokens"], case[f"{name}_logits"])
        differences[name] = difference
        if not difference <= TOLERANCE:
            wrong.append(f"{name}: logits differ by {difference:.1e}, more than {TOLERANCE:.0e}")
    target = models["target"]
    end = target.config.eos_token_id
    ours = without_end(case["greedy_tokens"], end)
    theirs = without_end(greedy(target, case["tokens"], new_tokens), end)
    _, _, decode = pair_tokenizers[0]
    if decode(ours) != decode(theirs):
        wrong.append(
            f"greedy: differs from token {first_difference(ours, theirs)} on; "
            f"ours {decode(ours)!r}, theirs {decode(theirs)!r}"
        )
    return wrong, differences


def main() -> int:
    if len(sys.argv) != 3:
        sys.exit("usage: python check_pair.py PAIR_FOLDER REFERENCE_JSON")
    folder, reference = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
    transformers.utils.logging.disable_progress_bar()
    versions = [transformers, torch, tokenizers, safetensors, numpy]
    print(", ".join(f"{module.__name__} {module.__version__}" for module in versions))

    models = {
        name: load_model(folder / name, reference[f"{name}_sha256"])
        for name in ["target", "draft"]
    }
    tokenizer_file = str(folder / "tokenizer.json")
    fast = PreTrainedTokenizerFast(
        tokenizer_file=tokenizer_file, clean_up_tokenization_spaces=False
    )
    plain = tokenizers.Tokenizer.from_file(tokenizer_file)
    pair_tokenizers = [
        (
            "transformers' tokenizer",
            lambda text: fast(text, add_special_tokens=False)["input_ids"],
            lambda ids: fast.decode(ids, skip_special_tokens=False),
        ),
        (
            "tokenizers",
            lambda text: plain.encode(text, add_special_tokens=False).ids,
            lambda ids: plain.decode(ids, skip_special_tokens=False),
        ),
    ]

    prompts, failed = reference["prompts"], 0
    largest = dict.fromkeys(models, 0.0)
    for number, case in enumerate(prompts, 1):
        wrong, differences = check_prompt(case, models, pair_tokenizers, reference["new_tokens"])
        for name, difference in differences.items():
            largest[name] = max(largest[name], difference)
        figures = ", ".join(f"{name} {value:.1e}" for name, value in differences.items())
        print(
            f"{number:2} {'FAILED' if wrong else 'ok'}  {len(case['tokens'])} tokens, "
            f"largest logit difference: {figures}; "
            f"{len(case['greedy_tokens'])} greedy tokens in {case['rounds']} rounds  "
            f"{case['prompt']!r}"
        )
        for sentence in wrong:
            print(f"   {sentence}")
        failed += bool(wrong)
    if not prompts:
        sys.exit("the reference has no prompts")
    figures = ", ".join(f"{name} {value:.1e}" for name, value in largest.items())
    print(
        f"{reference['pair']}: {len(prompts) - failed} of {len(prompts)} prompts agree with "
        f"transformers; largest logit difference: {figures} (tolerance {TOLERANCE:.0e})"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
