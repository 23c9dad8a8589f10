package remember

// The numbers of this package that were chosen, not computed: probabilities and shares from 0 to 1,
// and factors. A comment that names measurements is the source of its number; the others were
// chosen by hand, and the tests of this package hold what follows from them.

import "time"

const (
	// howHalfLife is the age at which a run counts half for the order of command lines, against the
	// newest one; a line that never passed counts neverPassed of that.
	howHalfLife, neverPassed = 30 * 24 * time.Hour, .25
)

const (
	// maxLessons and maxReferences bound what a bundle shows without a judge; maxRemembered
	// bounds the decisions and notes that it shows besides, which are usually a sentence long.
	maxLessons, maxReferences, maxRemembered = 2, 1, 3
	// fits is the rank from which a lesson or reference is relevant to the prompt.
	fits = .3
	// labelFits is that rank for a decision or a note: a person asked to remember it, and it is
	// short.
	labelFits = .15
	// assembledFits is the share of the prompt that a reference must have which memory assembled by
	// itself and nobody confirmed: it takes 600 tokens. Of 81 questions about recorded sessions a
	// bundle of 3,000 tokens answers 50.6 % without any, and 48.1 % with those from .3 on.
	assembledFits = .8
)

// commonScore is the score below which a name is as common as an ordinary word: some 40 turns
// mention it, see subject.Find, whose latest turn has the full score of the name's rarity.
const commonScore = .6

// The weights of a name's last part alone, and of the second name of a lookup: see subject.Find.
const lastPart, secondName = .5, .7

const (
	// passageAt is the relevance of the best turn from which a prompt is about what was said.
	passageAt = .4
	// passageLines is the share of the best message's score from which a message belongs to the
	// passages.
	passageLines = .4
	// minPassage is the room below which no passage is worth its frame, in tokens.
	minPassage = 48
)

const (
	// minNamedShare is the smallest share of a long prompt's words in names; shortPrompt is the
	// length in bytes up to which a prompt is short.
	minNamedShare, shortPrompt = .02, 400
	// namedScore is the probability that a profile helps whose subject is named in passing, and
	// namedGain what it gains if the prompt is nothing else.
	namedScore, namedGain = .35, .4
)

const (
	// maxAsked bounds the words of a prompt that are weighed, and maxSearched those that are
	// searched for: the rarest, and none with less than searchedShare of the weight of the rarest.
	maxAsked, maxSearched, searchedShare = 24, 8, .2
	// fewMessages is the number of messages below which they do not show how rare a word is.
	fewMessages = 60
	// usualLength is the length of a message, in terms, at which one of its words has about its
	// full weight; halfSaid determines the weight of a word's first mention (the k1 of BM25).
	usualLength, halfSaid = 150, .35
	// minWords is how many of several words a turn must contain.
	minWords = 2
	// chance is the share of the logarithm of the number of messages that the weights of a turn's
	// words must reach. Words in shares p of n messages occur together by chance in n·Πp of them,
	// and a weight is about −log p: at 1 one message would contain them all by chance.
	chance = .85
	// nameAt is the rarity in everyday talk from which a word is a name, which identifies a topic
	// by itself, and topicAt the rarity from which it is the topic of a prompt without any other.
	nameAt, topicAt = .97, .7
	// subjectAt is the rarity from which a word that was never said names a subject of its own, on
	// which memory has nothing; a more common one in a question is open. askedAt is the rarity from
	// which a word is the topic of a question without any other: below it are words like "time" and
	// "name", which occur in talk about anything.
	subjectAt, askedAt = .8, .6
	// alone is the share of the prompt from which one name is enough, and aloneOfPast the same for
	// a prompt that asks for what was said, whose other words ask.
	alone, aloneOfPast = .45, .2
	// pastAt is the weight of hints at decisions and episodes from which a prompt asks for what was
	// said.
	pastAt = .5
)

// The tokens that candidates for rules may take in a bundle: saidTokens, or a share of a large
// budget.
const saidFits = .15

// besideOwn is the weight of what a teammate wrote beside what the person has themselves.
const besideOwn = .8

const (
	// foundMessages bounds the messages that a search is asked for, and lookedAt the turns whose
	// texts are read.
	foundMessages, lookedAt = 200, 10
	// least is the smallest relevance of a turn for a reminder; nextToBest is its smallest share of
	// the best turn's.
	least, nextToBest = .3, .55
	// namedWeight is the weight of a mention of a file or symbol that the prompt names.
	namedWeight = .8
)
