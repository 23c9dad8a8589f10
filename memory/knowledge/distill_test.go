package knowledge

import (
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

func TestDistillFindsStandingRules(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Always add a docstring to public functions.", "Add a docstring to public functions."},
		{"Never commit directly to main; open a pull request branch instead.", "Never commit directly to main.|Open a pull request branch."},
		{"From now on, start all constant names with 'K_'.", "Start constant names with 'K_'."},
		{"From now on, answer in German.", "Answer in German."},
		{"Always reply in French, please.", "Reply in French."},
		{"Please don't use emojis in your answers.", "Never use emojis in answers."},
		{"Keep your answers short.", "Keep answers short."},
		{"Our convention is to end test file names with '_spec'.", "End test file names with '_spec'."},
		{"We use pnpm instead of npm in this repo.", "Use pnpm instead of npm in this repo."},
		{"Use tabs instead of spaces.", "Use tabs instead of spaces."},
		{"Make sure that every exported function has a doc comment.", "Every exported function must have a doc comment."},
		{"I'd like you to wrap errors with %w in all functions.", "Wrap errors with %w in all functions."},
		{"Remember to run the linter before every commit.", "Run the linter before every commit."},
		{"All endpoints must return JSON.", "Endpoints must return JSON."},
		{"Every migration must have a rollback script.", "Every migration must have a rollback script."},
		{"Commit messages should be written in the imperative.", "Commit messages must be written in the imperative."},
		{"Don't ever hardcode credentials in scripts.", "Never hardcode credentials in scripts."},
		{"Never log passwords or tokens.", "Never log passwords or tokens."},
		{"Whenever you change a schema, update the migration.", "Whenever you change a schema, update the migration."},
		{"Going forward, indent Python code with 4 spaces.", "Indent Python code with 4 spaces."},
		{"In future, prefer composition over inheritance.", "Prefer composition over inheritance."},
		{"We never use var in this codebase, only const and let for variables.", "Never use var in this codebase."},
		{"Prefer early returns over nested blocks.", "Prefer early returns over nested blocks."},
		{"You should always validate input in handlers.", "Validate input in handlers."},
		{"Functions must not be longer than 40 lines.", "Functions must not be longer than 40 lines."},
		{"Limit lines to 100 characters from now on.", "Limit lines to 100 characters."},
		{"I want you to prefix all interface names with 'I'.", "Start interface names with 'I'."},
		{"For React components, use PascalCase names.", "Use PascalCase for react component names."},
		{"Use snake_case for column names.", "Use snake_case for column names."},
		{"When naming branches, always start them with 'feat/'.", "Start branch names with 'feat/'."},
		{"Could you please always add type hints to your functions?", "Add type hints to functions."},
		{"Our policy is to squash commits on every branch.", "Squash commits on every branch."},
		{"One rule we follow here is to avoid global variables.", "Avoid global variables."},
		{"The team rule is that we never merge without tests.", "Never merge without tests."},
		{"Also, end all enum names with 'Kind'.", "End enum names with 'Kind'."},
		{"It's important that you always close database connections.", "Close database connections."},
		{"Do not use abbreviations in variable names.", "Never use abbreviations in variable names."},
		{"Avoid wildcard imports.", "Avoid wildcard imports."},
		{"Be sure to add tests for every new endpoint.", "Add tests for every new endpoint."},
		{"By default, write tests with pytest.", "Write tests with pytest."},
		{"As a rule, keep controllers thin and put logic in services.", "Keep controllers thin."},
		{"Stop adding comments to every line.", "Stop adding comments to every line."},
		{"You must never edit generated files.", "Never edit generated files."},
		{"We always use UTC timestamps in the database.", "Use UTC timestamps in the database."},
		{"I prefer that functions return errors instead of panicking.", "Functions must return errors instead of panicking."},
		{"Firstly, always use named exports.", "Use named exports."},
		{"Anna, from now on put new handlers under 'internal/api'.", "Put new handlers under 'internal/api'."},
		{"Always write SQL keywords in uppercase.", "Write SQL keywords in uppercase."},
		{"Each module must export a default function.", "Each module must export a default function."},
		{"Make it a habit to write a test before fixing a bug in your code.", "Write a test before fixing a bug in code."},
		{"I need you to document all public methods from now on.", "Document all public methods."},
		{"Don't forget to update the changelog with every release.", "Update the changelog with every release."},
		{"At all times, keep secrets out of the repository.", "Keep secrets out of the repository."},
		{"We've decided to use ruff for linting.", "Use ruff for linting."},
		{"Test names should start with 'should_'.", "Start test names with 'should_'."},
		{"In this project we use Postgres for the database.", "Use Postgres for the database."},
		{"Ensure all log messages are in English.", "Log messages must be in English."},
		{"Variable names always end with '_v' in our code.", "End variable names with '_v'."},
		{"Another convention is to begin boolean variables with 'is_'.", "Start boolean variable names with 'is_'."},
		{"Please always quote shell variables.", "Quote shell variables."},
		{"Never use `eval`.", "Never use `eval`."},
		{"Use 2 spaces for indentation from now on.", "Use 2 spaces for indentation."},
		{"Add the '@cached' decorator to all your methods.", "Add the '@cached' decorator to all methods."},
		{"You shouldn't use print statements in your code.", "Never use print statements in code."},
	} {
		var got []string
		for _, f := range Distill(c.text, dialogue.User) {
			if !f.Tentative {
				got = append(got, f.Line)
			}
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%q gives %q, want %q", c.text, got, c.want)
		}
	}
}

func TestDistillLeavesOtherTalkAlone(t *testing.T) {
	for _, text := range []string{
		"Fix this function.", "Now run the tests.", "Add a test for the parser.", "Please add comments to the parser.",
		"Can you rename this variable?", "Write a function that always returns zero.", "Write tests for the login module.",
		"Why do we always use Redis for the cache?", "Should I always add a docstring?", "How do you name functions here?",
		"I always wanted to go to Paris.", "You should see it!", "You should try the new code editor sometime.",
		"She said 'always use tabs' and left.", "He told me \"never commit to main on a Friday\" and laughed.",
		"Imagine we always wrote tests first.", "If I always had to write SQL, I'd quit.",
		"The test fails with an error.", "The function never returns.", "This loop always runs twice.",
		"It always throws an exception when the list is empty.", "I never understood monads.",
		"We went to the beach and it was great.", "My sister always calls on Sundays.", "Thanks, that worked!",
		"Move the helper functions into utils.go.", "Remove the print statements from main.py.",
		"Rename all the variables in this file.", "Please update the tests.", "Let's look at the logs.",
		"I need you to look at the failing test.", "Make sure the tests pass.", "Make sure it compiles.",
		"Use a map here instead of a slice.", "Use the new API in this handler.", "Don't touch the migrations yet.",
		"Don't run the tests yet.", "For now, skip the failing test.", "Let me check the logs first.",
		"We should talk about the database tomorrow.", "We need to fix the login bug.", "We have to ship on Friday.",
		"I think we should refactor the parser.", "Maybe we should always cache it.", "What should functions return?",
		"Does the linter always complain about imports?", "The server must have crashed.", "It must be the cache.",
		"That must be why the tests fail.", "I used to write comments everywhere.", "They always use Java at my old job.",
		"My boss wants all functions documented, he's so strict.", "You always forget the semicolons, haha.",
		"Never mind.", "Never mind the error, I found it.", "Always happy to help!", "Always a pleasure.",
		"Keep going.", "Keep it up!", "Follow me.", "Please wait.", "Don't worry about it.", "Don't forget to call mom.",
		"Remember to buy milk.", "I want you to be happy.", "I'd like you to meet Sam.", "Make sure to get some rest!",
		"You must be tired.", "You have to see this movie.", "We always go hiking in June.", "We never eat meat on Fridays.",
		"Every morning I run five miles.", "From now on I'll eat better.", "In the future there will be robots.",
		"Start the server.", "Stop the container.", "Open the file main.go and read the error.", "Create a class Foo with a method bar.",
		"Implement the interface Store in memory.go.", "Generate a migration for the users table.", "Delete the branch feature/x.",
		"Explain this code.", "Summarize the changes in this commit.", "Show me all functions that call parse.",
		"List the endpoints of the service.", "Commit the changes and push.", "Revert the last commit.",
		"> Always use tabs.", "```\nAlways use tabs.\nnever use spaces in code\n```", "Replace all the tabs in the file with spaces.",
	} {
		for _, f := range Distill(text, dialogue.User) {
			if !f.Tentative {
				t.Errorf("%q gives %q", text, f.Line)
			}
		}
	}
}
