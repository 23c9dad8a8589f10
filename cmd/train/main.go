// Command train fits what the program learned from examples: the weights with which
// memory/utterance reads sentences, from the labelled dialogues in testdata/utterances. It prints
// how well a model fitted without a speaker reads that speaker, and writes
// memory/utterance/weights.bin. The same corpus gives the same file, byte for byte.
//
//	go run ./cmd/train            fit, report and write
//	go run ./cmd/train -dry-run   fit and report only
//	go run ./cmd/train rank -sets FILE,FILE -mirrors DIR -work DIR   the models by which a search orders what it found and
//	tells prompts about the workspace from others, for context/retrieve: questions with their answers, the bare
//	repositories owner+name/repo that they are about, and a folder for checkouts and indexes
//	go run ./cmd/train lines -sets FILE,FILE -mirrors DIR -work DIR   the probability that a line settles a question, for
//	context/cut: the same, with the lines of the answers
//	go run ./cmd/train pays -set FILE -mirrors DIR -work DIR   the probability that the names of places spare an assistant a
//	search, for context/retrieve: prompts of recorded sessions with what was then looked up
//	go run ./cmd/train impact -mirrors DIR -work DIR   the probability that a change concerns a test, for context/impact:
//	commits that changed code and tests, the parent of each checked out and indexed
//	go run ./cmd/train recall -sets FILE,FILE   the probability that an item of recall helps, for context/recall
//	go run ./cmd/train silence -sets FILE,FILE   when recall has nothing on a question, for context/recall
//	go run ./cmd/train needed -set FILE -mirrors DIR -work DIR   whether a prompt needs what was said or the workspace has its
//	answer, for context/recall: repositories with recorded sessions and questions about them
//	go run ./cmd/train links -sets FILE,FILE   by which signs of what was found recall tells what answers, for context/recall
//	go run ./cmd/train statements -set FILE -said FILE   what a sentence of a person is to memory, and whether it is the
//	person's own, for memory/utterance: sessions with labelled quotations, and prompts whose labels testdata/statements.txt has
//	go run ./cmd/train embed -mirrors DIR -work DIR   the vectors of words, for indexer/embed: bare repositories, outside
//	every set that measures, whose licence allows it; repositories.txt has those that were read
//	go run ./cmd/train words -catalogs DIR   which English words stand for those of other languages, for
//	context/translate: a folder with message catalogs, LANGUAGE/*.po
//	go run ./cmd/train references -mirrors DIR -repos NAMES -answers FILE -server COMMAND   fits nothing: how many callers and
//	implementations that a language server has are found, and how many of those that are found it has
//	go run ./cmd/train parse -mirrors DIR   fits nothing: how many files of the repositories do not parse, by language
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/contexture-dev/contexture/memory/utterance"
)

func main() {
	others := map[string]func([]string) error{
		"rank": trainRank, "lines": trainLines, "pays": trainPays, "recall": trainRecall, "silence": trainSilence, "needed": trainNeeded, "links": trainLinks, "parse": measureParse, "words": trainWords,
		"impact": trainImpact, "references": measureReferences, "embed": trainEmbed, "statements": trainStatements,
	}
	if len(os.Args) > 1 && others[os.Args[1]] != nil {
		if err := others[os.Args[1]](os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "train:", err)
			os.Exit(1)
		}
		return
	}
	corpus := flag.String("corpus", "testdata/utterances", "the `folder` with the labelled dialogues")
	out := flag.String("out", "memory/utterance/weights.bin", "the `file` to write")
	dry := flag.Bool("dry-run", false, "report only, write nothing")
	folds := flag.Int("folds", 10, "into how many parts the speakers are split for the report")
	show := flag.String("errors", "", "also print the worst mistakes of this `label`")
	flag.Parse()
	if err := run(*corpus, *out, *dry, *folds, *show); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(corpus, out string, dry bool, folds int, show string) error {
	lines, err := readCorpus(corpus)
	if err != nil {
		return err
	}
	describe(lines)
	p, margins := crossValidate(lines, folds)
	report(lines, p, margins, show)
	change := func(i int) float64 {
		l := utterance.Change
		return logistic(p.Slope[l]*margins[i][l] + p.Offset[l])
	}
	m, err := utterance.Load(utterance.Encode(p))
	if err != nil {
		return err
	}
	pairs := pairsOf(m, lines, change)
	p.Pair = fitPairs(pairs)
	reportPairs(lines, pairs, p.Pair, show == "pairs")
	if dry {
		return nil
	}
	b := utterance.Encode(p)
	if err := os.WriteFile(out, b, 0o644); err != nil {
		return err
	}
	fmt.Printf("%s: %d bytes, %d features\n", out, len(b), len(p.Features))
	return nil
}
