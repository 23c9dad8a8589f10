package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
)

// learned is what runs have found, as JSON, without the items' UpdatedAt, which depends on the
// clock, and without whether a model was asked.
func learned(t testing.TB, w *Workspace) string {
	t.Helper()
	v := w.View()
	defer v.Close()
	all, err := v.Subjects.All()
	if err != nil {
		t.Fatal(err)
	}
	items, err := v.Knowledge.List(knowledge.Filter{Superseded: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range items {
		items[i].UpdatedAt, items[i].Judged = time.Time{}, false
	}
	gaps, err := v.Knowledge.Recommendations()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal([]any{all, items, gaps})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestProcessClockJumps sets the clock back a year and ahead ten during a run and between runs, and
// checks that the runs learn the same as with a correct clock.
func TestProcessClockJumps(t *testing.T) {
	var mu sync.Mutex
	right := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	now := right
	set := func(at time.Time) {
		mu.Lock()
		defer mu.Unlock()
		now = at
	}
	jumping := openedWith(t, t.TempDir(), func(o *Options) {
		o.Now = func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return now
		}
	})
	defer jumping.Close()
	steady := opened(t, t.TempDir())
	defer steady.Close()
	w, want := invented(t, jumping, 3, 8), invented(t, steady, 3, 8)
	for i, jumps := range [][]time.Time{{right, right.Add(-year)}, {right.Add(-year), right.Add(10 * year)}, {right.Add(10 * year), right}} {
		set(jumps[0])
		out, err := w.Process(t.Context(), Processing{Full: i == 2, Reason: "test", Progress: func(p knowledge.Progress) {
			if p.Stage == "references" {
				set(jumps[1])
			}
		}})
		if err != nil || out.Took < 0 || !out.Began.Equal(jumps[0]) {
			t.Fatalf("run %d began %v, took %v: %v", i, out.Began, out.Took, err)
		}
		if _, err := want.Process(t.Context(), Processing{Full: i == 2, Reason: "test"}); err != nil {
			t.Fatal(err)
		}
		if a, b := learned(t, want), learned(t, w); a != b {
			t.Fatalf("run %d: by a clock that jumps\n%s\nnot\n%s", i, b, a)
		}
	}
	set(right.Add(10 * year))
	tellAll(t, w, "ahead", dialogue.Message{Role: dialogue.User, Content: "What is said while the clock is ten years ahead."})
	set(right.Add(time.Hour))
	before := subjects(t, w)
	if _, err := w.Process(t.Context(), Processing{}); err != nil {
		t.Fatal(err)
	}
	for i, topic := range subjects(t, w).Topics {
		if topic.ID != before.Topics[i].ID || topic.Weight != before.Topics[i].Weight || topic.Trend != before.Topics[i].Trend {
			t.Errorf("one message of a clock that was ahead made %+v of %+v", topic, before.Topics[i])
		}
	}
}

// TestProcessWithoutMessages checks that without messages, or with none left, a run ends with
// nothing, and none is due.
func TestProcessWithoutMessages(t *testing.T) {
	for name, fill := range map[string]func(w *Workspace) error{
		"empty": func(*Workspace) error { return nil },
		"without words": func(w *Workspace) error {
			_, err := w.Append(Addition{Conversation: "c", Messages: []dialogue.Message{{Role: dialogue.User}, {Role: dialogue.Assistant, Content: " \n"}, {Role: dialogue.Tool}}})
			return err
		},
		"deleted": func(w *Workspace) error {
			if _, err := w.Append(Addition{Conversation: "c", Messages: talk(1, 5)}); err != nil {
				return err
			}
			return w.Delete("c")
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := opened(t, t.TempDir())
			defer m.Close()
			w := workspace(t, m)
			if err := fill(w); err != nil {
				t.Fatal(err)
			}
			for _, full := range []bool{false, true, false} {
				var shares []float64
				out, err := w.Process(t.Context(), Processing{Full: full, Reason: "test", Progress: func(p knowledge.Progress) { shares = append(shares, p.Share) }})
				if err != nil || out.Topics+out.Entities+out.Lessons+out.References != 0 || len(shares) == 0 {
					t.Errorf("full %v: %+v, %v", full, out, err)
				}
			}
			v := w.View()
			defer v.Close()
			if last, due, err := v.Knowledge.Learned(); err != nil || due || last.Reason != "test" || len(last.Changes.Each) != 0 {
				t.Errorf("last run %+v, due %v, %v", last, due, err)
			}
		})
	}
}

// languages hold statements about a thing with a name in their script: what it is, that it fails,
// and that somebody asks for it.
var languages = []struct{ name, thing, service, fails, asks string }{
	{"English", "zorbex", "zorbex is our routing service for parcels.", "zorbex drops parcels at night.", "When will zorbex be restarted?"},
	{"German", "Wuchtelbrok", "Wuchtelbrok ist unser Dienst für Pakete.", "Nachts verliert Wuchtelbrok Pakete.", "Wann wird Wuchtelbrok neu gestartet?"},
	{"French", "Quorbezac", "Quorbezac est notre service de colis.", "La nuit Quorbezac perd des colis.", "Quand est-ce que Quorbezac redémarre ?"},
	{"Spanish", "Zurriñez", "Zurriñez es nuestro servicio de paquetes.", "Por la noche Zurriñez pierde paquetes.", "¿Cuándo se reinicia Zurriñez?"},
	{"Portuguese", "Xurumbão", "Xurumbão é o nosso serviço de pacotes.", "À noite Xurumbão perde pacotes.", "Quando o Xurumbão reinicia?"},
	{"Italian", "Zanfrullo", "Zanfrullo è il nostro servizio di pacchi.", "Di notte Zanfrullo perde pacchi.", "Quando riparte Zanfrullo?"},
	{"Dutch", "Kwibbelvork", "Kwibbelvork is onze dienst voor pakketten.", "'s Nachts verliest Kwibbelvork pakketten.", "Wanneer start Kwibbelvork opnieuw?"},
	{"Swedish", "Snörpvåg", "Snörpvåg är vår tjänst för paket.", "På natten tappar Snörpvåg paket.", "När startas Snörpvåg om?"},
	{"Polish", "Żdźbłogór", "Żdźbłogór to nasza usługa paczek.", "W nocy Żdźbłogór gubi paczki.", "Kiedy Żdźbłogór ruszy ponownie?"},
	{"Czech", "Škrbeňák", "Škrbeňák je naše služba pro balíky.", "V noci Škrbeňák ztrácí balíky.", "Kdy se Škrbeňák restartuje?"},
	{"Turkish", "Güğümtaş", "Güğümtaş bizim paket servisimiz.", "Geceleri Güğümtaş paketleri kaybediyor.", "Güğümtaş ne zaman yeniden başlıyor?"},
	{"Russian", "Жбрындекс", "Жбрындекс это наш сервис посылок.", "Ночью Жбрындекс теряет посылки.", "Когда Жбрындекс перезапустят?"},
	{"Ukrainian", "Їжґовець", "Їжґовець це наша служба посилок.", "Уночі Їжґовець губить посилки.", "Коли Їжґовець перезапустять?"},
	{"Greek", "Ζγουρόβης", "Ο Ζγουρόβης είναι η υπηρεσία δεμάτων μας.", "Τη νύχτα ο Ζγουρόβης χάνει δέματα.", "Πότε επανεκκινεί ο Ζγουρόβης;"},
	{"Arabic", "ظربوخ", "ظربوخ هي خدمة الطرود لدينا.", "في الليل ظربوخ يفقد الطرود.", "متى يعاد تشغيل ظربوخ؟"},
	{"Hebrew", "זרבקס", "זרבקס הוא שירות החבילות שלנו.", "בלילה זרבקס מאבד חבילות.", "מתי זרבקס יופעל מחדש?"},
	{"Hindi", "ज़ोरबेक्स", "ज़ोरबेक्स हमारी पार्सल सेवा है।", "रात में ज़ोरबेक्स पार्सल खो देता है।", "ज़ोरबेक्स कब फिर से चालू होगा?"},
	{"Chinese", "卓尔贝", "卓尔贝是我们的包裹服务。", "晚上卓尔贝会丢包裹。", "什么时候重启卓尔贝？"},
	{"Japanese", "ゾルベックス", "ゾルベックスは荷物のサービスです。", "夜にゾルベックスが荷物を失います。", "いつゾルベックスを再起動しますか？"},
	{"Thai", "ซอร์เบกซ์", "ซอร์เบกซ์คือบริการพัสดุของเรา", "ตอนกลางคืนซอร์เบกซ์ทำพัสดุหาย", "เมื่อไรซอร์เบกซ์จะเริ่มใหม่"},
	{"Korean", "조르벡스", "조르벡스 는 우리의 소포 서비스입니다.", "밤에 조르벡스 가 소포를 잃어버립니다.", "언제 조르벡스 가 다시 시작됩니까?"},
}

// unspaced are the languages of which nothing shows where a name ends: a search finds the name, and
// no subject is made of it.
var unspaced = []string{"Chinese", "Thai"}

// TestProcessLanguages checks that in twenty languages, some of them in scripts without spaces or
// written from right to left, a run ends, the names that recur are subjects, and what is known of
// them is quoted byte for byte.
func TestProcessLanguages(t *testing.T) {
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			m := opened(t, t.TempDir())
			defer m.Close()
			w := workspace(t, m)
			said := map[string]string{}
			for c := range 3 {
				id := fmt.Sprint("c", c)
				for i, text := range []string{l.service, l.fails, l.asks} {
					m := dialogue.Message{Role: dialogue.User, ID: fmt.Sprintf("%s-%d", id, i), Content: text, At: time.Date(2026, 3, 1+c, 9, i, 0, 0, time.UTC)}
					said[m.ID] = m.Content
					tellAll(t, w, id, m)
				}
			}
			if _, err := w.Process(t.Context(), Processing{}); err != nil {
				t.Fatal(err)
			}
			v := w.View()
			defer v.Close()
			all, err := v.Subjects.All()
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, s := range slices.Concat(all.Topics, all.Entities) {
				if found = found || s.Label == l.thing; !utf8.ValidString(s.Label) {
					t.Errorf("label %q", s.Label)
				}
				known, err := v.Describe(t.Context(), &s)
				if err != nil || len(known.Statements) == 0 && s.Label == l.thing {
					t.Errorf("nothing is known of %s, %v", s.Label, err)
				}
				for _, st := range known.Statements {
					if !strings.Contains(said[st.Message], st.Text) || !strings.Contains(st.Text, s.Label) {
						t.Errorf("%q is not in %q, or not about %s", st.Text, said[st.Message], s.Label)
					}
				}
			}
			if spaced := !slices.Contains(unspaced, l.name); found != spaced {
				t.Errorf("%s is found: %v, want %v: %+v", l.thing, found, spaced, all)
			}
		})
	}
}

// TestProcessBadModel checks that a model that answers nonsense, fails or hangs delays no run and
// changes nothing that it finds.
func TestProcessBadModel(t *testing.T) {
	plain := opened(t, t.TempDir())
	defer plain.Close()
	w := invented(t, plain, 3, 6)
	if _, err := w.Process(t.Context(), Processing{}); err != nil {
		t.Fatal(err)
	}
	want := learned(t, w)
	for name, answers := range map[string]func(context.Context, string, []byte) (string, error){
		"nonsense": func(context.Context, string, []byte) (string, error) {
			return `{"confirmed": [-1, 99999, "x"], "ok": `, nil
		},
		"other JSON": func(context.Context, string, []byte) (string, error) { return `[[[]]]`, nil },
		"too much": func(context.Context, string, []byte) (string, error) {
			return `{"confirmed":[` + strings.Repeat("1,", 100_000) + `1]}`, nil
		},
		"failing": func(context.Context, string, []byte) (string, error) { return "", fmt.Errorf("the model is broken") },
		"hanging": func(ctx context.Context, _ string, _ []byte) (string, error) { <-ctx.Done(); return "", ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			m := writes(t, t.TempDir(), &scripted{name: "bad", answers: answers}, func(time.Duration) <-chan time.Time { return nil })
			w := invented(t, m, 3, 6)
			if _, err := w.Process(t.Context(), Processing{}); err != nil {
				t.Fatal(err)
			}
			if got := learned(t, w); got != want {
				t.Errorf("with it\n%s\nnot\n%s", got, want)
			}
			if err := m.Close(); err != nil { // no run waits for the model
				t.Error(err)
			}
		})
	}
}
