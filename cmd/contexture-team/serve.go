package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/node"
	"github.com/contexture-dev/contexture/server/team/stream"
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
		Long: "Run a server of a team until it is stopped by a signal. DIR is the team's folder, or the folder of\n" +
			"one server that was copied to this machine. In the team's folder it also creates the streams.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := needDir(dir); err != nil {
				return err
			}
			folder, err := nodeFolder(dir, number)
			if err != nil {
				return err
			}
			return serve(cmd.Context(), dir, folder, log)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "the team's folder, or the folder of one server")
	cmd.Flags().IntVar(&number, "node", 1, "which server of the team")
	return cmd
}

func needDir(dir string) error {
	if dir == "" {
		return &usageError{errors.New("--dir is missing: the folder that contexture team init wrote")}
	}
	return nil
}

// nodeFolder returns the folder of a server: dir itself, where it is one that was copied to this
// machine.
func nodeFolder(dir string, number int) (string, error) {
	if _, err := os.Stat(filepath.Join(dir, enrol.ServerConfig)); err == nil {
		return dir, nil
	}
	folder := filepath.Join(dir, enrol.NodeFolder(number))
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return "", &usageError{fmt.Errorf("%s has no server %d", dir, number)}
	} else if err != nil {
		return "", err
	}
	return folder, nil
}

// serve runs a server until ctx ends. In the team's folder it sets up the streams meanwhile.
func serve(ctx context.Context, dir, folder string, log *slog.Logger) error {
	starting, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	n, err := node.Start(starting, node.Options{Dir: folder, Log: log})
	if err != nil {
		return err
	}
	defer n.Stop()
	log.Info("serving", "address", n.Address().String(), "folder", folder)
	if dir == folder {
		log.Info("the streams are created by contexture-team setup, in the team's folder")
		<-ctx.Done()
		return nil
	}
	team, err := enrol.Load(dir)
	if err != nil {
		return err
	}
	var setting sync.WaitGroup
	defer setting.Wait()
	setting.Go(func() {
		admin := stream.Admin{InProcess: n, Credentials: filepath.Join(dir, enrol.AdminCredentials)}
		if err := stream.Setup(ctx, admin, limits(team)); err != nil && ctx.Err() == nil {
			log.Error("the streams could not be set up; contexture-team setup tries again", "err", err)
		} else if err == nil {
			log.Info("the streams are ready", "fact_bytes", team.FactBytes, "vector_bytes", team.VectorBytes, "replicas", team.Replicas)
		}
	})
	<-ctx.Done()
	return nil
}

func limits(t *enrol.Team) stream.Limits {
	return stream.Limits{Replicas: t.Replicas, FactBytes: t.FactBytes, VectorBytes: t.VectorBytes}
}
