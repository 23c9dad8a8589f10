package server_test

import (
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

func recall(t testing.TB, e *servertest.Editor, a args) command.RecallResult {
	t.Helper()
	return ask[command.RecallResult](t, e, "contexture.recall", a)
}
