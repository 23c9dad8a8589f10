package intent

import "strings"

// set makes a set of the words in s.
func set(s string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		m[w] = true
	}
	return m
}

var greetings = []string{
	"hi", "hey", "hello", "hallo", "hola", "bonjour", "yo", "sup", "hiya", "howdy", "greetings", "good morning", "good afternoon",
	"good evening", "good day", "morning", "what's up", "whats up", "how are you", "how are you doing", "how's it going",
	"how is it going", "nice to meet you", "long time no see",
}

var acknowledgements = []string{
	"thanks", "thank you", "thx", "ty", "cheers", "ok", "okay", "k", "yes", "yep", "yeah", "yup", "no", "nope", "sure", "great", "cool",
	"nice", "perfect", "awesome", "got it", "sounds good", "looks good", "lgtm", "go on", "go ahead", "continue", "proceed", "do it",
	"please do", "please continue", "keep going", "well done", "good job", "bye", "goodbye", "see you", "that works", "makes sense",
	"never mind", "nevermind", "i see", "right", "exactly", "good", "done", "wow",
}

// fillers may follow small talk without giving it a topic.
var fillers = []string{
	"there", "all", "everyone", "everybody", "team", "folks", "friend", "again", "world", "claude", "assistant", "buddy", "man", "guys",
	"so much", "a lot", "very much", "today", "for now", "please", "it", "that", "you", "to you", "for the help", "for your help", "then", "now",
	"how are you", "and",
}

// openings may precede an imperative verb.
var openings = []string{
	"hi", "hey", "hello", "hi there", "hey there", "good morning", "ok", "okay", "so", "now", "then", "well", "thanks", "thank you", "great", "also", "and", "please",
	"kindly", "just", "can you", "could you", "would you", "will you", "can you help me", "could you help me", "help me", "help me to",
	"i want you to", "i'd like you to", "i would like you to", "i want to", "i'd like to", "i would like to", "i need to", "i need you to",
	"we need to", "we want to", "we should", "you should", "let's", "lets", "let us", "go ahead and", "try to", "your task is to",
	"next", "first", "finally", "quickly",
}

// taskVerbs begin an order to change something.
var taskVerbs = set(`add implement create build make write refactor rename move extract remove delete drop update upgrade bump
	migrate convert change replace split merge port rewrite generate introduce enable disable support allow expose wire
	integrate configure set setup install deploy release publish optimize optimise improve simplify clean reduce increase extend handle use
	switch apply run format lint document annotate translate inline cache log validate avoid prevent ensure promote permit preserve
	include exclude ignore skip wrap unwrap import export deprecate revert restore start stop turn adjust tweak cleanup unify
	modernize separate hide sort parse return pass accept reject register throw raise emit print do finish complete prefer prioritize cancel detect normalize tighten respect limit invoke
	restructure don't start stop rework reuse wire flag loosen relax forbid fold`)

// repairVerbs begin an order to repair something.
var repairVerbs = set(`fix repair correct resolve solve patch mend fixes`)

// lookVerbs begin an order to show or explain something.
var lookVerbs = set(`explain describe show find list locate search summarize summarise tell clarify outline look point check review read
	understand trace walk identify enumerate count`)

// predicates follow a noun.
var predicates = set(`is are was were isn't aren't wasn't does doesn't did didn't do don't has have had can can't cannot could should shouldn't will won't
	would fails failed fail crashes crashed hangs returns throws raises works breaks never always`)

// questionWords begin a question by themselves.
var questionWords = set(`what what's where where's why why's how how's who who's which whose whom is are does did was were am`)

// subjects follow a verb that asks: "should we", but not "should return 404".
var subjects = strings.Fields(`i you we they he she it this that these those there the a an my our your any anyone anybody someone somebody not`)

// questionPairs begin a question together with the word after them.
var questionPairs = map[string][]string{
	"when":   {"is", "are", "was", "were", "do", "does", "did", "will", "should", "can", "could", "would", "has", "have", "had"},
	"can":    subjects,
	"could":  subjects,
	"should": subjects,
	"would":  subjects,
	"do":     {"you", "we", "i", "they", "these", "those"},
	"will":   {"you", "we", "i", "it", "this", "that", "they", "the", "there"},
	"has":    {"anyone", "anybody", "it", "this", "that", "the", "there", "he", "she"},
	"have":   {"you", "we", "i", "they", "these"},
	"had":    {"you", "we", "i", "they", "it"},
	"may":    {"i", "we"},
	"any":    {"idea", "ideas", "chance", "reason"},
}

// questionOpenings may precede a question.
var questionOpenings = []string{
	"so", "and", "but", "ok", "okay", "well", "also", "then", "now", "thanks", "thank you", "quick question", "question", "please tell me", "tell me",
	"can you tell me", "could you tell me", "do you know", "i wonder", "i'm wondering", "wondering", "there", "all", "everyone", "team",
}

// plainVerbs at the start of a sentence only mean that something is to be done.
var plainVerbs = set(`add implement create build make write refactor remove delete update change fix repair correct explain describe show find`)

// stopWords are never topics.
var stopWords = set(`a about above after again against ago all almost along already also although always am among an and another any anyone anything
	are aren't around as ask at away back be because been before being below best better between both but by call came can can't cannot come
	comes could couldn't did didn't do does doesn't doing don't done down during each either else enough etc even ever every everything
	example far few first for from further get gets getting give given gives go goes going gone good got had has hasn't have haven't having he
	hello help her here hey hi him his how how's however i i'd i'll i'm i've if in instead into is isn't it it's its itself just keep kind know let let's
	like likely look looking lot made make makes making many may maybe me mean might more most much must my need needs never new next
	no nor not nothing now of off often ok okay on once one ones only onto or other others our ours out over own per perhaps please possible
	put quite rather really right said same say says see seem seems set she should shouldn't show since so some somehow someone something
	somewhere still such sure take taken tell than thank thanks that that's the their them then there there's these they they're thing things
	think this those though through thus to today together too toward tried try trying two under until up upon us use used uses using usually
	very via want wants was wasn't way ways we we're we've well went were what what's whatever when where where's whether which while who whole
	whose why will with within without won't work works would wouldn't yes yesterday yet you you're your yours able across actually
	currently recently week month last day days cc`)
