"""Writes a decoder of a pair as ONNX models for onnxruntime-web.

usage: python export_onnx.py MODEL_FOLDER OUT_FOLDER

MODEL_FOLDER holds config.json and model.safetensors (`target` or `draft` of a pair). The same
network is written in several forms, since which of them onnxruntime-web runs fastest depends
on its backend; `cargo xtask bench` times them and compares with the best:

* `gqa.onnx`: onnxruntime's own operators (GroupQueryAttention with its rotary embedding, packed
  query, key and value; SkipSimplifiedLayerNormalization);
* `rows.onnx`: standard operators only, all caches in one input, and only the new rows come out,
  since onnxruntime-web on WASM copies whatever goes in and out.

Weights are f32, matrices that read the same vector are one. Any number of rows may be given,
so the same model runs a prompt, a token or a verification.

inputs, of `rows` new tokens after `past` known ones:
    input_ids int64 [1, rows]
    gqa:    seqlens_k int32 [1] = past + rows - 1, total_sequence_length int32 [1] = past + rows
            past_key_0, past_value_0, ... float [1, heads, past, head_width], where the third
            dimension may be a capacity that past and present share
    rows:   positions int64 [rows], mask float [rows, past + rows], 0 or a large negative number,
            past float [past, layers * 2 * heads * head_width]
outputs:
    logits float [1, rows, vocabulary]
    gqa:    present_key_0, present_value_0, ... float [1, heads, past + rows, head_width]
    rows:   new float [rows, layers * 2 * heads * head_width]
"""

import json
import sys
from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

CONTRIB = "com.microsoft"
FORMS = ["gqa", "rows"]


class Graph:
    """Nodes, weights and the names between them."""

    def __init__(self):
        self.nodes, self.weights, self.inputs, self.outputs = [], [], [], []

    def add(self, operator, inputs, outputs=1, domain="", **attributes):
        """Adds a node and returns the name of its output, or the names of its outputs."""
        names = [f"{operator}_{len(self.nodes)}_{index}" for index in range(outputs)]
        self.nodes.append(
            helper.make_node(operator, inputs, names, domain=domain, **attributes)
        )
        return names[0] if outputs == 1 else names

    def named(self, operator, inputs, output, **attributes):
        """Adds a node whose output has a name that callers know."""
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))

    def constant(self, name, values):
        self.weights.append(numpy_helper.from_array(numpy.ascontiguousarray(values), name))
        return name

    def input(self, name, kind, shape):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, name, kind, shape):
        self.outputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name


class Decoder:
    """Builds the graph of one model in one form."""

    def __init__(self, config, weights, form):
        self.config, self.weights, self.form = config, weights, form
        self.width = config["hidden_size"]
        self.heads = config["num_attention_heads"]
        self.inner = config["intermediate_size"]
        self.layers = config["num_hidden_layers"]
        self.head_width = config.get("head_dim") or self.width // self.heads
        if config["num_key_value_heads"] != self.heads:
            sys.exit("only models with as many key and value heads as heads can be exported")
        self.graph = Graph()

    def weight(self, name):
        return self.weights[f"model.{name}.weight"].astype(numpy.float32)

    def matrix(self, name, *parts):
        """The transposed matrices side by side, as `MatMul` wants them."""
        stacked = numpy.concatenate([self.weight(part) for part in parts])
        return self.graph.constant(name, stacked.T)

    def rotation(self):
        """Cosines and sines, [positions, head_width / 2] each."""
        half = self.head_width // 2
        frequency = self.config["rope_theta"] ** (-numpy.arange(half) / half)
        angle = numpy.outer(numpy.arange(self.config["max_position_embeddings"]), frequency)
        return numpy.cos(angle).astype(numpy.float32), numpy.sin(angle).astype(numpy.float32)

    def norm(self, stream, name):
        weight = self.graph.constant(f"{name}.weight", self.weight(name))
        epsilon = self.config["rms_norm_eps"]
        return self.graph.add(
            "SimplifiedLayerNormalization", [stream, weight], axis=-1, epsilon=epsilon, stash_type=1
        )

    def add_and_norm(self, stream, change, name):
        """Returns the stream with the change, and its norm."""
        graph, epsilon = self.graph, self.config["rms_norm_eps"]
        if self.form == "gqa":
            weight = graph.constant(f"{name}.weight", self.weight(name))
            node = f"skip_{len(graph.nodes)}"
            graph.nodes.append(
                helper.make_node(
                    "SkipSimplifiedLayerNormalization",
                    [stream, change, weight],
                    [f"{node}_norm", "", "", f"{node}_sum"],
                    domain=CONTRIB,
                    epsilon=epsilon,
                )
            )
            return f"{node}_sum", f"{node}_norm"
        total = graph.add("Add", [stream, change])
        return total, self.norm(total, name)

    def build(self):
        graph, layers = self.graph, self.layers
        ids = graph.input("input_ids", TensorProto.INT64, [1, "rows"])
        self.declare_state()
        embedding = graph.constant("embedding", self.weight("embed_tokens"))
        stream = graph.add("Gather", [embedding, ids])
        normed = self.norm(stream, "layers.0.input_layernorm")
        for layer in range(layers):
            here = f"layers.{layer}"
            stream, normed = self.add_and_norm(
                stream, self.attention(normed, layer), f"{here}.post_attention_layernorm"
            )
            after = f"layers.{layer + 1}.input_layernorm" if layer + 1 < layers else "norm"
            stream, normed = self.add_and_norm(stream, self.gated(normed, here), after)
        head = "embed_tokens" if self.config["tie_word_embeddings"] else None
        output = (self.weight(head) if head else self.weights["lm_head.weight"]).T
        graph.named(
            "MatMul",
            [normed, graph.constant("head", output.astype(numpy.float32))],
            graph.output("logits", TensorProto.FLOAT, [1, "rows", self.config["vocab_size"]]),
        )
        if self.form == "rows":
            graph.named(
                "Concat",
                self.new_rows,
                graph.output("new", TensorProto.FLOAT, ["rows", self.row_length()]),
                axis=1,
            )
        made = helper.make_graph(
            graph.nodes, f"decoder_{self.form}", graph.inputs, graph.outputs, graph.weights
        )
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(CONTRIB, 1)]
        return helper.make_model(made, opset_imports=opsets, ir_version=8)

    def row_length(self):
        return self.layers * 2 * self.heads * self.head_width

    def declare_state(self):
        """Declares what depends on the tokens before: positions and caches."""
        graph = self.graph
        cos, sin = self.rotation()
        self.cos, self.sin = graph.constant("cos", cos), graph.constant("sin", sin)
        if self.form == "gqa":
            self.last = graph.input("seqlens_k", TensorProto.INT32, [1])
            self.total = graph.input("total_sequence_length", TensorProto.INT32, [1])
            shape = lambda length: [1, self.heads, length, self.head_width]
            for layer in range(self.layers):
                for part in ["key", "value"]:
                    graph.input(f"past_{part}_{layer}", TensorProto.FLOAT, shape("past"))
                    graph.output(f"present_{part}_{layer}", TensorProto.FLOAT, shape("total"))
            return
        positions = graph.input("positions", TensorProto.INT64, ["rows"])
        self.mask = graph.input("mask", TensorProto.FLOAT, ["rows", "total"])
        self.cos = graph.add("Gather", [self.cos, positions])
        self.sin = graph.add("Gather", [self.sin, positions])
        width, heads = self.head_width, self.heads
        shape = lambda name, *sizes: graph.constant(name, numpy.array(sizes, numpy.int64))
        self.split_shape = shape("split_shape", 0, 0, 3 * heads, width)
        self.merged_shape = shape("merged_shape", 0, 0, heads * width)
        self.row_shape = shape("row_shape", -1, heads * width)
        self.cache_shape = shape("cache_shape", 1, -1, heads, width)
        self.scale = graph.constant("scale", numpy.float32(width**-0.5))
        past = graph.input("past", TensorProto.FLOAT, ["past", self.row_length()])
        self.past_parts = graph.add("Split", [past], outputs=2 * self.layers, axis=1)
        self.new_rows = []

    def attention(self, normed, layer):
        graph, here = self.graph, f"layers.{layer}.self_attn"
        parts = [f"{here}.{part}_proj" for part in "qkv"]
        packed = graph.add("MatMul", [normed, self.matrix(f"{here}.qkv", *parts)])
        if self.form == "gqa":
            mixed = f"{here}.mixed"
            graph.nodes.append(
                helper.make_node(
                    "GroupQueryAttention",
                    [packed, "", "", f"past_key_{layer}", f"past_value_{layer}"]
                    + [self.last, self.total, self.cos, self.sin],
                    [mixed, f"present_key_{layer}", f"present_value_{layer}"],
                    domain=CONTRIB,
                    num_heads=self.heads,
                    kv_num_heads=self.heads,
                    do_rotary=1,
                    rotary_interleaved=0,
                )
            )
        else:
            mixed = self.plain_attention(packed, layer)
        return graph.add("MatMul", [mixed, self.matrix(f"{here}.out", f"{here}.o_proj")])

    def plain_attention(self, packed, layer):
        graph, heads = self.graph, self.heads
        split = graph.add("Reshape", [packed, self.split_shape])
        by_head = graph.add("Transpose", [split], perm=[0, 2, 1, 3])
        query, key, value = graph.add("Split", [by_head], outputs=3, axis=1)
        query, key = self.rotated(query), self.rotated(key)
        key, value = (
            self.behind_past(self.past_parts[2 * layer + index], new)
            for index, new in enumerate([key, value])
        )
        turned = graph.add("Transpose", [key], perm=[0, 1, 3, 2])
        scores = graph.add("Mul", [graph.add("MatMul", [query, turned]), self.scale])
        weights = graph.add("Softmax", [graph.add("Add", [scores, self.mask])], axis=-1)
        mixed = graph.add("MatMul", [weights, value])
        rows = graph.add("Transpose", [mixed], perm=[0, 2, 1, 3])
        return graph.add("Reshape", [rows, self.merged_shape])

    def behind_past(self, past, new):
        """All keys or values, [1, heads, past + rows, head_width]; keeps the new ones to return."""
        graph = self.graph
        by_row = graph.add("Transpose", [new], perm=[0, 2, 1, 3])
        self.new_rows.append(graph.add("Reshape", [by_row, self.row_shape]))
        past = graph.add("Reshape", [past, self.cache_shape])
        past = graph.add("Transpose", [past], perm=[0, 2, 1, 3])
        return graph.add("Concat", [past, new], axis=2)

    def rotated(self, vectors):
        """Rotary embedding of `vectors` [1, heads, rows, head_width], halves against each other."""
        graph = self.graph
        first, second = graph.add("Split", [vectors], outputs=2, axis=3)
        times = lambda a, b: graph.add("Mul", [a, b])
        left = graph.add("Sub", [times(first, self.cos), times(second, self.sin)])
        right = graph.add("Add", [times(second, self.cos), times(first, self.sin)])
        return graph.add("Concat", [left, right], axis=3)

    def gated(self, normed, here):
        graph = self.graph
        parts = [f"{here}.mlp.{part}_proj" for part in ["gate", "up"]]
        both = graph.add("MatMul", [normed, self.matrix(f"{here}.gate_up", *parts)])
        gate, up = graph.add("Split", [both], outputs=2, axis=2)
        # x * sigmoid(x): onnxruntime makes one operator of it by itself.
        active = graph.add("Mul", [gate, graph.add("Sigmoid", [gate])])
        product = graph.add("Mul", [active, up])
        return graph.add("MatMul", [product, self.matrix(f"{here}.down", f"{here}.mlp.down_proj")])


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: python export_onnx.py MODEL_FOLDER OUT_FOLDER")
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    config = json.loads((folder / "config.json").read_text())
    weights = load_file(folder / "model.safetensors")
    out.mkdir(parents=True, exist_ok=True)
    # Sizes, for who runs it.
    (out / "config.json").write_text(json.dumps(config))
    for form in FORMS:
        file = out / f"{form}.onnx"
        onnx.save(Decoder(config, weights, form).build(), file)
        print(f"{file.name}: {file.stat().st_size} bytes")


if __name__ == "__main__":
    main()
