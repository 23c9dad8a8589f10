package history

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// headTimeout bounds the one process that Head may start.
const headTimeout = 5 * time.Second

// List returns the hashes of the newest commits, at most limit, that are reachable from HEAD and
// changed something below root; newest first by commit date, without merges. It is empty with a nil
// error if there is no repository or no commit. It fails with ErrNoGit, ErrUntrusted, and with
// ErrNoTrees if root is a folder of a repository that does not contain its trees. Cancelling ctx
// ends the git process.
func List(ctx context.Context, root string, limit int) ([]string, error) {
	tip, err := Head(ctx, root)
	if err != nil || tip == "" || limit <= 0 {
		return nil, err
	}
	hashes, err := list(ctx, root, tip, limit)
	if errors.Is(err, errNoRepository) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list commits: %w", err)
	}
	return hashes, nil
}

// list requests the full history instead of git's simplified one, which would omit commits of a
// side branch whose merge changed nothing below root.
func list(ctx context.Context, root, tip string, limit int) ([]string, error) {
	args := []string{"rev-list", "--no-merges", "--full-history", "--max-count=" + strconv.Itoa(limit), tip, "--"}
	out, err := output(ctx, root, append(args, ".")...)
	if errors.Is(err, ErrNoTrees) {
		prefix, prefixErr := showPrefix(ctx, root)
		if prefixErr != nil || prefix != "" {
			return nil, err
		}
		// At the top every commit except an empty one qualifies, which needs no trees.
		out, err = output(ctx, root, args...)
	}
	return strings.Fields(string(out)), err
}

// showPrefix returns root's path below the top of the working tree, "" or ending in a slash.
func showPrefix(ctx context.Context, root string) (string, error) {
	out, err := output(ctx, root, "rev-parse", "--show-prefix")
	return strings.TrimSuffix(string(out), "\n"), err
}

// headByGit asks git for HEAD, for repositories whose refs are not plain files.
func headByGit(ctx context.Context, root string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, headTimeout)
	defer cancel()
	out, err := output(ctx, root, "rev-parse", "--quiet", "--verify", "HEAD^{commit}")
	hash := strings.TrimSpace(string(out))
	if err != nil || !isHash(hash) {
		return "", fmt.Errorf("read HEAD: %w", err)
	}
	return hash, nil
}
