package forward

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/contexture-dev/contexture/server/command"
	"go.lsp.dev/jsonrpc2"
)

// answerPrefix is the beginning of the server's answers.
var answerPrefix = []byte(`{"jsonrpc":"2.0","id":`)

// answerID reads the id of an answer from its beginning, so that a long answer need not be parsed.
// ok is false if body does not begin like one of the server's answers.
func answerID(body []byte) (id jsonrpc2.ID, ok bool) {
	rest, ok := bytes.CutPrefix(body, answerPrefix)
	if !ok || len(rest) == 0 {
		return id, false
	}
	if rest[0] == '"' {
		end := bytes.IndexByte(rest[1:], '"')
		if end < 0 || bytes.IndexByte(rest[1:1+end], '\\') >= 0 {
			return id, false
		}
		return jsonrpc2.NewStringID(string(rest[1 : 1+end])), isAnswer(rest[end+2:])
	}
	end := bytes.IndexByte(rest, ',')
	if end < 0 {
		return id, false
	}
	if string(rest[:end]) == "null" {
		return id, isAnswer(rest[end:])
	}
	n, err := strconv.ParseInt(string(rest[:end]), 10, 64)
	return jsonrpc2.NewNumberID(n), err == nil && isAnswer(rest[end:])
}

func isAnswer(rest []byte) bool {
	return bytes.HasPrefix(rest, []byte(`,"result":`)) || bytes.HasPrefix(rest, []byte(`,"error":`))
}

// answerError is the error of an answer.
type answerError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    struct {
		Code string `json:"code"`
	} `json:"data"`
}

func (e *answerError) Error() string { return e.Message }

// errorOf returns the error of an answer; nil if it has a result.
func errorOf(body []byte) error {
	if e := readError(body); e != nil {
		return e
	}
	return nil
}

func readError(body []byte) *answerError {
	var answer struct {
		Error *answerError `json:"error"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return &answerError{Message: err.Error()}
	}
	return answer.Error
}

// settled returns the answer to a request that was sent more than once, changed to what it means
// then. See [policy].
func settled(r *request, body []byte) []byte {
	how := policyOf(r.method, r.params)
	if how == again {
		return body
	}
	e := readError(body)
	if e == nil {
		return body
	}
	answer := jsonrpc2.NewResponse(r.id, nil, unknown())
	switch {
	case how == removal && e.Data.Code == command.DataNotFound:
		answer = jsonrpc2.NewResponse(r.id, jsonrpc2.RawMessage(`{"deleted":true}`), nil)
	case how == onceNotFound && e.Data.Code == command.DataNotFound:
	case how == onceExists && e.Data.Code == command.DataExists:
	default:
		return body
	}
	out, err := jsonrpc2.EncodeMessage(answer)
	if err != nil {
		return body
	}
	return out
}
