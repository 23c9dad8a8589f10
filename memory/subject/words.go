package subject

import "strings"

// set makes a set of the words in a text.
func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

var (
	// extensions are those by which a bare name is a file's.
	extensions = set(`go ts tsx mts cts js jsx mjs cjs py pyi pyx rb rs java kt kts c h cc cpp cxx hh hpp hxx cs fs fsx vb php swift
		scala sbt groovy gradle clj cljs dart lua jl hs elm erl exs zig nim cr sh bash zsh fish ps1 psm1 bat cmd sql md mdx markdown rst adoc txt
		tex json jsonc json5 jsonl ndjson yaml yml toml ini cfg conf properties env xml xsd xsl xslt html htm css scss sass less vue svelte
		astro proto graphql gql thrift avsc mod sum work lock csv tsv parquet ipynb tf tfvars hcl cmake mk txtar tmpl tpl hbs ejs erb
		jinja prisma sol wasm wat asm svg png jpg jpeg gif webp pdf zip tar gz csproj fsproj sln vcxproj xcodeproj plist storyboard
		patch diff snap golden log4j service desktop dockerfile gitignore`)
	// pathExtensions are those that count within a path only: as bare names they are other things
	// as well.
	pathExtensions = set(`m mm r R C H S s d v pl pm ex ml mli p l y log out bin dat db sqlite lst in inc def map key pem crt cer ico
		mp3 mp4 wav ttf woff woff2 doc docx xls xlsx ppt pptx test spec bak orig tmp jar war class o a so dll exe dylib pyc rkt lisp el scm
		vim rego cue dhall nix bzl bazel build BUILD star psd ai fig sketch`)
	// bareNames are files' names without an extension that no prose has.
	bareNames = set(`Makefile Dockerfile Jenkinsfile Vagrantfile Gemfile Procfile Rakefile Podfile Fastfile Brewfile Justfile Containerfile
		Caddyfile Pipfile GNUmakefile CODEOWNERS`)
	// plainNames are those that count within a path.
	plainNames = set(`README LICENSE CHANGELOG NOTICE AUTHORS CONTRIBUTING VERSION BUILD WORKSPACE makefile justfile go.mod hosts passwd`)
	// dotFiles are the names of hidden files, without the dot.
	dotFiles = set(`gitignore gitattributes gitmodules dockerignore editorconfig env npmrc nvmrc eslintrc prettierrc babelrc bashrc zshrc
		profile vimrc envrc npmignore eslintignore prettierignore clang-format clang-tidy golangci flake8 pylintrc htaccess mailmap`)
	// products are called after a file but are none.
	products = set(`node vue next nuxt react express d3 three ember backbone chart moment p5 discord knockout angular nest meteor socket
		alpine solid polymer underscore require electron deck paper leaflet handlebars mustache phaser babylon tensorflow brain ml5 strapi keystone
		sails hapi koa apollo type`)
	topDomains = set(`com org net io dev ai app co edu gov mil int info biz me tv us uk de fr nl ch at eu ru cn jp kr in br au ca it es pl se no
		fi dk cz gg xyz tech cloud page site online store blog wiki so ly gl to fm test example invalid local`)
	// notFolders begin media types and the names of branches.
	notFolders = set(`application text image audio video multipart font message feature bugfix hotfix chore origin upstream`)
	slashWords = set(`and/or either/or yes/no on/off true/false n/a i/o read/write input/output client/server tcp/ip pass/fail he/she his/her
		him/her s/he w/o up/down left/right in/out before/after start/stop open/close push/pull if/else try/catch host/port user/password
		key/value request/response`)
	// keywords occur in backticks without being a name of the workspace.
	keywords = set(`true false null nil none None True False undefined NaN void if else elif for while do switch case default break continue return
		goto try catch except finally throw throws raise with as in is not and or new delete typeof instanceof sizeof import export from package
		use using include require func fn def function lambda class struct interface enum trait impl type var let const static final public
		private protected internal abstract override virtual async await yield defer go select chan map range mut ref out pub mod crate super self
		this extends implements int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float float32 float64 double char byte rune long short
		bool boolean string str error any unknown never object number bigint symbol usize isize i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 list dict set
		tuple array vec GET POST PUT PATCH DELETE HEAD OPTIONS SELECT INSERT UPDATE FROM WHERE JOIN git npm npx yarn pnpm pip cargo make docker
		kubectl ls cd rm cp mv cat grep sed awk curl ssh sudo bash sh zsh node python python3 ruby java rustc gcc clang ok OK yes no`)
	// builtins are called in code without being a name of the workspace.
	builtins = set(`len cap append copy make new panic recover print println printf close delete min max clear sum abs all any map filter
		reduce range zip open input int str float list dict set tuple bool type isinstance super repr sorted reversed enumerate assert require
		include echo isset empty unset die exit puts sizeof malloc free memcpy strlen parseInt Error Promise Array Object String Number Boolean Map
		Set Date setTimeout fetch alert while switch catch expect describe test println! format vec Some Ok Err Box Vec values string values`)
	// declares are the words of code that a name follows.
	declares = set(`func def fn function class struct interface enum trait impl type module namespace protocol record object fun sub macro
		typedef union package extension actor`)
	// dunders are Python's; other words between underscores are emphasised.
	dunders = set(`__init__ __main__ __name__ __file__ __all__ __call__ __str__ __repr__ __len__ __iter__ __next__ __enter__ __exit__ __new__
		__getitem__ __setitem__ __delitem__ __getattr__ __setattr__ __contains__ __eq__ __hash__ __del__ __dict__ __slots__ __class__ __version__
		__init_subclass__ __post_init__ __future__ __aenter__ __aexit__`)
	selves = set(`self this super`)
	titles = set(`mr mrs ms dr prof st jr sr no vs vol fig eq sec ch pp approx etc inc ltd corp dept est e.g i.e eg ie cf al ca viz resp incl
		jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun`)
	// functionWords begin sentences and never names: done.Then is the end of one sentence and the
	// beginning of the next.
	functionWords = set(`a an the this that these those it its we i you he she they our my your his her their us me them if then else but and or
		so nor yet for to of in on at by as is are was were be been am do does did done has have had can could should would will shall may
		might must not no yes also now next first finally please however because when while where what why how who which there here let lets
		after before since until with without from into about just only still even maybe perhaps ok okay thanks thank sorry hi hello hey well
		make sure note see use using used try all any some each every both more most much many few new other another same such than too very`)
	// brands are written like compounds and are none.
	brands = set(`javascript typescript coffeescript github gitlab bitbucket youtube linkedin facebook whatsapp openai chatgpt deepmind deepseek
		postgresql mysql nosql mongodb mariadb couchdb dynamodb influxdb graphql sqlite websocket websockets iphone ipados macos watchos tvos
		visionos macbook airpods powershell powerpoint onedrive sharepoint onenote outlook vscode webstorm intellij pycharm goland androidstudio
		jetbrains devops devsecops gitops mlops finops cicd opensource webassembly webgl webgpu webrtc opengl opencl opencv numpy scipy pytorch
		tensorflow fastapi nestjs nextjs nodejs vuejs reactjs expressjs jquery rabbitmq activemq zeromq clickhouse bigquery cloudflare
		digitalocean circleci travisci teamcity sonarqube newrelic pagerduty hashicorp openstack openshift openapi oauth oauth2 openid saml
		freebsd openbsd netbsd opensuse centos linkedlist hubspot salesforce mailchimp wordpress woocommerce squarespace paypal ebay airbnb
		doordash tiktok snapchat playstation xbox geforce radeon nvidia amdgpu latex bibtex xetex lualatex readme changelog stackoverflow hackernews
		producthunt livekit langchain llamaindex huggingface ollama lmstudio neovim emacs spacevim wifi bluetooth ethernet dropbox evernote
		grpcweb protobuf haskell purescript rescript reasonml actionscript applescript livescript autohotkey photoshop indesign autocad
		solidworks matlab simulink labview minecraft starcraft warcraft speedtest testflight appstore playstore cocoapods crossfit mastercard
		wework fedex aliexpress bytedance ubereats pagerank healthcare nonnull kubectl kilobyte megabyte mapreduce`)
)
