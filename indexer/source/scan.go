package source

// A Scan reads very many files, most of them as they were indexed, in an order in which the files
// of a folder are adjacent. It reads by the rules on disk, as a Check does, but keeps no texts. It
// is made for one request and not safe for concurrent use; Close must be called at the end.
type Scan struct {
	// Known reports whether the last text was accepted by its isKnown.
	Known bool

	rules   *Check
	buf     []byte
	folder  string // that dir is
	dir     folderHandle
	hasOpen bool // dir is open
}

// NewScan returns a scan.
func (t *Tree) NewScan() *Scan { return &Scan{rules: t.NewCheck()} }

// Close releases what the scan has open.
func (s *Scan) Close() {
	if s.hasOpen {
		closeFolder(s.dir)
		s.hasOpen = false
	}
}

// Read is like Check.Read. A text that isKnown accepts needs no redaction, and its content
// qualifies for indexing. The text is valid until the next call, and must not be changed.
func (s *Scan) Read(rel string, isKnown func(text []byte) bool) ([]byte, Reason, error) {
	if text := s.known(rel, isKnown); text != nil {
		s.Known = true
		return text, Indexed, nil
	}
	s.Known = false
	text, entry, reason, err := s.rules.t.Read(rel)
	switch {
	case reason != Indexed || err != nil:
		return nil, reason, err
	case !s.rules.admits(&entry):
		return nil, Ignored, nil
	}
	return text, Indexed, nil
}

// known returns a text that isKnown accepts, of a file that is admitted without any exception; nil
// for all others.
func (s *Scan) known(rel string, isKnown func(text []byte) bool) []byte {
	t, name := s.rules.t, baseName(rel)
	if cleaned, ok := clean(rel); !ok || cleaned != rel {
		return nil
	}
	if reason, _ := t.nameRule(rel); reason != Indexed {
		return nil
	}
	if folder := parentOf(rel); !s.hasOpen || folder != s.folder {
		s.Close()
		dir, _, err := t.root.openParent(rel)
		if err != nil {
			return nil
		}
		s.dir, s.folder, s.hasOpen = dir, folder, true
	}
	file, st, err := openFileAt(s.dir, name)
	if err != nil {
		return nil
	}
	defer closeFile(file)
	if st.dev != t.root.dev || st.size > t.maxBytes(name) {
		return nil
	}
	if int64(cap(s.buf)) <= st.size {
		s.buf = make([]byte, 0, 2*st.size+1)
	}
	data, err := readInto(file, s.buf[:0], st.size+1)
	if err != nil || int64(len(data)) > st.size { // it grew while it was read
		return nil
	}
	text, isText := decode(data)
	if !isText {
		return nil
	}
	if text = Extract(name, text); len(text) == 0 || !isKnown(text) {
		return nil
	}
	if e := st.entry(rel); !s.rules.admits(&e) {
		return nil
	}
	return text
}
