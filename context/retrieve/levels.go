package retrieve

// The numbers of this package that were chosen, not computed: probabilities and shares from 0 to 1,
// and factors. A comment that names measurements is the source of its number; the others were
// chosen by hand, and the tests of this package and of context/eval hold what follows from them.

// A name is analogous to one that the conversation named if they share minAnalogueShare of its
// words, by rarity. A word of the prompt in too many chunks is no evidence.
const (
	minAnalogueShare = .25
	analogueChunks   = 3000
)

// The weights of what is near a place.
const (
	besideName   = .9  // the definition at the cursor, where the cursor is on another name
	containerOf  = .75 // the type that a method belongs to
	calledWeight = .8
	callerWeight = .7
	methodWeight = .65
	outerSubject = .6 // of what surrounds further subjects
	subjectMost  = 3

	pieceDecay        = .97 // for each piece further from the cursor
	listDecay         = .95 // for each further one of a list
	pieceMost         = 16
	calledMost        = 8
	callerMost        = 6
	methodMost        = 6
	maxDocumentPieces = 12 // pieces of a document without a cursor
	maxViewed         = 4  // documents in view
	viewPieces        = 3
	viewDecay         = .9
)

// maybe is the probability of what is as likely as not.
const maybe = .5

// When a file is taken for one that a tool built from others: nearly everything that it defines is
// defined in other files too, and it has nearly everything that one of them defines and much more.
// Variants for several platforms and forks of one file have the same definitions, not more.
const (
	builtShare = .8
	builtMore  = 1.5
	// belowSource is the most that such a file has of the score of its source.
	belowSource = .99
)

// The probabilities that a prompt that continues the conversation means a place, by the place's
// relation to it. They hold for what the conversation was about last; each earlier subject decays
// by recentDecay.
const (
	tiedDefined  = .5  // what the conversation named
	tiedPiece    = .25 // another piece of that
	tiedNear     = .3  // what that calls, what calls it: times the place's own weight, see around
	tiedAnalogue = .6  // what is named alike except for a word of the prompt
	tiedInFile   = .06
)

// discourseTimeShare is the share of the deadline that the discourse may take.
const discourseTimeShare = .2

// The weights of the last turns' words.
const (
	turnDecay = .5
	tiedSaid  = .12
)

// ownObject is the factor of a place of the discourse for a prompt that fully determines its object
// itself, and knownShare the share of a prompt's topic that places of the discourse must have for
// the prompt to continue it.
const ownObject, knownShare = .35, .3

// definedFile is the weight of a file that defines what was named, relative to one that was named
// itself.
const definedFile = .6

// Mentioned is the probability from which a place is worth naming: of the places with .05 to .1
// that were pointed at for 297 questions, one in sixteen was in a file of the answer; from .1 on it
// was one in four, and more with more.
const Mentioned = .1

// likely is the probability that a place must have beside those that the prompt points at: that it
// helps rather than not. besides is the same beside those that the person is at: one that shares no
// more than common words with the prompt has less.
const likely, besides = .5, .016

// shownSure is the probability that a place helps at which a prompt points: by a line of a stack
// trace, or by a message that it has. A test that has the message expects it from somewhere else.
const (
	shownSure = .9
	expecting = .3
)

// How probable it must be that a prompt is about the workspace for places to be offered unasked. In
// a workspace of few pieces no word is rare, and the model underestimates a prompt about it.
const (
	aboutUsually = .5
	aboutFew     = .05
)

// minHeldShare is the share of a prompt's words that a place must have to hold them. allHeld is the
// share that counts as all.
const minHeldShare, allHeld = .6, .99

// The weight of the conversation beside the prompt, as probabilities.
const (
	// maxDiscourseNames bounds the recent files and symbols that count; the weight of each further
	// one of a kind decays by recentDecay.
	maxDiscourseNames = 12
	recentDecay       = .8
	// recentChance is the probability that the best piece of a recent file helps, whatever the
	// prompt says, and openRecentChance the one for a prompt that leaves its object open.
	recentChance, openRecentChance = .55, .7
	// asideRecentChance is that probability for a prompt that does not continue the conversation,
	// and leaves its object open all the same.
	asideRecentChance = .3
	// unmatchedRecent is the weight of a recent file in which the prompt's words match nothing.
	unmatchedRecent = .45
	// maxMeant is how many definitions a symbol may have and still identify the one that was
	// meant.
	maxMeant = 3
	// earlierShare is the weight of the files and symbols of earlier conversations relative to this
	// one's, as far as the prompt leaves its object open.
	earlierShare = .5
)

// minDiscourseChance is the probability below which a place of the discourse is ignored.
const minDiscourseChance = .02

// faint is the score below which a score means nothing; dividing by it still yields a finite
// number.
const faint = 1e-30

// literalShare is the share of the deadline that scanning the texts themselves may take, and
// insideWord the score of a place that has the literal only within words, where 1 is a whole one.
const literalShare, insideWord = .5, .1

// faintSum keeps a sum of probabilities above 0.
const faintSum = .01

// belowNamed is the most that a place which the prompt does not name has of the score of those that
// it names.
const belowNamed = .999

// maxNameChunks is the most chunks that are examined for one name.
const maxNameChunks = 1e5

// The boosts for a place that holds the only word of a query, and for a file of that name: more
// than all rankers together can add, and half of that.
const (
	wordBoost     = 3.0
	fileWordBoost = wordBoost / 2
)

// What is named for a prompt: the best place of up to NamedMost files, if it helps with a
// probability of at least NamedLeast.
const (
	NamedMost  = 20
	NamedLeast = .02
)

// The weight of the location beside the prompt, as shares of the best score.
const (
	// placeHelps is the probability that the location itself helps when the prompt leaves its
	// object open and names nothing.
	placeHelps = .6
	// openShare is the factor of the other scores when the prompt leaves its object open: less than
	// the filter keeps.
	openShare = .1
	// atShare is the smallest share for the definition at the cursor, even if the prompt names
	// something else.
	atShare = .5
	// boostShare raises what the prompt finds near the person; fileWeight is its factor for the
	// rest of the document.
	boostShare = .15
	fileWeight = .3
)

// furtherPiece is the factor for each further piece of a file in a list that people read.
const furtherPiece = .5

// leastListed is the least probability that a list shows to two digits as more than nothing.
const leastListed = .005

// What an exact match adds to the fused score, whose maximum is about the sum of the weights. A
// prompt that is little more than a name asks for that name's definition first; in a long text the
// names are hints among others.
const (
	exactBoost    = 3.0
	exactInText   = .5
	fileNameBoost = .5
	errorBoost    = 3.0

	shortQuery   = 6  // terms
	manyMeanings = 6  // definitions from which on a name is no strong evidence
	errorPool    = 60 // candidates whose text is searched for a message
	shortPrompt  = 12 // words up to which a prompt may itself be a message
)

// askedVerbWeight is the weight of a verb that asks relative to the words for what is asked about.
// It is above 0 because the verb still separates two places about the same thing.
const askedVerbWeight = .25

// The shares of the deadline.
const (
	keywordShare = .10
	vectorShare  = .20
)

// The share of the deadline that what is related may take, and the factor for each further place.
const relatedShare, relatedDecay = .2, .98

// How surely a place answers a prompt that asks what is related to a symbol. Answered turns these
// into probabilities.
const (
	relatedSurely = .95 // it calls, implements or tests the name, which is unambiguous there
	calledMaybe   = .85 // it calls the name, which may mean something else
	usedSurely    = .75
	usedMaybe     = .5
	calledInTest  = .6
	usedInTest    = .45
	calledByName  = .59 // by a function of that name: usually recursion, or a call of what it overrides

	restShare  = .5  // factor of the other places beside a sure answer
	modelShare = .01 // weight of the model among the answers
)

// The weights of a place in an example, and of one in a test when the prompt does not ask for
// tests, relative to one in the program.
const (
	exampleRelated = .9
	testRelated    = .7
)

// What a word of the prompt adds by its role in a place: most as a whole name, less as a part of a
// name, least in the text alone. The rarity of the word, from 0 to 1, adds nameRarity to a name and
// is all that counts of the text.
const (
	wholeName, partName = 1.25, .75
	nameRarity          = .5
	textRarity          = .6

	// minOwn and fullOwn are the sums at which a prompt begins to determine its subject, and at
	// which it fully does.
	minOwn, fullOwn = .6, 1.5

	// Each word of the topic beyond fewWords adds wordShare to the prompt's own object, whether or
	// not the workspace has it; a name written as in code adds nameShare.
	fewWords  = 3
	wordShare = .2
	nameShare = .5

	// memberShare is the weight of a definition that belongs to another, relative to a top-level
	// one.
	memberShare = .6

	// subjectPool is how many of the best places are examined for the prompt's words.
	subjectPool = 24
	// strangeWords is the number of unknown words from which a prompt may be about something else,
	// provided that they are at most strangeShare of its words: in a prompt in another language
	// nearly all words are unknown, which is no evidence.
	strangeWords = 2
	strangeShare = .6
)

// fileShare is the exponent of a chunk's score, relative to its file's best one, that determines
// its share in the file's own score. With 0 each chunk would get all of it, and the many pieces of
// a large file would precede those of other files.
const fileShare = .4

// besideKnown is the weight of an English translation of a word that the workspace has as well.
const besideKnown = .7

// The weight of a term that replaces an unknown one, and how many such terms there may be.
const (
	respeltWeight = .6
	respeltMost   = 8
)
