package knowledge

// standing is where a passage stands.
type standing struct {
	conversation, turn, message string
	place                       int
}

// standing is where a passage stands, or would so many places later in the same message.
func (p *passage) standing(later int) standing {
	return standing{p.Conversation, p.Turn, p.Message, p.place + later}
}
