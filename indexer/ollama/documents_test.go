package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// words is a server whose vector of a text counts its words. It answers each request with fault if
// that is not 0.
type words struct {
	spoils bool // words with capitals are all the same token
	window int  // words of the longest text that it accepts; 0: any

	mu       sync.Mutex
	requests [][]string
	fault    func(texts []string) (status int, body string)
	busy     int // requests in progress
	most     int // the maximum of requests in progress
}

func (s *words) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Input    []string
		Truncate *bool
		Options  map[string]any
	}
	json.NewDecoder(r.Body).Decode(&in)
	s.mu.Lock()
	s.requests = append(s.requests, in.Input)
	fault := s.fault
	s.busy++
	s.most = max(s.most, s.busy)
	s.mu.Unlock()
	defer func() { s.mu.Lock(); s.busy--; s.mu.Unlock() }()
	if fault != nil {
		switch status, body := fault(in.Input); status {
		case 0:
		case -1:
			<-r.Context().Done()
			return
		default:
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return
		}
	}
	vectors := make([][]float32, len(in.Input))
	for i, text := range in.Input {
		if s.window > 0 && len(strings.Fields(text)) > s.window {
			w.WriteHeader(400)
			fmt.Fprint(w, `{"error":"the input length exceeds the context length"}`)
			return
		}
		vectors[i] = s.vector(text)
	}
	json.NewEncoder(w).Encode(map[string]any{"embeddings": vectors})
}

func (s *words) vector(text string) []float32 {
	v := make([]float32, 64)
	v[0] = 0.01
	for _, word := range strings.Fields(text) {
		if s.spoils && word != strings.ToLower(word) {
			word = "[UNK]"
		}
		h := fnv.New32a()
		h.Write([]byte(strings.ToLower(word)))
		v[h.Sum32()%64]++
	}
	normalise(v)
	return v
}

func (s *words) set(fault func([]string) (int, string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.requests = fault, nil
}

func (s *words) calls() int { s.mu.Lock(); defer s.mu.Unlock(); return len(s.requests) }

func (s *words) open(t *testing.T) (*Embedder, *clock) {
	t.Helper()
	c, at := serve(t, s.ServeHTTP)
	e, err := Open(t.Context(), c, Model{Name: "plain", Weights: "sha256-x", Context: 512, Embeds: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e, at
}

func bodies(n int) []Text {
	texts := make([]Text, n)
	for i := range texts {
		texts[i].Body = fmt.Sprintf("text number%d", i)
	}
	return texts
}

func TestBadTextFailsAlone(t *testing.T) {
	for _, answer := range []struct {
		status int
		body   string
	}{{500, `{"error":"unsupported value: NaN"}`}, {200, `{"embeddings":[]}`}, {200, `nonsense`}} {
		s := &words{}
		e, _ := s.open(t)
		bad := map[int]bool{0: true, 7: true, 8: true, 31: true}
		s.set(func(texts []string) (int, string) {
			for _, text := range texts {
				for i := range bad {
					if text == fmt.Sprintf("text number%d", i) {
						return answer.status, answer.body
					}
				}
			}
			return 0, ""
		})
		texts := bodies(32)
		vectors, errs := e.Documents(t.Context(), texts)
		for i := range texts {
			var item *Error
			switch {
			case bad[i] && (!errors.As(errs[i], &item) || !item.Item || vectors[i] != nil):
				t.Errorf("%s: the bad text %d: %v", answer.body, i, errs[i])
			case !bad[i] && (errs[i] != nil || !slices.Equal(vectors[i], s.vector(texts[i].Body))):
				t.Errorf("%s: text %d: %v", answer.body, i, errs[i])
			}
		}
	}
}

// If a server fails on everything, the texts are not tried individually.
func TestGeneralFailureStopsAtOnce(t *testing.T) {
	for status, reason := range map[int]string{500: "error", 503: "overloaded", 502: "unreachable"} {
		s := &words{}
		e, _ := s.open(t)
		s.set(func([]string) (int, string) { return status, `{"error":"cannot load the model"}` })
		vectors, errs := e.Documents(t.Context(), bodies(40))
		for i, err := range errs {
			var whole *Error
			if vectors[i] != nil || !errors.As(err, &whole) || whole.Item || Reason(err) != reason {
				t.Fatalf("%d: text %d: %v", status, i, err)
			}
		}
		if s.calls() > 2 {
			t.Errorf("%d: %d calls to learn that nothing works", status, s.calls())
		}
	}
}

// Texts embedded before a failure keep their vectors.
func TestFailureInTheMiddle(t *testing.T) {
	s := &words{}
	e, _ := s.open(t)
	s.set(func(texts []string) (int, string) {
		if strings.Contains(texts[0], "number16") {
			return 503, ""
		}
		return 0, ""
	})
	vectors, errs := e.Documents(t.Context(), bodies(40))
	for i := range errs {
		if (i < 16) != (errs[i] == nil) || (i < 16) != (vectors[i] != nil) {
			t.Errorf("text %d: %v", i, errs[i])
		}
	}
}

func TestLongTextsAreSplit(t *testing.T) {
	s := &words{window: 20} // fewer than the model reports: only the server's error shows it
	e, _ := s.open(t)
	long := strings.Repeat("one two three four\n", 200)
	texts := append(bodies(3), Text{Title: "a title", Body: long}, Text{Body: strings.Repeat("unbroken", 5000)})
	vectors, errs := e.Documents(t.Context(), texts)
	for i := range texts {
		if errs[i] != nil {
			t.Fatalf("text %d: %v", i, errs[i])
		}
	}
	if got := cosine(vectors[3], s.vector("one two three four")); got < 0.8 {
		t.Errorf("the long text's vector has a cosine of %v to its parts", got)
	}
	if length := cosine(vectors[3], vectors[3]); length < 0.9999 || length > 1.0001 {
		t.Errorf("its length is %v", length)
	}
	if q, err := e.Query(t.Context(), long); err != nil || cosine(q, vectors[3]) < 0.8 {
		t.Errorf("a long query: %v", err)
	}
	s.window = 1
	if _, errs := e.Documents(t.Context(), []Text{{Title: "two words", Body: "x"}, {Body: "word"}}); KindOf(errs[0]) != TooLong || errs[1] != nil {
		t.Errorf("a title that leaves no room: %v", errs)
	}
}

// A request that takes too long is repeated with fewer texts, and the next ones have fewer too.
func TestSlowServerGetsSmallerRequests(t *testing.T) {
	s := &words{}
	e, at := s.open(t)
	s.set(func(texts []string) (int, string) {
		at.move(time.Duration(len(texts)) * 12 * time.Second)
		if len(texts) > 4 {
			return 504, ""
		}
		return 0, ""
	})
	_, errs := e.Documents(t.Context(), bodies(64))
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	late := 0
	for _, r := range s.requests {
		if len(r) > 4 {
			late++
		}
	}
	if late > 2 {
		t.Errorf("%d of %d requests were too large", late, len(s.requests))
	}
}

func TestCapitalsAreSpoiled(t *testing.T) {
	s := &words{spoils: true}
	bad, _ := s.open(t)
	if !bad.LowerCased() {
		t.Fatal("the defect is not seen")
	}
	v, err := bad.Query(t.Context(), "GREEN River")
	if err != nil || !slices.Equal(v, s.vector("green river")) {
		t.Errorf("the query is sent with capitals: %v", err)
	}
	good, _ := (&words{}).open(t)
	if good.LowerCased() {
		t.Error("a defect is seen where there is none")
	}
	if !good.Same(bad.Probes()) || good.Identity() != bad.Identity() {
		t.Error("a server that was mended needs all vectors anew")
	}
}

// Another model under the same name is detected by its vectors, and none of them is returned.
func TestModelReplacedUnderSameName(t *testing.T) {
	s := &words{}
	e, _ := s.open(t)
	s.set(func(texts []string) (int, string) {
		v, _ := json.Marshal(slices.Repeat([][]float32{{1, 2, 3}}, len(texts)))
		return 200, fmt.Sprintf(`{"embeddings":%s}`, v)
	})
	if _, err := e.Query(t.Context(), "x"); Reason(err) != "badAnswer" {
		t.Error(err)
	}
	vectors, errs := e.Documents(t.Context(), bodies(2))
	if vectors[0] != nil || Reason(errs[0]) != "badAnswer" {
		t.Error(errs)
	}
	if e.Same([][]float32{{1, 2, 3}}) || e.Same(slices.Repeat([][]float32{{1, 2, 3}}, len(probeTexts))) {
		t.Error("other probes count as the same")
	}
}

func TestTitles(t *testing.T) {
	for _, k := range []struct {
		prefix Prefix
		text   Text
		want   string
	}{
		{Prefix{}, Text{Body: "b"}, ""},
		{Prefix{}, Text{Title: " a\nb "}, "a b\n"},
		{Prefix{Document: "doc: "}, Text{Title: "t"}, "doc: t\n"},
		{Prefix{Document: "title: {title} | text: "}, Text{Title: "t"}, "title: t | text: "},
		{Prefix{Document: "title: {title} | text: "}, Text{}, "title: none | text: "},
	} {
		if got := (&Embedder{prefix: k.prefix}).head(k.text); got != k.want {
			t.Errorf("%+v %+v: %q, want %q", k.prefix, k.text, got, k.want)
		}
	}
}

// While a query is in progress no indexing request begins; the current one is aborted and repeated;
// two callers of Documents share one request at a time.
func TestQueriesGoFirst(t *testing.T) {
	s := &words{}
	e, _ := s.open(t)
	arrived, query := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s.set(func(texts []string) (int, string) {
		first := false
		if strings.HasPrefix(texts[0], "text") {
			once.Do(func() { first = true; close(arrived) })
		}
		switch {
		case first:
			return -1, "" // hangs until it is aborted
		case texts[0] == "which":
			<-query
		}
		return 0, ""
	})
	var work sync.WaitGroup
	for range 2 {
		work.Go(func() {
			if _, errs := e.Documents(t.Context(), bodies(20)); errors.Join(errs...) != nil {
				t.Error(errs)
			}
		})
	}
	<-arrived
	work.Go(func() {
		if _, err := e.Query(t.Context(), "which"); err != nil {
			t.Error(err)
		}
	})
	for s.calls() < 2 { // the query's request: no other may come before it is answered
		runtime.Gosched()
	}
	s.mu.Lock()
	second := s.requests[1][0]
	s.mu.Unlock()
	if second != "which" {
		t.Errorf("%q came before the query", second)
	}
	close(query)
	work.Wait()
	if s.most > 2 { // the aborted request may not have ended when the query comes
		t.Errorf("%d requests at once", s.most)
	}
}

func TestCancelledDocuments(t *testing.T) {
	s := &words{}
	e, _ := s.open(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.set(func([]string) (int, string) { cancel(); return -1, "" })
	_, errs := e.Documents(ctx, bodies(30))
	for _, err := range errs {
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if s.calls() != 1 {
		t.Errorf("%d calls", s.calls())
	}
}

// Closing a Client ends everything that it started, including a probe of a server that hangs.
func TestNothingIsLeftRunning(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("hang", func(t *testing.T) {
		s := &words{}
		e, at := s.open(t)
		s.set(func([]string) (int, string) { return -1, "" })
		k := call{op: "embed", model: "plain", window: 512}
		for range openAfter {
			e.client.settle(t.Context(), k, &Error{Kind: Timeout}, time.Second)
		}
		at.move(time.Minute)
		if _, err := e.Query(t.Context(), "x"); Reason(err) != "timeout" {
			t.Fatal(err)
		}
		for s.calls() == 0 { // the probe has arrived and hangs
			runtime.Gosched()
		}
	})
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}
