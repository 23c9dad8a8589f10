package history

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Touch is a commit that changed a file.
type Touch struct {
	At      time.Time // when it was committed
	Subject string    // the first line of its message
}

// touchedTimeout bounds the process that Touched starts.
const touchedTimeout = 5 * time.Second

// Touched returns the commits since a time that changed a file, given by its path below root, the
// newest first, without merges and at most limit. It follows no renames. It is empty with a nil
// error if there is no repository or no commit. It runs git. Errors: those of List.
func Touched(ctx context.Context, root, file string, since time.Time, limit int) ([]Touch, error) {
	tip, err := Head(ctx, root)
	if err != nil || tip == "" || limit <= 0 {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, touchedTimeout)
	defer cancel()
	out, err := output(ctx, root, "log", "--no-merges", "--format=%ct %s", "--since="+since.UTC().Format(time.RFC3339), "--max-count="+strconv.Itoa(limit), tip, "--", file)
	if errors.Is(err, errNoRepository) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list commits of a file: %w", err)
	}
	var list []Touch
	for line := range strings.Lines(string(out)) {
		seconds, subject, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, err := strconv.ParseInt(seconds, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("list commits of a file: git printed %.80q", line)
		}
		if at := time.Unix(n, 0).UTC(); at.After(since) {
			list = append(list, Touch{at, subject})
		}
	}
	return list, nil
}
