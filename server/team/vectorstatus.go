package team

// VectorStatus counts the vectors that the process shares.
type VectorStatus struct {
	Received, Published, Waiting, Refused int64
	Share                                 float64
}
