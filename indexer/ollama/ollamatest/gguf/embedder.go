package gguf

import "fmt"

// Embedder is a model whose vector of a text is the mean of its words' vectors. The cosine of two
// texts thus measures how many words they share; words of one synonym group count as nearly equal
// (their cosine is about 0.8).
//
// The vocabulary is lower-case only. How the model sees a word with a capital depends on the
// server: for bert as the same word, for nomic-bert in some versions as the unknown word, like all
// others.
//
// Layer norms and pooling are the architecture's own; attention and feed-forward parts are present
// but have no effect.
type Embedder struct {
	Architecture string // "bert", which is the default, or "nomic-bert"
	Dims         int    // of a vector; even; 128 by default. With few, texts are similar by chance: by about 1/√Dims
	Context      int    // maximum tokens of a text, two of them for special tokens; 512 by default
	// Seed selects one of many models with equal properties and unrelated vectors.
	Seed uint64
	// Synonyms are groups of single lower-case words, without spaces and punctuation. A word in two
	// groups counts for the first. Nil means [Programming].
	Synonyms [][]string
	// Poison is a word whose vector is not a number, as certain texts have it in real models: a
	// request that contains it fails as a whole. Empty: no word does.
	Poison string
}

// Programming are synonyms in programming, for embedding code and questions about it.
var Programming = [][]string{
	{"auth", "authenticate", "authentication", "login", "signin", "credential", "credentials", "password"},
	{"database", "db", "sql", "query", "store", "storage", "repository", "persist"},
	{"parse", "parser", "parsing", "tokenize", "lexer", "scanner"},
	{"http", "request", "response", "server", "client", "handler", "endpoint", "route"},
	{"cache", "cached", "caching", "memoize"},
	{"config", "configuration", "settings", "options"},
	{"error", "errors", "err", "failure", "exception"},
	{"user", "account", "person", "member"},
	{"index", "indexer", "indexing", "search", "lookup", "find"},
	{"file", "files", "path", "directory", "folder"},
	{"delete", "remove", "drop", "erase"},
	{"create", "add", "insert", "new", "make"},
	{"update", "modify", "change", "set"},
	{"get", "read", "fetch", "load"},
	{"write", "save", "flush"},
	{"test", "tests", "assert", "check", "verify"},
	{"send", "receive", "channel", "queue", "message", "mail", "email"},
	{"lock", "mutex", "unlock", "sync", "concurrent"},
	{"time", "date", "clock", "duration", "timeout"},
	{"func", "function", "method", "return"},
	{"type", "struct", "interface", "class"},
}

// feedForward is the width of the feed-forward part, which has no effect.
const feedForward = 32

// File returns the model as the bytes of a GGUF file. It panics if a field is invalid.
func (e Embedder) File() []byte {
	e = e.withDefaults()
	v := words(e)
	f := &file{}
	e.describe(f, v)
	f.add("token_embd.weight", v.vectors, e.Dims, len(v.tokens))
	f.fill("token_types.weight", 0, e.Dims, 2)
	if e.Architecture == "bert" {
		f.fill("position_embd.weight", 0, e.Dims, e.Context)
	}
	f.fill("token_embd_norm.weight", 1, e.Dims)
	f.fill("token_embd_norm.bias", 0, e.Dims)
	if e.Architecture == "bert" {
		e.bertBlock(f)
	} else {
		e.nomicBlock(f)
	}
	for _, norm := range []string{"blk.0.attn_output_norm", "blk.0.layer_output_norm"} {
		f.fill(norm+".weight", 1, e.Dims)
		f.fill(norm+".bias", 0, e.Dims)
	}
	return f.encode()
}

func (e Embedder) withDefaults() Embedder {
	if e.Architecture == "" {
		e.Architecture = "bert"
	}
	if e.Dims == 0 {
		e.Dims = 128
	}
	if e.Context == 0 {
		e.Context = 512
	}
	if e.Synonyms == nil {
		e.Synonyms = Programming
	}
	if e.Architecture != "bert" && e.Architecture != "nomic-bert" || e.Dims < 2 || e.Dims%2 != 0 || e.Context < 3 {
		panic(fmt.Sprintf("embedder: no model of %q with %d dimensions and %d tokens", e.Architecture, e.Dims, e.Context))
	}
	return e
}

func (e Embedder) describe(f *file, v vocabulary) {
	f.set("general.architecture", e.Architecture)
	f.set("general.name", "tiny embedder")
	f.set("general.file_type", uint32(tensorF32))
	f.setNumbers(e.Architecture+".", []number{
		{"block_count", 1}, {"context_length", e.Context}, {"embedding_length", e.Dims},
		{"feed_forward_length", feedForward}, {"attention.head_count", 1},
		{"pooling_type", 1}, // the mean
	})
	f.set(e.Architecture+".attention.layer_norm_epsilon", float32(1e-5))
	f.set(e.Architecture+".attention.causal", false)
	if e.Architecture == "nomic-bert" {
		f.set("nomic-bert.rope.freq_base", float32(1000))
	}
	f.set("tokenizer.ggml.model", "bert")
	f.set("tokenizer.ggml.tokens", v.tokens)
	f.set("tokenizer.ggml.token_type", v.kinds)
	f.set("tokenizer.ggml.scores", make([]float32, len(v.tokens)))
	f.setNumbers("tokenizer.ggml.", []number{
		{"token_type_count", 2}, {"padding_token_id", tokenPad}, {"unknown_token_id", tokenUnknown},
		{"cls_token_id", tokenFirst}, {"bos_token_id", tokenFirst}, {"mask_token_id", tokenMask},
		{"separator_token_id", tokenLast}, {"eos_token_id", tokenLast},
		{"seperator_token_id", tokenLast}, // llama.cpp's spelling
	})
}

func (e Embedder) bertBlock(f *file) {
	for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
		f.fill("blk.0."+name+".weight", 0, e.Dims, e.Dims)
		f.fill("blk.0."+name+".bias", 0, e.Dims)
	}
	f.fill("blk.0.ffn_up.weight", 0, e.Dims, feedForward)
	f.fill("blk.0.ffn_up.bias", 0, feedForward)
	f.fill("blk.0.ffn_down.weight", 0, feedForward, e.Dims)
	f.fill("blk.0.ffn_down.bias", 0, e.Dims)
}

func (e Embedder) nomicBlock(f *file) {
	f.fill("blk.0.attn_qkv.weight", 0, e.Dims, 3*e.Dims)
	f.fill("blk.0.attn_output.weight", 0, e.Dims, e.Dims)
	f.fill("blk.0.ffn_gate.weight", 0, e.Dims, feedForward)
	f.fill("blk.0.ffn_up.weight", 0, e.Dims, feedForward)
	f.fill("blk.0.ffn_down.weight", 0, feedForward, e.Dims)
}
