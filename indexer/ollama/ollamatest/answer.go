package ollamatest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// answer answers a request according to the fault.
func (p *Proxy) answer(w http.ResponseWriter, r *http.Request, body []byte, f Fault) {
	switch f.Kind {
	case None:
		p.pass(w, r, body)
	case Slow:
		if p.pause(r, f.Delay) {
			p.pass(w, r, body)
		}
	case Hang:
		p.pause(r, 1<<62)
	case Drop:
		panic(http.ErrAbortHandler) // net/http's way to abort a connection
	case Error:
		status := f.Status
		if status == 0 {
			status = http.StatusInternalServerError
		}
		fail(w, status, f.Message)
	case Missing:
		var request struct{ Model string }
		_ = json.Unmarshal(body, &request) // without a model the error names ""
		fail(w, http.StatusNotFound, `model "`+request.Model+`" not found, try pulling it first`)
	case Garbage:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!DOCTYPE html><title>Sign in to this network</title>\n")
	case Empty:
		w.Header().Set("Content-Type", "application/json")
	case Endless:
		p.endless(w, r)
	case Drip:
		p.drip(w, r, body, f.Delay)
	case Redirect:
		http.Redirect(w, r, f.Location+r.URL.Path, http.StatusTemporaryRedirect)
	default:
		p.spoil(w, r, body, f)
	}
}

// pause waits, and reports whether the client still waits for the answer.
func (p *Proxy) pause(r *http.Request, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
	case <-p.ended:
	}
	return false
}

// endless writes until the client stops reading.
func (p *Proxy) endless(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	piece := []byte(`{"models":[],"message":{"content":"`)
	if r.URL.Path == "/api/embed" {
		piece = []byte(`{"embeddings":[[`)
	}
	for p.wanted(r) {
		if _, err := w.Write(piece); err != nil {
			return
		}
		piece = bytes.Repeat([]byte("0.125,"), 1<<12)
	}
}

// drip passes the server's answer on byte by byte.
func (p *Proxy) drip(w http.ResponseWriter, r *http.Request, body []byte, delay time.Duration) {
	answer := p.forward(w, r, body)
	if answer == nil {
		return
	}
	defer answer.Body.Close()
	right, err := io.ReadAll(answer.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	copyHeader(w, answer)
	w.WriteHeader(answer.StatusCode)
	for i := range right {
		if _, err := w.Write(right[i : i+1]); err != nil || http.NewResponseController(w).Flush() != nil || !p.pause(r, delay) {
			return
		}
	}
}

// wanted reports whether the client still waits for the answer.
func (p *Proxy) wanted(r *http.Request) bool {
	select {
	case <-r.Context().Done():
		return false
	case <-p.ended:
		return false
	default:
		return true
	}
}

// fail writes an error as the server does.
func fail(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	text, _ := json.Marshal(map[string]string{"error": message}) // strings can always be encoded
	_, _ = w.Write(text)
}

// forward sends a request to the server. If the server is down, it answers 502.
func (p *Proxy) forward(w http.ResponseWriter, r *http.Request, body []byte) *http.Response {
	onward, err := http.NewRequestWithContext(r.Context(), r.Method, p.upstream+r.URL.RequestURI(), bytes.NewReader(body))
	if err == nil {
		onward.Header = r.Header.Clone()
		onward.Header.Del("Accept-Encoding") // so that the answer can be read here
		var answer *http.Response
		if answer, err = p.client.Do(onward); err == nil {
			return answer
		}
	}
	fail(w, http.StatusBadGateway, err.Error())
	return nil
}

// pass passes the server's answer on as it arrives, piece by piece if it is a stream.
func (p *Proxy) pass(w http.ResponseWriter, r *http.Request, body []byte) {
	answer := p.forward(w, r, body)
	if answer == nil {
		return
	}
	defer answer.Body.Close()
	copyHeader(w, answer)
	w.WriteHeader(answer.StatusCode)
	control := http.NewResponseController(w)
	piece := make([]byte, 32<<10)
	for {
		n, err := answer.Body.Read(piece)
		if _, gone := w.Write(piece[:n]); gone != nil {
			return
		}
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			panic(http.ErrAbortHandler) // the server's answer broke off, so this one does
		}
		if control.Flush() != nil {
			return
		}
	}
}

func copyHeader(w http.ResponseWriter, answer *http.Response) {
	for name, values := range answer.Header {
		if name != "Content-Length" {
			w.Header()[name] = values
		}
	}
}

// spoil passes the server's answer on after applying the fault to it.
func (p *Proxy) spoil(w http.ResponseWriter, r *http.Request, body []byte, f Fault) {
	answer := p.forward(w, r, body)
	if answer == nil {
		return
	}
	defer answer.Body.Close()
	right, err := io.ReadAll(answer.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	copyHeader(w, answer)
	wrong := spoiled(right, f)
	if f.Kind == Cut {
		w.Header().Set("Content-Length", strconv.Itoa(len(right)))
		w.WriteHeader(answer.StatusCode)
		_, _ = w.Write(wrong)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(wrong)
}

// spoiled returns the answer with the fault applied.
func spoiled(right []byte, f Fault) []byte {
	switch f.Kind {
	case Cut, Truncated:
		return right[:len(right)/2]
	case Rewritten:
		return f.Rewrite(right)
	}
	var answer map[string]json.RawMessage
	var vectors [][]json.RawMessage
	if json.Unmarshal(right, &answer) != nil || json.Unmarshal(answer["embeddings"], &vectors) != nil || len(vectors) == 0 {
		return right
	}
	return joined(answer, wrongVectors(vectors, f.Kind))
}

// wrongVectors changes vectors, of which there is at least one. Numbers stay text, since some of
// the results are not JSON.
func wrongVectors(vectors [][]json.RawMessage, kind Kind) [][]json.RawMessage {
	last := vectors[len(vectors)-1]
	switch kind {
	case TooFew:
		return vectors[:len(vectors)-1]
	case TooMany:
		return append(vectors, last)
	case NoVectors:
		return nil
	case WrongDimension:
		for i, v := range vectors {
			vectors[i] = v[:len(v)-1]
		}
	case OneShort:
		vectors[len(vectors)-1] = last[:len(last)-1]
	case NotANumber:
		last[0] = json.RawMessage("NaN")
	case Infinite:
		last[0] = json.RawMessage("1e39")
	case Null:
		last[0] = json.RawMessage("null")
	case Zero:
		for i := range last {
			last[i] = json.RawMessage("0")
		}
	case Unnormalised:
		for i, v := range last {
			x, _ := strconv.ParseFloat(string(v), 64) // the server's own number
			last[i] = strconv.AppendFloat(nil, 1000*x, 'g', -1, 64)
		}
	}
	return vectors
}

// joined encodes an answer with the given vectors.
func joined(answer map[string]json.RawMessage, vectors [][]json.RawMessage) []byte {
	rows := make([][]byte, len(vectors))
	for i, v := range vectors {
		numbers := make([][]byte, len(v))
		for j := range v {
			numbers[j] = v[j]
		}
		rows[i] = slices.Concat([]byte("["), bytes.Join(numbers, []byte(",")), []byte("]"))
	}
	delete(answer, "embeddings")
	rest, _ := json.Marshal(answer) // it was decoded from JSON
	head := append(rest[:len(rest)-1], `,"embeddings":[`...)
	if len(answer) == 0 {
		head = []byte(`{"embeddings":[`)
	}
	return slices.Concat(head, bytes.Join(rows, []byte(",")), []byte("]}"))
}
