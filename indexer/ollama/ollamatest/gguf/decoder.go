package gguf

import "fmt"

// Decoder is a model that gives one answer to every prompt: each piece of the answer is followed
// only by the next one, and any other token by the first. A grammar that permits the answer does
// not change it.
type Decoder struct {
	Architecture string // "qwen3", which is the default, or "llama"
	Context      int    // in tokens; 2048 by default
	Answer       string
	// Endless repeats the answer instead of ending it, until the server's limit of tokens.
	Endless bool
}

// decoderDims is so large that the next piece is by far the likeliest: its score is decoderDims,
// whereas the highest of a thousand others is by chance 3 to 4 times the square root of that.
const decoderDims = 128

// The special tokens, by number.
const (
	tokenNone = iota
	tokenTurn
	tokenEnd
)

// File returns the model as the bytes of a GGUF file. It panics if a field is invalid.
func (d Decoder) File() []byte {
	if d.Architecture == "" {
		d.Architecture = "qwen3"
	}
	if d.Context == 0 {
		d.Context = 2048
	}
	if d.Architecture != "qwen3" && d.Architecture != "llama" || d.Endless && d.Answer == "" {
		panic(fmt.Sprintf("decoder: no model of %q with the answer %q", d.Architecture, d.Answer))
	}
	v := pieces(d.Answer)
	in, out := d.chain(v)
	f := &file{}
	d.describe(f, v)
	f.add("token_embd.weight", in, decoderDims, len(v.tokens))
	f.fill("output_norm.weight", 1, decoderDims)
	f.add("output.weight", out, decoderDims, len(v.tokens))
	d.block(f)
	return f.encode()
}

// chain returns the tokens' input vectors and their output vectors. The next token is the one whose
// output vector is most like the input vector of the current one.
func (d Decoder) chain(v byteVocabulary) (in, out []float32) {
	start := direction(0, "start", decoderDims)
	read := make([][]float32, len(v.tokens))
	for i, t := range v.tokens {
		read[i] = near(start, direction(0, t, decoderDims))
	}
	for _, i := range v.answer {
		read[i] = direction(0, v.tokens[i], decoderDims)
	}
	next := make([][]float32, len(v.tokens))
	before := start
	for _, i := range v.answer {
		next[i], before = before, read[i]
	}
	if d.Endless {
		first := v.answer[0]
		next[first] = sum(start, before)
	} else {
		next[tokenEnd] = before
	}
	for i := range v.tokens {
		in = append(in, read[i]...)
		if next[i] == nil {
			next[i] = make([]float32, decoderDims)
		}
		out = append(out, next[i]...)
	}
	return in, out
}

func sum(a, b []float32) []float32 {
	out := make([]float32, len(a))
	for i := range a {
		out[i] = a[i] + b[i]
	}
	return out
}

func (d Decoder) describe(f *file, v byteVocabulary) {
	f.set("general.architecture", d.Architecture)
	f.set("general.name", "tiny decoder")
	f.set("general.file_type", uint32(tensorF32))
	f.setNumbers(d.Architecture+".", []number{
		{"block_count", 1}, {"context_length", d.Context}, {"embedding_length", decoderDims},
		{"feed_forward_length", feedForward}, {"vocab_size", len(v.tokens)},
		{"attention.head_count", 1}, {"attention.head_count_kv", 1},
		{"attention.key_length", decoderDims}, {"attention.value_length", decoderDims},
		{"rope.dimension_count", decoderDims},
	})
	f.set(d.Architecture+".attention.layer_norm_rms_epsilon", float32(1e-6))
	f.set(d.Architecture+".rope.freq_base", float32(10000))
	f.set("tokenizer.ggml.model", "gpt2")
	f.set("tokenizer.ggml.pre", "qwen2")
	f.set("tokenizer.ggml.tokens", v.tokens)
	f.set("tokenizer.ggml.token_type", v.kinds)
	f.set("tokenizer.ggml.merges", merges)
	f.setNumbers("tokenizer.ggml.", []number{
		{"bos_token_id", tokenNone}, {"padding_token_id", tokenNone}, {"eos_token_id", tokenEnd},
	})
	f.set("tokenizer.ggml.add_bos_token", false)
	f.set("tokenizer.ggml.add_eos_token", false)
}

// block adds the one layer, which leaves its input unchanged.
func (d Decoder) block(f *file) {
	for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
		f.fill("blk.0."+name+".weight", 0, decoderDims, decoderDims)
	}
	if d.Architecture == "qwen3" {
		f.fill("blk.0.attn_q_norm.weight", 1, decoderDims)
		f.fill("blk.0.attn_k_norm.weight", 1, decoderDims)
	}
	f.fill("blk.0.attn_norm.weight", 1, decoderDims)
	f.fill("blk.0.ffn_norm.weight", 1, decoderDims)
	f.fill("blk.0.ffn_gate.weight", 0, decoderDims, feedForward)
	f.fill("blk.0.ffn_up.weight", 0, decoderDims, feedForward)
	f.fill("blk.0.ffn_down.weight", 0, feedForward, decoderDims)
}
