package packed

/*
#cgo CFLAGS: -O2
#include <stddef.h>
#include <stdint.h>

typedef struct TSLanguage TSLanguage;

#define PACKED(name) \
	extern const size_t packed_##name##_size; \
	const TSLanguage *packed_##name(const uint8_t *tables);

PACKED(bash)
PACKED(c_sharp)
PACKED(cpp)
PACKED(dart)
PACKED(elixir)
PACKED(julia)
PACKED(kotlin)
PACKED(ocaml)
PACKED(ocaml_interface)
PACKED(php)
PACKED(r)
PACKED(ruby)
PACKED(rust)
PACKED(scala)
PACKED(sql)
PACKED(swift)
PACKED(tsx)
PACKED(typescript)
*/
import "C"

import (
	_ "embed"
	"unsafe"
)

var (
	//go:embed bash.tables
	bashTables []byte
	//go:embed c_sharp.tables
	cSharpTables []byte
	//go:embed cpp.tables
	cppTables []byte
	//go:embed dart.tables
	dartTables []byte
	//go:embed elixir.tables
	elixirTables []byte
	//go:embed julia.tables
	juliaTables []byte
	//go:embed kotlin.tables
	kotlinTables []byte
	//go:embed ocaml.tables
	ocamlTables []byte
	//go:embed ocaml_interface.tables
	ocamlInterfaceTables []byte
	//go:embed php.tables
	phpTables []byte
	//go:embed r.tables
	rTables []byte
	//go:embed ruby.tables
	rubyTables []byte
	//go:embed rust.tables
	rustTables []byte
	//go:embed scala.tables
	scalaTables []byte
	//go:embed sql.tables
	sqlTables []byte
	//go:embed swift.tables
	swiftTables []byte
	//go:embed tsx.tables
	tsxTables []byte
	//go:embed typescript.tables
	typescriptTables []byte
)

// grammar is one packed grammar.
type grammar struct {
	tables []byte // compressed by zstd
	size   int    // of the tables, in bytes
	// language sets the tables, which stay in use, and returns the TSLanguage.
	language func(tables unsafe.Pointer) unsafe.Pointer
}

func bytesAt(p unsafe.Pointer) *C.uint8_t { return (*C.uint8_t)(p) }

// grammars are all of them, by the names that languages have in package chunk.
var grammars = map[string]grammar{
	"bash":            {bashTables, int(C.packed_bash_size), func(t unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(C.packed_bash(bytesAt(t))) }},
	"cpp":             {cppTables, int(C.packed_cpp_size), func(t unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(C.packed_cpp(bytesAt(t))) }},
	"csharp":          {cSharpTables, int(C.packed_c_sharp_size), func(t unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(C.packed_c_sharp(bytesAt(t))) }},
	"dart":            {dartTables, int(C.packed_dart_size), func(t unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(C.packed_dart(bytesAt(t))) }},
	"elixir":          {elixirTables, int(C.packed_elixir_size), func(t unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(C.packed_elixir(bytesAt(t))) }},
	"julia":           {juliaTables, int(C.packed_julia_size), func(t unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(C.packed_julia(bytesAt(t))) }},
	"kotlin":          {kotlinTables, int(C.packed_kotlin_size), func(t unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(C.packed_kotlin(bytesAt(t))) }},
	"ocaml":           {ocamlTables, int(C.packed_ocaml_size), func(t unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(C.packed_ocaml(bytesAt(t))) }},
	"ocaml interface": {ocamlInterfaceTables, int(C.packed_ocaml_interface_size), func(t unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(C.packed_ocaml_interface(bytesAt(t))) }},
	"php":             {phpTables, int(C.packed_php_size), func(t unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(C.packed_php(bytesAt(t))) }},
	"r":               {rTables, int(C.packed_r_size), func(t unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(C.packed_r(bytesAt(t))) }},
	"ruby":            {rubyTables, int(C.packed_ruby_size), func(t unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(C.packed_ruby(bytesAt(t))) }},
	"rust":            {rustTables, int(C.packed_rust_size), func(t unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(C.packed_rust(bytesAt(t))) }},
	"scala":           {scalaTables, int(C.packed_scala_size), func(t unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(C.packed_scala(bytesAt(t))) }},
	"sql":             {sqlTables, int(C.packed_sql_size), func(t unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(C.packed_sql(bytesAt(t))) }},
	"swift":           {swiftTables, int(C.packed_swift_size), func(t unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(C.packed_swift(bytesAt(t))) }},
	"tsx":             {tsxTables, int(C.packed_tsx_size), func(t unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(C.packed_tsx(bytesAt(t))) }},
	"typescript":      {typescriptTables, int(C.packed_typescript_size), func(t unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(C.packed_typescript(bytesAt(t))) }},
}
