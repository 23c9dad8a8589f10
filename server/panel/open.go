package panel

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/transport"
)

// open shows a file in the person's editor.
func (p *Page) open(w http.ResponseWriter, r *http.Request) {
	var call struct {
		URI  string
		Line int
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&call); err != nil {
		http.Error(w, "the request is not {uri, line}", http.StatusBadRequest)
		return
	}
	if p.opts.Open == nil {
		p.refuse(w, http.StatusUnprocessableEntity, &command.Error{
			Code: command.CodeRequestFailed, DataCode: "unavailable", Message: "there is no editor to start: set EDITOR or VISUAL and run contexture panel again",
		})
		return
	}
	path, err := p.inside(call.URI)
	if err == nil {
		err = p.opts.Open(r.Context(), path, max(1, call.Line))
	}
	var refused *command.Error
	switch {
	case errors.As(err, &refused):
		p.refuse(w, http.StatusUnprocessableEntity, refused)
	case err != nil:
		p.refuse(w, http.StatusUnprocessableEntity, &command.Error{Code: command.CodeRequestFailed, Message: err.Error()})
	default:
		p.reply(w, struct{}{})
	}
}

// inside returns the path of a file's URI with links resolved. Anything but a regular file below a
// root is an error.
func (p *Page) inside(uri string) (string, error) {
	path, ok := transport.FilePath(uri)
	if !ok {
		return "", &command.Error{Code: command.CodeInvalidParams, Field: "uri", Message: "is not the URI of a file"}
	}
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", &command.Error{Code: command.CodeRequestFailed, DataCode: "notFound", Message: fmt.Sprintf("%s does not exist any more", path)}
	}
	if err != nil {
		return "", fmt.Errorf("open file: %w", err)
	}
	for _, root := range p.opts.Roots {
		folder, ok := transport.FilePath(root)
		if !ok {
			continue
		}
		if folder, err = filepath.EvalSymlinks(folder); err != nil {
			continue
		}
		below, err := filepath.Rel(folder, real)
		if err != nil || !filepath.IsLocal(below) {
			continue
		}
		if info, err := os.Stat(real); err != nil || !info.Mode().IsRegular() {
			break
		}
		return real, nil
	}
	return "", &command.Error{Code: command.CodeInvalidParams, Field: "uri", Message: "is not a file of the workspace"}
}
