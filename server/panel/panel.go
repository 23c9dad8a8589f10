// Package panel serves the workbench as a page on loopback, to the person who started it. The
// page's files are built from editors/workbench; the extension for VS Code shows the same files in
// its view.
package panel

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/server/command"
)

//go:embed assets
var embedded embed.FS

// assets are the page's embedded files.
var assets = func() fs.FS {
	sub, err := fs.Sub(embedded, "assets")
	if err != nil {
		panic(err) // the name above is wrong
	}
	return sub
}()

// policy is the content security policy: it allows only what the page consists of.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// maxRequest limits a request's body, in bytes: a prompt with its surroundings.
const maxRequest = 4 << 20

// cookie is the name of the cookie that holds the session for which the token was exchanged.
const cookie = "contexture"

// Options are the options of a Page.
type Options struct {
	// Execute runs a command of the contract. A *command.Error is shown to the person.
	Execute func(ctx context.Context, id string, args json.RawMessage) (json.RawMessage, error)
	// Roots are the URIs of the workspace's folders.
	Roots []string
	// Events are passed on to the page; nil for none.
	Events *Events
	// Open shows a file in the person's editor, at a line counted from 1. The path is that of an
	// existing regular file below a root. Nil if there is no editor to start.
	Open   func(ctx context.Context, path string, line int) error
	Logger *slog.Logger
}

// Page serves one person: the first to open its single-use URL. It is safe for concurrent use.
type Page struct {
	opts     Options
	listener net.Listener
	host     string

	mu      sync.Mutex // guards all fields below
	token   string     // "" after its use
	session string     // "" before the token's use
}

// Listen opens a page on a free loopback port. Serve must be called.
func Listen(ctx context.Context, opts Options) (*Page, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open panel: %w", err)
	}
	return &Page{opts: opts, listener: l, host: l.Addr().String(), token: rand.Text()}, nil
}

// URL returns the single-use address of the page.
func (p *Page) URL() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return "http://" + p.host + "/?token=" + p.token
}

// Serve serves the page until ctx ends.
func (p *Page) Serve(ctx context.Context) error {
	server := &http.Server{
		Handler: p, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog: slog.NewLogLogger(p.opts.Logger.Handler(), slog.LevelInfo),
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // Serve returns the error
	defer stop()
	if err := server.Serve(p.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve panel: %w", err)
	}
	return nil
}

// ServeHTTP serves the page's requests. It serves only the person who opened the URL, and only
// requests from the page itself: another site open in the browser can neither name this host nor
// send the cookie.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if r.Host != p.host {
		http.Error(w, "this page is served to "+p.host+" only", http.StatusMisdirectedRequest)
		return
	}
	if r.Method == http.MethodGet && r.URL.Path == "/" && r.URL.Query().Has("token") {
		p.enter(w, r)
		return
	}
	if !p.known(r) {
		http.Error(w, "open the address that contexture panel has printed; it is single-use", http.StatusUnauthorized)
		return
	}
	switch {
	case r.Method == http.MethodGet && r.URL.Path == "/events":
		p.events(w, r)
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		p.file(w, r)
	case r.Method != http.MethodPost:
		http.Error(w, "use GET or POST", http.StatusMethodNotAllowed)
	case r.Header.Get("Origin") != "http://"+p.host:
		http.Error(w, "requests from other pages are refused", http.StatusForbidden)
	case r.URL.Path == "/session":
		p.reply(w, map[string]any{"roots": append([]string{}, p.opts.Roots...), "editor": p.opts.Open != nil})
	case r.URL.Path == "/open":
		p.open(w, r)
	case r.URL.Path == "/execute":
		p.execute(w, r)
	default:
		http.NotFound(w, r)
	}
}

// enter exchanges the token for a session, once.
func (p *Page) enter(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	good := p.token != "" && subtle.ConstantTimeCompare([]byte(p.token), []byte(r.URL.Query().Get("token"))) == 1
	if good {
		p.token, p.session = "", rand.Text()
	}
	session := p.session
	p.mu.Unlock()
	if !good {
		http.Error(w, "this address was used already, or is not the one that contexture panel has printed", http.StatusUnauthorized)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookie, Value: session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// known reports whether a request carries the session.
func (p *Page) known(r *http.Request) bool {
	c, err := r.Cookie(cookie)
	p.mu.Lock()
	defer p.mu.Unlock()
	return err == nil && p.session != "" && subtle.ConstantTimeCompare([]byte(c.Value), []byte(p.session)) == 1
}

// file serves one of the page's files.
func (p *Page) file(w http.ResponseWriter, r *http.Request) {
	name := path.Clean(r.URL.Path)[1:]
	if name == "" {
		name = "index.html"
	}
	text, err := fs.ReadFile(assets, name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	_, _ = w.Write(text) // fails only if the browser has gone
}

// execute runs a command for the page.
func (p *Page) execute(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	var call struct {
		Command string
		Args    json.RawMessage
	}
	if err := json.Unmarshal(body, &call); err != nil {
		http.Error(w, "the request is not {command, args}", http.StatusBadRequest)
		return
	}
	if !slices.Contains(command.Names, call.Command) {
		p.refuse(w, http.StatusBadRequest, &command.Error{Code: command.CodeInvalidParams, Message: fmt.Sprintf("%q is not a command", call.Command)})
		return
	}
	result, err := p.opts.Execute(r.Context(), call.Command, call.Args)
	var refused *command.Error
	switch {
	case errors.As(err, &refused):
		p.refuse(w, http.StatusUnprocessableEntity, refused)
	case err != nil:
		p.refuse(w, http.StatusBadGateway, &command.Error{Code: command.CodeRequestFailed, Message: err.Error()})
	default:
		p.reply(w, result)
	}
}

// refuse responds with an error in the form of JSON-RPC.
func (p *Page) refuse(w http.ResponseWriter, status int, e *command.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	p.write(w, map[string]any{"code": e.Code, "message": e.Error(), "data": e.DataJSON()})
}

func (p *Page) reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	p.write(w, v)
}

func (p *Page) write(w io.Writer, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		p.opts.Logger.Debug("answer panel", "err", err)
	}
}
