package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/contexture-dev/contexture/server/team/node"
)

// startTimeout is the maximum time until a server accepts connections. Recovering large streams
// after a crash takes a while.
const startTimeout = 5 * time.Minute

func newServe(log *slog.Logger) *cobra.Command {
	var dir string
	var number int
	cmd := &cobra.Command{
		Use:   "serve --dir DIR",
		Short: "Run a server of a team until it is stopped by a signal",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir == "" {
				return &usageError{errors.New("--dir is missing: the folder that contexture team init wrote")}
			}
			folder, err := nodeFolder(dir, number)
			if err != nil {
				return err
			}
			return serve(cmd.Context(), folder, log)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "the team's folder, or the folder of one server")
	cmd.Flags().IntVar(&number, "node", 1, "which server of the team")
	return cmd
}

// nodeFolder returns the folder of a server: dir itself, where it is one that was copied to this
// machine.
func nodeFolder(dir string, number int) (string, error) {
	if _, err := os.Stat(filepath.Join(dir, node.ConfigFile)); err == nil {
		return dir, nil
	}
	folder := filepath.Join(dir, fmt.Sprintf("node-%d", number))
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return "", &usageError{fmt.Errorf("%s has no server %d", dir, number)}
	} else if err != nil {
		return "", err
	}
	return folder, nil
}

// serve runs a server until ctx ends.
func serve(ctx context.Context, folder string, log *slog.Logger) error {
	starting, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	n, err := node.Start(starting, node.Options{Dir: folder, Log: log})
	if err != nil {
		return err
	}
	defer n.Stop()
	log.Info("serving", "address", n.Address().String(), "folder", folder)
	<-ctx.Done()
	return nil
}
