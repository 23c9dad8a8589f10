package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/server/capture"
	"github.com/contexture-dev/contexture/server/hosts"
)

// optional is a flag with a third value: it was not given.
type optional struct{ given, on bool }

// String returns the value, or "" if the flag was not given.
func (o *optional) String() string {
	if !o.given {
		return ""
	}
	return strconv.FormatBool(o.on)
}

// Set sets the value.
func (o *optional) Set(text string) (err error) {
	o.given = true
	o.on, err = strconv.ParseBool(text)
	return err
}

// Type returns the name of the value's type, which pflag needs.
func (*optional) Type() string { return "bool" }

// captureChoice is what an installation does about a host's conversations.
type captureChoice int

const (
	// captureNone is for hosts without conversations that can be read.
	captureNone captureChoice = iota
	// captureUnasked leaves capture off, since nobody could be asked.
	captureUnasked
	// captureAsks is what a dry run shows where the person would be asked.
	captureAsks
	// captureAgreed switches capture on.
	captureAgreed
	// captureRefused switches capture off: the person said no just now.
	captureRefused
	// captureOn and captureOff are decisions that the person made before.
	captureOn
	captureOff
)

// line describes the choice; "" if there is nothing to capture.
func (c captureChoice) line(h hosts.Host) string {
	switch c {
	case captureUnasked:
		return "conversations are not captured; contexture capture on " + h.Source + " switches that on"
	case captureAsks:
		return "you are asked whether conversations are captured"
	case captureAgreed:
		return "conversations are captured from now on; contexture capture off " + h.Source + " stops that"
	case captureRefused, captureOff:
		return "conversations are not captured, as you decided; contexture capture on " + h.Source + " changes that"
	case captureOn:
		return "conversations are captured already"
	}
	return ""
}

// askCapture returns what is done about the conversations of each host. It asks the person once,
// for all hosts that need a decision, in a terminal and without the flag.
func (o *installer) askCapture(ctx context.Context, list []hosts.Host) (map[string]captureChoice, error) {
	all, err := capture.Consent(o.m.StateDir)
	if err != nil {
		return nil, err
	}
	choices := map[string]captureChoice{}
	var open []hosts.Host
	for _, h := range list {
		on, decided := all[h.Source]
		switch {
		case h.Source == "":
		case on:
			choices[h.Name] = captureOn
		case decided && !hosts.Uninstalled(o.m.StateDir, h.Name):
			choices[h.Name] = captureOff
		default:
			open = append(open, h)
		}
	}
	if len(open) == 0 {
		return choices, nil
	}
	choice, interactive := captureUnasked, o.f.env.in.On && o.f.env.err.On
	switch {
	case o.capture.given && o.capture.on:
		choice = captureAgreed
	case o.capture.given:
		choice = captureRefused
	case o.dryRun && interactive:
		choice = captureAsks
	case interactive:
		if choice, err = o.askYesNo(ctx, captureQuestion(open)); err != nil {
			return nil, err
		}
	}
	for _, h := range open {
		choices[h.Name] = choice
	}
	return choices, nil
}

// captureQuestion returns the question whether conversations of hosts are captured.
func captureQuestion(list []hosts.Host) string {
	var titles []string
	for _, h := range list {
		titles = append(titles, h.Title)
	}
	return "Capture the conversations of " + strings.Join(titles, ", ") + `?
Their logs on this machine are read as they are written, and stored without secrets in your memory of each workspace,
which stays on this machine ("contexture help privacy"). You can change this at any time: "contexture capture".
`
}

// askYesNo asks a question until the answer is yes or no. An empty answer and the end of the input
// are no.
func (o *installer) askYesNo(ctx context.Context, question string) (captureChoice, error) {
	fmt.Fprint(o.f.env.stderr, question)
	in := bufio.NewReader(o.f.env.input(ctx))
	for {
		fmt.Fprint(o.f.env.stderr, "Capture them? [y/N] ")
		line, err := in.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return captureUnasked, fmt.Errorf("read the answer: %w", err)
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return captureAgreed, nil
		case "", "n", "no":
			return captureRefused, nil
		}
		if err != nil {
			return captureRefused, nil
		}
		fmt.Fprintln(o.f.env.stderr, "Answer y for yes or n for no.")
	}
}
