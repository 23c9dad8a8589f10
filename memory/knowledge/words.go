package knowledge

import "strings"

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// filler are words that do not tell what a rule is about.
var filler = set(`a an the this that these those your our their my his her its all every each any some both of in on at to for from
	with by as into onto within and or but nor so then than is are be been being was were do does did done will would shall should
	must may might can could have has had it they them he she you we i us me please always never also just only too very really
	consistently properly proper appropriate appropriately explicitly carefully simply kindly new now own whenever when while if
	even well sure make made certain not no don't there here statement statements block blocks module decorator string
	convention conventions practice practices rule rules habit instead up out about over under such like somewhere single`)

// openers begin a sentence without telling anything.
var openers = set(`great good perfect excellent fantastic wonderful awesome amazing nice cool super brilliant lovely ok okay alright right sure
	thanks thank yes yeah yep yup no nope well so and but also now then additionally furthermore moreover besides likewise similarly absolutely
	exactly precisely indeed certainly definitely understood noted correct true fair agreed interesting hi hello hey first firstly
	second secondly third thirdly fourth fourthly fifth next finally lastly last again actually anyway anyways however
	remember note btw fyi oh ah hmm mm please plus meanwhile overall today similarly further hence therefore thus importantly
	nevertheless nonetheless equally too later unfortunately basically essentially generally specifically particularly`)

// things are what rules about code and about answers are about. Each is a singular.
var things = set(`function method class variable argument parameter attribute constant module package import
	test comment docstring annotation hint decorator exception error log commit branch pr code script
	codebase repo repository indentation indent tab semicolon bracket brace newline whitespace
	digit prefix suffix case identifier interface struct enum trait component hook endpoint route controller handler api
	query schema table migration index database db sql dependency library framework config configuration env
	secret credential url directory folder export assert assertion try except catch
	loop recursion async await promise callback closure lambda generator iterator list array map dict dictionary
	tuple null nil undefined default return output input print logger logging linter lint formatter
	build pipeline deployment release changelog readme doc documentation answer response reply explanation
	summary snippet emoji bullet heading markdown paragraph
	command shell docker container kubernetes cache mock fixture stub coverage unit integration benchmark
	goroutine channel mutex transaction cookie header payload json yaml xml toml csv html css
	template serializer validator validation middleware dto repository singleton
	naming convention composition inheritance linting formatting testing abbreviation acronym todo fixme stacktrace metric timestamp timezone utc i18n
	python java javascript typescript golang rust ruby php kotlin swift scala react vue angular svelte django flask rails node
	npm yarn pnpm pip poetry cargo maven gradle cmake bazel git github gitlab bitbucket eslint prettier ruff mypy pytest jest
	postgres mysql sqlite redis mongodb kafka graphql grpc protobuf aws terraform ansible linux bash
	snake_case camelcase pascalcase kebab-case uppercase name file type field property`)

// loose are words that rules about code speak of and other talk, too: alone they do not make a statement one about code.
var loose = set(`request review symbol service version setting environment password token key id path block set object instance none value
	result default format tag language english german french spanish italian sentence tool terminal thread session column space line quote
	string number message style theme color font button form page view model entity factory pattern guideline standard todo warning trace
	date time currency unit locale accessibility ticket issue story patch merge go spring black make rest profile lock character project
	word punctuation comma period letter apology greeting example technology editor ide main master production staging`)

// verbs are those in which rules are stated, in their base form.
var verbs = set(`use start begin end finish prefix suffix name call add include incorporate append prepend insert import write document comment
	annotate keep put place store avoid prefer follow wrap format indent log test run commit push merge rebase squash return raise
	throw catch handle check validate declare define mark create organize organise sort group separate limit stick adhere apply adopt implement
	capitalize capitalise lowercase uppercase quote escape sanitize close open lock pin update deploy release tag review ask answer reply
	respond explain summarize summarise show give provide speak translate cite link mention read set leave remove delete omit skip ignore do
	have contain state specify pass inject mock cover expose export extend inherit split break target support install configure build
	compile lint address refer spell abbreviate hardcode hard-code reuse share duplicate repeat copy modify edit change touch
	generate print output round prepare record report track treat assume confirm verify double-check allow require utilize utilise employ
	be choose favor favour pick integrate initialize initialise render fetch load save maintain focus consider describe list order
	bump stage sign cache measure profile escape encode decode parse serialize bind await block lean write-up respect assert type typecheck
	type-check type-hint rename refactor structure pair prompt work develop design expect leave default fall commit`)

// purposes are verbs that say what a rule is for; what they begin is no part of the rule.
var purposes = set(`help ensure maintain make keep improve avoid indicate identify distinguish prevent enhance facilitate promote increase reduce
	simplify allow enable provide catch align differentiate gracefully better easily clarify signify show standardize validate track
	guarantee minimize support encourage denote signal reflect make handle manage be aid assist boost foster ease monitor`)

// having are the verbs that say that something shall be there; between them rules do not differ.
var having = set(`use add include incorporate insert write put have contain provide utilize utilise employ adopt apply implement integrate prefer
	choose favor favour pick avoid follow import append prepend do keep stick skip omit leave remove`)
