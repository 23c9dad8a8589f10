package server

import (
	"context"

	"github.com/contexture-dev/contexture/memory/cabinet"
	"github.com/contexture-dev/contexture/server/command"
)

// CabinetPut implements command.Commands.
func (c commands) CabinetPut(ctx context.Context, args *command.CabinetPutArgs) (*command.CabinetPutResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	key, err := w.FileText(cabinet.New{Title: args.Title, Content: args.Content, Note: args.Note, URI: args.URI})
	if err != nil {
		return nil, memoryError(err)
	}
	return &command.CabinetPutResult{FileKey: key}, nil
}

// CabinetGet implements command.Commands.
func (c commands) CabinetGet(ctx context.Context, args *command.CabinetKeyArgs) (*command.CabinetGetResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	f, err := w.FiledText(args.FileKey)
	if err != nil {
		return nil, named(err, "text %q in the cabinet", args.FileKey)
	}
	return &command.CabinetGetResult{
		FileKey: f.Key, Title: f.Title, Content: f.Content, Note: f.Note, URI: f.URI, SavedAt: wireTime(f.SavedAt), ExpiresAt: wireTime(f.ExpiresAt),
	}, nil
}

// CabinetList implements command.Commands.
func (c commands) CabinetList(ctx context.Context, args *command.Empty) (*command.CabinetListResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	files, err := v.Texts()
	if err != nil {
		return nil, memoryError(err)
	}
	out := &command.CabinetListResult{}
	for _, f := range files {
		out.Files = append(out.Files, command.CabinetFile{
			FileKey: f.Key, Title: f.Title, Note: f.Note, URI: f.URI, SavedAt: wireTime(f.SavedAt), ExpiresAt: wireTime(f.ExpiresAt),
		})
	}
	return out, nil
}

// CabinetDelete implements command.Commands.
func (c commands) CabinetDelete(ctx context.Context, args *command.CabinetKeyArgs) (*command.Deleted, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	if err := w.RemoveText(args.FileKey); err != nil {
		return nil, named(err, "text %q in the cabinet", args.FileKey)
	}
	return &command.Deleted{Deleted: true}, nil
}
