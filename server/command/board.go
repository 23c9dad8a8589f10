package command

// BoardListArgs names a conversation's board.
type BoardListArgs struct {
	Scope
	// ConversationID of the board.
	ConversationID string `json:"conversationId" check:"required,chars=1..200,format=id"`
}

// BoardPutArgs puts an item on a board.
type BoardPutArgs struct {
	Scope
	// ConversationID of the board.
	ConversationID string `json:"conversationId" check:"required,chars=1..200,format=id"`
	// Type of item, such as `capability`, `turn`, `fetch`, `note`.
	Type string `json:"type" check:"required,chars=1..64,format=id"`
	// Title of the item.
	Title string `json:"title" check:"required,chars=1..1000"`
	// Content of the item.
	Content string `json:"content" check:"required,bytes=0..1048576"`
	// TTL is the item's lifetime in turns.
	TTL int `json:"ttl,omitempty" check:"default=5,min=1,max=100"`
}

// BoardRemoveArgs names an item on a board.
type BoardRemoveArgs struct {
	Scope
	// ConversationID of the board.
	ConversationID string `json:"conversationId" check:"required,chars=1..200,format=id"`
	// ID of the item.
	ID string `json:"id" check:"required,chars=1..200,format=id"`
}

// BoardListResult lists the items on a board.
type BoardListResult struct {
	// Items in the order they were put.
	Items []BoardItem `json:"items"`
}

// BoardItemResult holds one item of a board.
type BoardItemResult struct {
	// Item as stored.
	Item BoardItem `json:"item"`
}

// BoardItem is one item of a board.
type BoardItem struct {
	// ID of the item.
	ID string `json:"id"`
	// Type of item.
	Type string `json:"type"`
	// Title of the item.
	Title string `json:"title"`
	// Content of the item.
	Content string `json:"content"`
	// ExpiresAfterTurn is the number of the last turn that sees the item; absent when it stays.
	ExpiresAfterTurn *int `json:"expiresAfterTurn,omitempty"`
}

// CabinetPutArgs stores a text.
type CabinetPutArgs struct {
	Scope
	// Title of the text.
	Title string `json:"title" check:"required,chars=1..1000"`
	// Content is the text.
	Content string `json:"content" check:"required,bytes=0..1048576"`
	// Note on the text.
	Note string `json:"note,omitempty" check:"bytes=0..65536"`
	// URI that the text comes from.
	URI string `json:"uri,omitempty" check:"bytes=1..8192,format=uri"`
}

// CabinetPutResult is the key that a text is saved under.
type CabinetPutResult struct {
	// FileKey that the text is saved under.
	FileKey string `json:"fileKey"`
}

// CabinetKeyArgs names a saved text.
type CabinetKeyArgs struct {
	Scope
	// FileKey of the text.
	FileKey string `json:"fileKey" check:"required,chars=1..200,format=id"`
}

// CabinetGetResult is a saved text.
type CabinetGetResult struct {
	// FileKey of the text.
	FileKey string `json:"fileKey"`
	// Title of the text.
	Title string `json:"title"`
	// Content is the text.
	Content string `json:"content"`
	// Note on the text.
	Note string `json:"note,omitempty"`
	// URI that the text comes from.
	URI string `json:"uri,omitempty"`
	// SavedAt is when it was saved.
	SavedAt Time `json:"savedAt"`
	// ExpiresAt is when it is removed unless it is used before.
	ExpiresAt Time `json:"expiresAt"`
}

// CabinetListResult lists saved texts.
type CabinetListResult struct {
	// Files, latest use first.
	Files []CabinetFile `json:"files"`
}

// CabinetFile is one line of the list.
type CabinetFile struct {
	// FileKey of the text.
	FileKey string `json:"fileKey"`
	// Title of the text.
	Title string `json:"title"`
	// Note on the text.
	Note string `json:"note,omitempty"`
	// URI that the text comes from.
	URI string `json:"uri,omitempty"`
	// SavedAt is when it was saved.
	SavedAt Time `json:"savedAt"`
	// ExpiresAt is when it is removed unless it is used before.
	ExpiresAt Time `json:"expiresAt"`
}
