package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/stream"
)

func newSetup(log *slog.Logger) *cobra.Command {
	var dir string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "setup --dir DIR",
		Short: "Create the streams on a team's servers, and tell the servers who was removed",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := needDir(dir); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			return setup(ctx, dir, log)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "the team's folder")
	cmd.Flags().DurationVar(&timeout, "timeout", time.Minute, "how long to wait for the servers")
	return cmd
}

// setup brings the servers to what the team's folder says.
func setup(ctx context.Context, dir string, log *slog.Logger) error {
	team, err := enrol.Load(dir)
	if err != nil {
		return err
	}
	account, err := os.ReadFile(filepath.Join(dir, enrol.AccountFile))
	if err != nil {
		return err
	}
	admin := stream.Admin{Servers: team.Servers, CA: team.CA, Credentials: filepath.Join(dir, enrol.SystemCredentials)}
	if err := stream.UpdateAccount(ctx, admin, string(account)); err != nil {
		return err
	}
	admin.Credentials = filepath.Join(dir, enrol.AdminCredentials)
	if err := stream.Setup(ctx, admin, limits(team)); err != nil {
		return err
	}
	log.Info("the servers are ready", "servers", len(team.Servers), "replicas", team.Replicas, "fact_bytes", team.FactBytes, "vector_bytes", team.VectorBytes)
	return nil
}
