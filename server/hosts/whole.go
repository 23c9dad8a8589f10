package hosts

import (
	"bytes"
	"errors"
)

// wholeMark marks files that belong only to the program.
const wholeMark = "Written by `contexture install`, removed by `contexture uninstall`."

// wholeFile is a file that belongs only to the program, such as a plugin. It contains wholeMark.
type wholeFile struct{ text string }

func (f wholeFile) install(data, original []byte) (out []byte, kept []string, err error) {
	if len(data) > 0 && !bytes.Contains(data, []byte(wholeMark)) {
		return nil, nil, errors.New("is there already and was not written by this program: rename or remove it")
	}
	if string(data) == f.text {
		return data, nil, nil
	}
	return []byte(f.text), nil, nil
}

func (f wholeFile) remove(data, _ []byte) ([]byte, error) {
	if !bytes.Contains(data, []byte(wholeMark)) {
		return data, nil
	}
	return nil, nil
}

func (f wholeFile) blank(data []byte) bool { return len(data) == 0 }
