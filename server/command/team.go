package command

// TeamJoinArgs joins a team.
type TeamJoinArgs struct {
	Scope
	// Membership is the text of the membership file, a secret.
	Membership string `json:"membership" check:"required,bytes=1..65536"`
}

// TeamShareArgs says whether an item is shared.
type TeamShareArgs struct {
	Scope
	// ID of the item of knowledge.
	ID string `json:"id" check:"required,chars=1..200,format=id"`
	// Share: `share` shares it, `withhold` does not and withdraws what was shared, `policy` leaves
	// it to the setting team.share.
	Share string `json:"share" check:"required,enum=share|withhold|policy"`
}

// TeamFolderArgs names a folder of facts.
type TeamFolderArgs struct {
	Scope
	// Folder below the root, with slashes; `.contexture/team` when absent.
	Folder string `json:"folder,omitempty" check:"bytes=1..4096"`
}

// TeamStatus is what is shared of the workspace's repository.
type TeamStatus struct {
	// Repository is its id, the same for all clones.
	Repository string `json:"repository"`
	// Team is the team's name; absent for a repository that belongs to none.
	Team string `json:"team,omitempty"`
	// TeamID is the team's id.
	TeamID string `json:"teamId,omitempty"`
	// Member is the person's name in the team.
	Member string `json:"member,omitempty"`
	// Author is the public key by which the person's facts are signed.
	Author string `json:"author"`
	// Servers of the team, by their addresses: what leaves this machine goes there.
	Servers []string `json:"servers"`
	// Connected is true while there is a connection.
	Connected bool `json:"connected"`
	// Server that the connection is to.
	Server string `json:"server,omitempty"`
	// RTTMS is the round-trip time that was measured when the connection was made, in milliseconds.
	RTTMS float64 `json:"rttMs,omitempty"`
	// Since is when the connection was made or lost.
	Since *Time `json:"since,omitempty"`
	// Problem is why there is no connection.
	Problem string `json:"problem,omitempty"`
	// CaughtUp is true when everything that the servers have was read.
	CaughtUp bool `json:"caughtUp"`
	// Behind is the number of facts that the servers had when they were asked last, and that were
	// not read yet.
	Behind int `json:"behind"`
	// ReadAt is when the servers got the latest fact that was read, by their clock.
	ReadAt *Time `json:"readAt,omitempty"`
	// Outbox is the number of own facts and removals that a majority of the servers does not
	// certainly have yet.
	Outbox int `json:"outbox"`
	// Facts is the number of facts that hold.
	Facts int `json:"facts"`
	// Own is how many of them the person wrote.
	Own int `json:"own"`
	// Rivals is how many of them replace the same fact as another, by authors who did not know of
	// each other.
	Rivals int `json:"rivals"`
	// Suggestions is the number of rules of teammates that were not accepted yet.
	Suggestions int `json:"suggestions"`
	// Refused is the number of facts that came and were not valid, since the program started.
	Refused int `json:"refused"`
	// Problems in words.
	Problems []string `json:"problems"`
	// Members who wrote facts that hold.
	Members []TeamMember `json:"members"`
	// Vectors that are shared.
	Vectors TeamVectors `json:"vectors"`
}

// TeamMember is somebody who wrote facts of a repository.
type TeamMember struct {
	// Name of the member.
	Name string `json:"name"`
	// Key is the public key.
	Key string `json:"key"`
	// Proven is true when the team's account vouches for the name.
	Proven bool `json:"proven"`
	// Own is true for the person themselves.
	Own bool `json:"own"`
	// Facts that hold.
	Facts int `json:"facts"`
}

// TeamVectors counts the vectors of a model server that are shared, since the program started.
type TeamVectors struct {
	// Received is how many pieces of the workspace got their vector from others.
	Received int64 `json:"received"`
	// Published is how many vectors others can get from this machine.
	Published int64 `json:"published"`
	// Waiting is how many vectors are not published yet.
	Waiting int64 `json:"waiting"`
	// Refused is how many entries were not valid.
	Refused int64 `json:"refused"`
	// Share of the pieces with a vector whose vector came from others, from 0 to 1.
	Share float64 `json:"share"`
}

// TeamLeft answers that sharing has ended.
type TeamLeft struct {
	// Left is true.
	Left bool `json:"left"`
}

// TeamExchanged is what an export or an import did.
type TeamExchanged struct {
	// Folder below the root.
	Folder string `json:"folder"`
	// Facts in it.
	Facts int `json:"facts"`
	// Written is the number of files that an export wrote.
	Written int `json:"written"`
	// Removed is the number of files that an export removed.
	Removed int `json:"removed"`
	// New is the number of facts that an import did not know.
	New int `json:"new"`
	// Problems are files that hold no fact of this repository.
	Problems []string `json:"problems"`
}

// SharedBy is the member of a team who wrote an item.
type SharedBy struct {
	// Name of the member.
	Name string `json:"name"`
	// Key is the public key by which it is signed.
	Key string `json:"key"`
	// Proven is true when the team's account vouches for the name.
	Proven bool `json:"proven"`
	// Own is true when the person wrote it on another machine.
	Own bool `json:"own,omitempty"`
	// Fact is its id in the team.
	Fact string `json:"fact"`
	// Rivals are the ids of items that replace the same one, by authors who did not know of each
	// other.
	Rivals []string `json:"rivals"`
}
