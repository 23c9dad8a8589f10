package server

import (
	"github.com/contexture-dev/contexture/memory/profile"
	"github.com/contexture-dev/contexture/server/command"
)

func topic(t *profile.Topic) command.Topic {
	return command.Topic{Topic: t.Label, Weight: t.Weight, Trend: string(t.Trend), LastEngagedAt: wireTime(t.Last)}
}
