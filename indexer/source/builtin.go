package source

import "strings"

const builtIn = "built-in"

// vcsFolders hold a version control system's own data. Even index.include
// brings one back only by spelling its name.
var vcsFolders = map[string]bool{".git": true, ".hg": true, ".svn": true, ".bzr": true, ".jj": true, "CVS": true}

// vendoredFolders are skipped wherever they are, with what they hold.
var vendoredFolders = func() map[string]string {
	out := map[string]string{}
	for what, names := range map[string]string{
		"version control data":          ".git .hg .svn .bzr .jj CVS",
		"installed packages":            "node_modules bower_components jspm_packages elm-stuff vendor Pods .venv venv .eggs .pnpm-store .yarn .bundle",
		"a tool's cache":                "__pycache__ .tox .nox .mypy_cache .pytest_cache .ruff_cache .hypothesis .gradle .cache .parcel-cache .turbo .angular .dart_tool .nyc_output .stack-work .ipynb_checkpoints .direnv .sass-cache",
		"build output":                  ".next .nuxt .svelte-kit .output DerivedData .serverless .aws-sam cdk.out",
		"downloaded providers":          ".terraform .terragrunt-cache",
		"an editor's own configuration": ".idea",
	} {
		for name := range strings.FieldsSeq(names) {
			out[name] = what
		}
	}
	return out
}()

// vendoredRule answers for a folder's name.
func vendoredRule(name string) *Rule {
	what, ok := vendoredFolders[name]
	if !ok && strings.HasSuffix(name, ".egg-info") {
		what, ok = "installed packages", true
	}
	if !ok {
		return nil
	}
	return &Rule{Pattern: name + "/ (" + what + ")", Source: builtIn}
}

// markerFiles say by being there that a folder is not the person's own.
var markerFiles = []struct{ name, what string }{
	{"CACHEDIR.TAG", "a folder marked as cache by CACHEDIR.TAG"},
	{"pyvenv.cfg", "a Python environment: it holds pyvenv.cfg"},
}

// nameRule answers for a file's path alone: secrets, lock files, what tools
// write, and formats that are not text.
func (t *Tree) nameRule(rel string) (Reason, *Rule) {
	if rule := secretRule(t.name, rel); rule != nil {
		return Excluded, rule
	}
	name := baseName(rel)
	if vcsFolders[name] { // a linked work tree's or submodule's pointer
		return Vendored, &Rule{Pattern: name + " (version control data)", Source: builtIn}
	}
	if name == StateMarker {
		return Excluded, &Rule{Pattern: name + " (Contexture's own)", Source: builtIn}
	}
	if lockFiles[name] {
		return Generated, &Rule{Pattern: name + " (a lock file)", Source: builtIn}
	}
	low := lowerASCII(name)
	dot := strings.LastIndexByte(low, '.')
	if dot < 0 {
		return Indexed, nil
	}
	ext := low[dot+1:]
	switch {
	case binaryExts[ext]:
		return Binary, &Rule{Pattern: "*." + ext + " (not a text format)", Source: builtIn}
	case ext == "map" && strings.Contains(low[:dot], "."):
		return Generated, &Rule{Pattern: "*.map (a source map)", Source: builtIn}
	case minifiable[ext] && (strings.HasSuffix(low[:dot], ".min") || strings.HasSuffix(low[:dot], "-min")):
		return Minified, &Rule{Pattern: "*" + low[dot-4:] + " (minified)", Source: builtIn}
	}
	return Indexed, nil
}

var (
	lockFiles = set("package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock go.sum go.work.sum " +
		"Cargo.lock poetry.lock Pipfile.lock uv.lock pdm.lock Gemfile.lock composer.lock mix.lock pubspec.lock Podfile.lock " +
		"Package.resolved packages.lock.json flake.lock gradle.lockfile .terraform.lock.hcl Chart.lock conan.lock Cartfile.resolved pixi.lock")

	minifiable = set("js mjs cjs css html json")

	binaryExts = set("png jpg jpeg gif bmp ico icns webp avif heic tif tiff psd ai xcf sketch fig " +
		"woff woff2 ttf otf eot " +
		"zip gz tgz bz2 tbz xz txz zst 7z rar tar lz4 br jar war ear apk aar ipa dmg iso deb rpm whl egg crate gem nupkg " +
		"exe dll so dylib a o obj lib class pyc pyo wasm node beam elc rlib rmeta pdb " +
		"pdf doc docx xls xlsx ppt pptx odt ods odp epub " +
		"mp3 mp4 m4a m4v wav flac ogg ogv oga opus avi mov mkv webm mpg mpeg wmv " +
		"sqlite sqlite3 db mdb parquet arrow feather orc avro npy npz h5 hdf5 pkl pickle onnx safetensors gguf pt pth ckpt tflite pb " +
		"swp swo ds_store")
)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		out[word] = true
	}
	return out
}
