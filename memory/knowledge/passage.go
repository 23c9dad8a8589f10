package knowledge

// standing is the position of a passage.
type standing struct {
	conversation, turn, message string
	place                       int
}

// standing returns the position of a passage, shifted by some places within its message.
func (p *passage) standing(later int) standing {
	return standing{p.Conversation, p.Turn, p.Message, p.place + later}
}
