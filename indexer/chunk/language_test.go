package chunk

import "testing"

func TestLanguage(t *testing.T) {
	for _, test := range []struct{ path, head, want string }{
		{"a/b.go", "", "go"}, {"b.py", "", "python"}, {"B.PY", "", "python"}, {"x.pyi", "", "python"},
		{"a.js", "", "javascript"}, {"a.jsx", "", "javascript"}, {"a.mjs", "", "javascript"}, {"a.cjs", "", "javascript"},
		{"a.ts", "", "typescript"}, {"a.mts", "", "typescript"}, {"a.d.ts", "", "typescript"}, {"a.tsx", "", "tsx"},
		{"a.java", "", "java"}, {"a.c", "", "c"}, {"a.cc", "", "cpp"}, {"a.hpp", "", "cpp"}, {"a.cs", "", "csharp"},
		{"a.rs", "", "rust"}, {"a.rb", "", "ruby"}, {"Gemfile", "", "ruby"}, {"Rakefile", "", "ruby"}, {"a.php", "", "php"},
		{"a.kt", "", "kotlin"}, {"build.gradle.kts", "", "kotlin"}, {"a.swift", "", "swift"}, {"a.scala", "", "scala"},
		{"build.sbt", "", "scala"}, {"a.lua", "", "lua"}, {"a.sh", "", "bash"}, {".bashrc", "", "bash"}, {"a.sql", "", "sql"},
		{"a.html", "", "html"}, {"a.css", "", "css"}, {"a.yml", "", "yaml"}, {"a.toml", "", "toml"}, {"Cargo.lock", "", "toml"},
		{"a.tf", "", "hcl"}, {"a.hcl", "", "hcl"}, {"a.proto", "", "protobuf"}, {"Dockerfile", "", "dockerfile"},
		{"Dockerfile.dev", "", "dockerfile"}, {"api.dockerfile", "", "dockerfile"}, {"Containerfile", "", "dockerfile"},
		{"README.md", "", "markdown"}, {"a.rst", "", "rst"}, {"README", "", "text"}, {"notes.txt", "", "text"},
		{"CMakeLists.txt", "", "cmake"}, {"package.json", "", "json"}, {"Makefile", "", "make"}, {"GNUmakefile", "", "make"},
		{"Makefile.am", "", "make"}, {"a.mk", "", "make"}, {"a.vue", "", "vue"}, {"a.svelte", "", "svelte"}, {"a.astro", "", "astro"}, {"a.S", "", "assembly"},
		{"a.ipynb", "{\n", "json"}, {"a.ipynb", "# notebook: python\n\n", "python"}, {"a.ipynb", "// notebook: c#\n", "csharp"},
		{"a.ipynb", "// notebook: c++17\n", "cpp"}, {"a.ipynb", "# notebook: r\n", "r"}, {"a.ipynb", "# notebook: klingon", "klingon"},
		{"run", "#!/bin/sh\n", "bash"}, {"run", "#!/usr/bin/env python3\n", "python"}, {"run", "#! /usr/bin/python3.11 -u\n", "python"},
		{"run", "#!/usr/bin/env -S node --harmony\n", "javascript"}, {"run", "#!/usr/bin/env FOO=1 ruby\n", "ruby"},
		{"run", "\xef\xbb\xbf#!/usr/bin/env bash\r\n", "bash"}, {"run", "#!\n", ""}, {"run", "#!", ""}, {"run", "plain", ""}, {"", "", ""},
		{"ci/build", "#!/bin/sh\n", "bash"}, {"BUILD", "load(x)\n", "python"}, {"install", "#!/usr/bin/env bash\n", "bash"}, {"INSTALL", "How to\n", "text"},
		{"a.py", "#!/bin/sh\n", "python"}, {"configure", "#!/bin/sh", "bash"}, {`dir\a.go`, "", "go"}, {".go", "", ""}, {"x.unknown", "", ""},
		{"a.h", "int f(void);\n", "c"}, {"a.h", "#ifdef __cplusplus\nextern \"C\" {\n#endif\n", "c"},
		{"a.h", "/* a class of things */\n// std::string\nint f(void);\n", "c"},
		{"a.h", "#pragma once\nnamespace x {\n}\n", "cpp"}, {"a.h", "template <class T>\nT f();\n", "cpp"},
		{"a.h", "struct A {\n public:\n  int f();\n};\n", "cpp"}, {"a.h", "inline std::string f();\n", "cpp"},
		{"a.h", "@interface Foo : NSObject\n@end\n", "objectivec"}, {"a.m", "function y = f(x)\n", "matlab"}, {"a.m", "@implementation A\n", "objectivec"},
	} {
		if got := Language(test.path, []byte(test.head)); got != test.want {
			t.Errorf("Language(%q, %q) = %q, want %q", test.path, test.head, got, test.want)
		}
	}
}

func TestHasSymbols(t *testing.T) {
	for language, want := range map[string]bool{
		"go": true, "dart": true, "vue": true, "perl": true, "graphql": true, "html": false, "markdown": false, "json": false, "": false,
	} {
		if got := HasSymbols(language); got != want {
			t.Errorf("HasSymbols(%q) = %t", language, got)
		}
	}
}
